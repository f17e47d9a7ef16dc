package lambdahandler

import (
	"time"

	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// Limit bounds how fast one caller may send.
type Limit interface {
	// Take counts a request of a weight and returns 0, or counts nothing and
	// returns how long the caller has to wait.
	Take(caller identity.Caller, weight int) time.Duration
}

// Weights of requests: what creates something writes to the table and may lead to
// a paid call, and is ten times as dear as what reads.
const (
	weightRead   = 1
	weightCreate = 10
)

// limit refuses a caller that sends too fast. It comes before the body is read and
// the store is asked: the refusal says that this request did nothing, and nothing
// about earlier ones with the same key, so that a repeat of a submit that was
// accepted is not lost, only later. A cancel weighs as little as a read: it spares
// calls.
func (a *API) limit(r *request) error {
	if a.Limit == nil || r.route.access == public {
		return nil
	}
	weight := weightRead
	if r.route.keyed {
		weight = weightCreate
	}
	wait := a.Limit.Take(r.caller, weight)
	if wait <= 0 {
		return nil
	}
	a.Log.Warn("caller sends too fast", telemetry.KeyRoute, r.routeName(), telemetry.KeyWorkspace, r.caller.Workspace,
		telemetry.KeyCaller, r.caller.ID, telemetry.KeyGatewayRequestID, r.id)
	p := newProblem(codeThrottled, "This request was not looked at. Wait a moment and send the same request again, with the same key if it has one.")
	p.retryAfter = wait
	return &refusal{p}
}
