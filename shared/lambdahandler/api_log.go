package lambdahandler

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
)

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
		{telemetry.KeyWorkspace, r.caller.Workspace},
		{telemetry.KeyCaller, r.caller.ID},
		{telemetry.KeyConversation, r.params["conversation"]},
		{telemetry.KeyDocument, r.params["document"]},
		{telemetry.KeyTaskID, r.params["task"]},
		{telemetry.KeyIdempotencyKey, string(r.key)},
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
