package lambdahandler

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/telemetry"
)

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
