package providertest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// EventKind is what happened.
type EventKind string

// The events of one request, roughly in their order.
const (
	EventReceived  EventKind = "received"         // a request's headers, and its body unless cut off, have arrived
	EventMalformed EventKind = "malformed"        // the request does not follow the protocol
	EventStep      EventKind = "step"             // a script's step was taken
	EventHeld      EventKind = "held"             // waits at a gate
	EventReleased  EventKind = "released"         // passed the gate
	EventStarted   EventKind = "started"          // a generation began: from here on it costs
	EventGenerated EventKind = "generated"        // the generation ended with an answer
	EventOperation EventKind = "operation"        // goes on in the background under an id
	EventReplayed  EventKind = "replayed"         // a known idempotency key: no generation of its own
	EventRefused   EventKind = "refused"          // an error was decided on
	EventDelivered EventKind = "delivered"        // the whole response was handed to an open connection
	EventLost      EventKind = "lost"             // the response could not be handed over
	EventCut       EventKind = "cut"              // the server closed the connection on purpose
	EventGone      EventKind = "client_gone"      // the client closed the connection without an answer
	EventLookup    EventKind = "lookup"           // a look-up arrived; it is no request for an answer
	EventForgotten EventKind = "operation_missed" // a look-up for an operation that is not known
)

// Event is one line of the log. Fields without a meaning for the kind are zero.
type Event struct {
	// Seq counts events from 1 without gaps.
	Seq       int       `json:"seq"`
	At        time.Time `json:"at"`
	Kind      EventKind `json:"event"`
	RequestID string    `json:"request_id"`

	Key          string `json:"key,omitzero"`
	PromptSHA256 string `json:"prompt_sha256,omitzero"`
	BodySHA256   string `json:"body_sha256,omitzero"`
	Connection   int64  `json:"connection,omitzero"` // requests with the same number share one
	Question     string `json:"question,omitzero"`
	Model        string `json:"model,omitzero"`
	Operation    string `json:"operation,omitzero"`
	Script       string `json:"script,omitzero"`
	Step         int    `json:"step,omitzero"`
	Action       Action `json:"action,omitzero"`
	Gate         string `json:"gate,omitzero"`
	Status       int    `json:"status,omitzero"`
	Detail       string `json:"detail,omitzero"`
}

// callLog is append-only: events are never changed or removed.
type callLog struct {
	now  func() time.Time
	sink io.Writer

	mu      sync.Mutex
	events  []Event
	tally   *tally
	changed chan struct{}
	sinkErr error
}

func newCallLog(now func() time.Time, sink io.Writer) *callLog {
	return &callLog{now: now, sink: sink, tally: newTally(), changed: make(chan struct{})}
}

func (l *callLog) add(event Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	event.Seq = len(l.events) + 1
	event.At = l.now().UTC()
	l.events = append(l.events, event)
	l.tally.apply(event)
	l.write(event)
	close(l.changed)
	l.changed = make(chan struct{})
}

// write passes the event on to the sink. A log that is incomplete without anybody
// noticing is worth nothing, so the first error is kept and reported by Close.
func (l *callLog) write(event Event) {
	if l.sink == nil || l.sinkErr != nil {
		return
	}
	line, err := json.Marshal(event)
	if err == nil {
		_, err = l.sink.Write(append(line, '\n'))
	}
	if err != nil {
		l.sinkErr = fmt.Errorf("write call log: %w", err)
	}
}

// after returns the events with a higher number, and a channel that is closed
// when there are more.
func (l *callLog) after(seq int) ([]Event, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seq = min(max(seq, 0), len(l.events))
	return slices.Clone(l.events[seq:]), l.changed
}

// wait returns the events with a higher number, once there is at least one.
func (l *callLog) wait(ctx context.Context, seq int) ([]Event, error) {
	for {
		events, changed := l.after(seq)
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// call returns the summary of one request.
func (l *callLog) call(requestID string) Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tally.call(requestID)
}

// summary returns all requests in order of arrival, and their number.
func (l *callLog) summary() ([]Call, Totals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.tally.calls), l.tally.totals()
}

func (l *callLog) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sinkErr
}
