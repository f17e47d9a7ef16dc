package history

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Schema is the number of the format.
const Schema = 1

// Header says what was run. It is the first line of a file.
type Header struct {
	Schema int    `json:"schema"`
	Name   string `json:"name,omitzero"`
	Seed   uint64 `json:"seed,omitzero"` // of the schedule, to run it again
	Limits Limits `json:"limits"`
}

// History is a record of a run.
type History struct {
	Header Header
	Events []Event // by Seq
}

// Recorder takes events in. It is safe for concurrent use; the order in which
// events come in is their order.
type Recorder struct {
	now    func() time.Time
	header Header

	mu      sync.Mutex
	events  []Event
	sink    io.Writer
	sinkErr error

	// store is held by the store's side over one write and its event, so that
	// the order of stored events is the order in which writes landed.
	store sync.Mutex
}

// NewRecorder records a run by the clock now. The header's schema is set here.
func NewRecorder(now func() time.Time, header Header) *Recorder {
	header.Schema = Schema
	return &Recorder{now: now, header: header}
}

// StreamTo writes the header and every event from now on to w as they come, so
// that the record of a run that is killed is not lost with it. Call it before
// the first event; Close reports what went wrong.
func (r *Recorder) StreamTo(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sink = w
	r.stream(r.header)
}

func (r *Recorder) stream(v any) {
	if r.sink == nil || r.sinkErr != nil {
		return
	}
	line, err := encodeLine(v)
	if err == nil {
		_, err = r.sink.Write(line)
	}
	if err != nil {
		r.sinkErr = fmt.Errorf("write history: %w", err)
	}
}

// Close reports the first error of the stream. An incomplete record that nobody
// notices is worth nothing.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sinkErr
}

// Record takes an event in and returns its order number. Seq is set here, and
// At unless it is there already.
func (r *Recorder) Record(e Event) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.At.IsZero() {
		e.At = r.now()
	}
	e.At = e.At.Round(0).UTC()
	e.Seq = int64(len(r.events)) + 1
	r.events = append(r.events, e)
	r.stream(e)
	return e.Seq
}

// History is what was recorded so far.
func (r *Recorder) History() History {
	r.mu.Lock()
	defer r.mu.Unlock()
	return History{Header: r.header, Events: slices.Clone(r.events)}
}

// After is what was recorded after the event of that order number: a reader that
// follows a long run need not take it in from the beginning each time.
func (r *Recorder) After(seq int64) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events[min(max(seq, 0), int64(len(r.events))):])
}

// Join puts lists of events behind each other. In each of them Op is the place in
// that list, counted from 1; in the result it is the place in the result.
func Join(lists ...[]Event) []Event {
	var all []Event
	for _, list := range lists {
		before := int64(len(all))
		for _, e := range list {
			if e.Op != 0 {
				e.Op += before
			}
			all = append(all, e)
		}
	}
	return all
}

// Assemble makes a history of events that were collected in several places by
// one clock: they are put in the order of their times and numbered. Op must hold
// the place of the event in the argument, counted from 1, and is moved along.
func Assemble(header Header, events []Event) History {
	header.Schema = Schema
	order := make([]int, len(events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return events[a].At.Compare(events[b].At) })
	seq := make(map[int64]int64, len(events))
	for place, i := range order {
		seq[int64(i)+1] = int64(place) + 1
	}
	sorted := make([]Event, 0, len(events))
	for _, i := range order {
		e := events[i]
		e.Seq, e.Op, e.At = seq[int64(i)+1], seq[e.Op], e.At.Round(0).UTC()
		sorted = append(sorted, e)
	}
	return History{Header: header, Events: sorted}
}

// operation is the key under which a context carries the Seq of the event that
// began the operation.
type operation struct{}

// withOperation lets the store's side find its sender's event.
func withOperation(ctx context.Context, seq int64) context.Context {
	return context.WithValue(ctx, operation{}, seq)
}

func operationOf(ctx context.Context) int64 {
	seq, _ := ctx.Value(operation{}).(int64)
	return seq
}
