package lambdahandler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// API answers the proxy events of the REST API. It is safe for concurrent use.
type API struct {
	Documents     document.Service
	Conversations conversation.Service
	Windows       idempotency.Windows

	AllowedOrigin string // of pages elsewhere, or "*"
	SignIn        runtimeconfig.SignIn
	Local         bool
	OpenAPI       []byte // the contract, JSON

	// Static finds a file of the page by its path from the root.
	Static func(path string) (StaticFile, bool)
	// ContentSecurityPolicy goes with the page's document.
	ContentSecurityPolicy string

	NewID   func() string // for requests that the gateway gave no id
	Now     func() time.Time
	Log     *slog.Logger
	Metrics telemetry.Metrics
}

// request is one request on its way through the API.
type request struct {
	event  events.APIGatewayProxyRequest
	id     string // gateway_request_id
	path   string // of the route, without stage
	prefix string // in front of it in the client's address
	route  route
	params map[string]string
	caller identity.Caller
	key    idempotency.Key // of keyed calls, once it is parsed
}

// answerReserve is the time that is kept to tell the caller what is known when
// a store does not answer, before the runtime ends the function.
const answerReserve = time.Second

// maxAnswerBytes is below the 6 MB that the runtime can hand over at once,
// counted on the answer as it is encoded for it.
const maxAnswerBytes = 6_000_000

// Invoke implements the runtime's Handler interface, so that the event is
// decoded here and not by the standard library; see decodeEvent.
func (a *API) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	event, err := decodeEvent(payload)
	if err != nil {
		a.Log.Warn("event refused", telemetry.KeyBytes, len(payload), telemetry.KeyError, err)
		return a.encode(a.refuseEvent(err))
	}
	res, err := a.Handle(ctx, event)
	if err != nil {
		return nil, err
	}
	return a.encode(res, &event)
}

// encode renders the answer for the runtime, which cuts the connection over one
// that is too large; a problem is better.
func (a *API) encode(res events.APIGatewayProxyResponse, event *events.APIGatewayProxyRequest) ([]byte, error) {
	payload, err := json.Marshal(res)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	if len(payload) <= maxAnswerBytes {
		return payload, nil
	}
	r := a.newRequest(event)
	a.Log.Error("answer too large", telemetry.KeyRoute, r.routeName(), telemetry.KeyBytes, len(payload), telemetry.KeyGatewayRequestID, r.id)
	p := newProblem(codeInternal, "The answer is too large to be handed over. Ask for less at a time.")
	payload, err = json.Marshal(a.finish(r, problemResponse(a.complete(r, p))))
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return payload, nil
}

func (a *API) refuseEvent(err error) (events.APIGatewayProxyResponse, *events.APIGatewayProxyRequest) {
	event := &events.APIGatewayProxyRequest{HTTPMethod: http.MethodGet, Path: "/"}
	detail := "The request has texts that are not valid UTF-8. Send the body as UTF-8."
	if errors.Is(err, errNoProxyEvent) {
		detail = "This function answers requests of its REST API only."
	}
	r := a.newRequest(event)
	return a.finish(r, problemResponse(a.complete(r, newProblem(codeBodyMalformed, detail)))), event
}

// Handle answers one request. Whatever happens becomes an answer; the error is
// nil always.
func (a *API) Handle(ctx context.Context, event events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error) {
	started := a.Now()
	r := a.newRequest(&event)
	ctx, cancel := withReserve(ctx)
	defer cancel()
	res := a.respond(ctx, r)
	a.logRequest(r, res, a.Now().Sub(started))
	return a.finish(r, res), nil
}

func (a *API) newRequest(event *events.APIGatewayProxyRequest) *request {
	id := event.RequestContext.RequestID
	if id == "" {
		id = a.NewID()
	}
	return &request{event: *event, id: id, path: rooted(event.Path)}
}

// withReserve ends the work before the function's time is over.
func withReserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, deadline.Add(-answerReserve), errOutOfTime)
}

var errOutOfTime = fmt.Errorf("the function's time is nearly over: %w", context.DeadlineExceeded)

