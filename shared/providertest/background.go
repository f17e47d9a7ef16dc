package providertest

import (
	"net/http"

	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

// serveBackground hands the operation's id out and lets the step happen without
// the connection: the operation goes on when the client is gone.
func (x *exchange) serveBackground(step Step, settle func(keyOutcome)) {
	operation := x.server.operations.begin()
	if step.generates() {
		x.log(Event{Kind: EventStarted})
	}
	x.log(Event{Kind: EventOperation, Operation: operation.ID})
	settle(keyOutcome{operation: operation.ID})
	switch step.Action {
	case LoseOperation:
		x.server.operations.forget(operation.ID)
	case Never:
	default:
		x.server.start(func() { x.finishOperation(operation.ID, step) })
	}
	x.writeJSON(http.StatusAccepted, operation)
}

// finishOperation does not use the connection, which may be gone or reused.
func (x *exchange) finishOperation(id string, step Step) {
	if !x.pause(step.Delay) {
		return
	}
	if step.Action == Fail {
		x.log(Event{Kind: EventRefused, Operation: id, Detail: step.errorType()})
		x.server.operations.fail(id, errorDetail(step.errorType()))
		return
	}
	answer := x.generate(step)
	if x.hold(step.HoldAnswer) {
		x.server.operations.complete(id, answer)
	}
}

// serveOperation answers a look-up.
func (s *Server) serveOperation(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	x := &exchange{server: s, writer: w, request: r, id: s.ids.next()}
	w.Header().Set(scripted.HeaderRequestID, x.id)
	x.log(Event{Kind: EventLookup, Operation: id})
	operation, known := s.operations.get(id)
	if !known || !s.options.Lookup {
		x.log(Event{Kind: EventForgotten, Operation: id})
		x.writeError(http.StatusNotFound, scripted.TypeNotFound)
		return
	}
	delivered := x.writeJSON(http.StatusOK, operation)
	if hook := s.options.OnAnswered; hook != nil && delivered && operation.Status == scripted.OperationCompleted {
		hook(Call{RequestID: x.id, Operation: id, Status: http.StatusOK, Delivered: true})
	}
}
