package providertest

import (
	"net/http"
	"time"
)

// Call is one request for an answer, as the log tells it.
type Call struct {
	RequestID    string    `json:"request_id"`
	ReceivedAt   time.Time `json:"received_at"`
	EndedAt      time.Time `json:"ended_at,omitzero"`
	Key          string    `json:"key,omitzero"`
	PromptSHA256 string    `json:"prompt_sha256,omitzero"`
	BodySHA256   string    `json:"body_sha256,omitzero"`
	Connection   int64     `json:"connection,omitzero"` // requests with the same number share one
	Question     string    `json:"question,omitzero"`
	Operation    string    `json:"operation,omitzero"`
	Script       string    `json:"script,omitzero"`
	Step         int       `json:"step,omitzero"`
	Action       Action    `json:"action,omitzero"`
	// Generation numbers the generations for one prompt from 1; zero means that
	// none began for this request.
	Generation int `json:"generation,omitzero"`
	// Replayed: the request got the outcome of an earlier one by its key.
	Replayed bool `json:"replayed"`
	// Status is what was sent, zero for a connection without an answer.
	Status int `json:"status,omitzero"`
	// Outcome is the last of delivered, lost, cut, client_gone and malformed; empty
	// while the request is open.
	Outcome EventKind `json:"outcome,omitzero"`
	// Delivered: the whole response was handed to a connection that was open. The
	// client may still have died before reading it.
	Delivered bool `json:"delivered"`
	// ClientGone: the client closed the connection before the response.
	ClientGone bool `json:"client_gone"`
}

// Totals counts the log.
type Totals struct {
	// Requests are requests for an answer, refused ones included.
	Requests int `json:"requests"`
	// Generations are what a provider would charge for.
	Generations int `json:"generations"`
	// Replays are requests that were answered by their idempotency key.
	Replays int `json:"replays"`
	// Answers are responses with status 200 that were handed over whole.
	Answers int `json:"answers"`
	// Lookups are reads of operations; they are no requests.
	Lookups int `json:"lookups"`
}

// tally folds events into one Call for each request as they come, so that a long
// log costs nothing to ask.
type tally struct {
	calls       []Call
	index       map[string]int
	generations map[string]int // by prompt hash
	lookups     int
}

func newTally() *tally {
	return &tally{index: make(map[string]int), generations: make(map[string]int)}
}

func (t *tally) apply(event Event) {
	if event.Kind == EventLookup {
		t.lookups++
		return
	}
	at, known := t.index[event.RequestID]
	switch {
	case known:
	case event.Kind == EventReceived:
		at = len(t.calls)
		t.index[event.RequestID] = at
		t.calls = append(t.calls, Call{RequestID: event.RequestID, ReceivedAt: event.At})
	default:
		return // belongs to a look-up
	}
	call := &t.calls[at]
	call.apply(event)
	if event.Kind == EventStarted {
		t.generations[call.PromptSHA256]++
		call.Generation = t.generations[call.PromptSHA256]
	}
}

func (t *tally) call(requestID string) Call {
	if at, known := t.index[requestID]; known {
		return t.calls[at]
	}
	return Call{RequestID: requestID}
}

func (t *tally) totals() Totals {
	totals := Totals{Requests: len(t.calls), Lookups: t.lookups}
	for _, call := range t.calls {
		totals.Generations += btoi(call.Generation > 0)
		totals.Replays += btoi(call.Replayed)
		totals.Answers += btoi(call.Delivered && call.Status == http.StatusOK)
	}
	return totals
}

func (c *Call) apply(event Event) {
	switch event.Kind {
	case EventReceived:
		c.Key, c.PromptSHA256, c.BodySHA256 = event.Key, event.PromptSHA256, event.BodySHA256
		c.Question, c.Connection = event.Question, event.Connection
	case EventStep:
		c.Script, c.Step, c.Action = event.Script, event.Step, event.Action
	case EventReplayed:
		c.Replayed = true
	case EventOperation:
		c.Operation = event.Operation
	case EventGone:
		c.ClientGone = true
		c.end(event)
	case EventDelivered:
		c.Delivered = true
		c.end(event)
	case EventLost, EventCut, EventMalformed:
		c.end(event)
	case EventStarted, EventHeld, EventReleased, EventGenerated, EventRefused, EventLookup, EventForgotten:
	}
}

func (c *Call) end(event Event) {
	c.Outcome, c.EndedAt = event.Kind, event.At
	if event.Status != 0 {
		c.Status = event.Status
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