// respond runs the request and turns errors and panics into problems.
func (a *API) respond(ctx context.Context, r *request) (res *response) {
	defer func() {
		if value := recover(); value != nil {
			a.logPanic(r, value)
			res = a.problem(r, newProblem(codeInternal, "Try again later. If it stays, tell the operator the gateway_request_id."))
		}
	}()
	res, err := a.serve(ctx, r)
	if err != nil {
		p := problemOf(err)
		if p.Status >= http.StatusInternalServerError {
			a.Log.Error("request failed", telemetry.KeyRoute, r.routeName(), telemetry.KeyGatewayRequestID, r.id, telemetry.KeyError, err)
		}
		res = a.problem(r, p)
	}
	return res
}

// serve finds the endpoint and checks what all endpoints have in common, the
// cheapest check first.
func (a *API) serve(ctx context.Context, r *request) (*response, error) {
	found, known := a.find(r)
	if !known {
		return a.static(r)
	}
	r.params = found.params
	r.route = route{template: found.template}
	if r.event.HTTPMethod == http.MethodOptions {
		return preflight(found.allowed()), nil
	}
	chosen, ok := found.forMethod(r.event.HTTPMethod)
	if !ok {
		return a.methodNotAllowed(r, found.allowed()), nil
	}
	r.route = chosen
	if err := a.identify(r); err != nil {
		return nil, err
	}
	if !chosen.keyed {
		return chosen.endpoint(a, ctx, r)
	}
	key, err := idempotency.ParseKey(r.headerValues("Idempotency-Key"))
	if err != nil {
		return nil, err //nolint:wrapcheck // the table of problems takes it as it is
	}
	r.key = key
	return chosen.endpoint(a, ctx, r)
}

// find tries the readings of the event's path.
func (a *API) find(r *request) (match, bool) {
	for _, path := range routePaths(r.event) {
		if found, ok := findPath(path); ok {
			r.path, r.prefix = path, publicPrefix(r.event, path)
			return found, true
		}
	}
	return match{}, false
}

func (a *API) methodNotAllowed(r *request, allowed string) *response {
	res := a.problem(r, newProblem(codeMethodNotAllowed, "This address knows "+allowed+"."))
	res.headers["Allow"] = allowed
	return res
}

// complete fills in what a problem has of its request.
func (a *API) complete(r *request, p problem) problem {
	p.GatewayRequestID = r.id
	if p.Location != "" {
		p.Location = r.prefix + document.Location(p.Location)
	}
	return p
}

func (a *API) problem(r *request, p problem) *response {
	res := problemResponse(a.complete(r, p))
	if p.Code == codeUnauthorized {
		res.headers["WWW-Authenticate"] = `Bearer realm="replyonce"`
	}
	if r.route.keyed {
		a.idempotencyHeaders(r, res, p.replayUntil)
	}
	return res
}

// logPanic reports a panic without its value, which may have texts in it; the
// runtime's own panics are about indexes and pointers.
func (a *API) logPanic(r *request, value any) {
	what := fmt.Sprintf("%T", value)
	if err, ok := value.(runtime.Error); ok {
		what = err.Error()
	}
	a.Log.Error("request panicked", telemetry.KeyRoute, r.routeName(), telemetry.KeyGatewayRequestID, r.id,
		telemetry.KeyError, what, "stack", string(debug.Stack()))
}

// logRequest writes the one line that every request leaves.
func (a *API) logRequest(r *request, res *response, took time.Duration) {
	attrs := []any{
		telemetry.KeyRoute, r.routeName(), telemetry.KeyStatus, res.status, telemetry.KeyDuration, took,
		telemetry.KeyGatewayRequestID, r.id,
	}
	for _, a := range []struct{ key, value string }{
		{telemetry.KeyWorkspace, r.caller.Workspace}, {telemetry.KeyCaller, r.caller.ID},
		{telemetry.KeyConversation, r.params["conversation"]}, {telemetry.KeyDocument, r.params["document"]},
		{telemetry.KeyTaskID, r.params["task"]}, {telemetry.KeyIdempotencyKey, string(r.key)},
	} {
		if a.value != "" {
			attrs = append(attrs, a.key, a.value)
		}
	}
	a.Log.Info("request", attrs...)
}

// routeName is the route in logs: the template, so that one line of a report
// stands for one route.
func (r *request) routeName() string {
	if r.route.template == "" {
		return r.event.HTTPMethod + " (none)"
	}
	return r.event.HTTPMethod + " " + r.route.template
}
