package lambdahandler

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/upload"
)

// API answers the proxy events of the REST API. It is safe for concurrent use.
type API struct {
	Documents     document.Service
	Conversations conversation.Service
	Uploads       *upload.Service // nil: no files can be uploaded
	Windows       idempotency.Windows

	AllowedOrigin string // of pages elsewhere, or "*"
	SignIn        runtimeconfig.SignIn
	Local         bool
	OpenAPI       []byte // the contract, JSON
	Limit         Limit  // of each caller; nil: none

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
	if chosen.keyed {
		key, err := idempotency.ParseKey(r.headerValues("Idempotency-Key"))
		if err != nil {
			return nil, err
		}
		r.key = key
	}
	if err := a.limit(r); err != nil {
		return nil, err
	}
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
