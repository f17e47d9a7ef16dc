// Package timeline prints what happens in several places as one story in order of time.
package timeline

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/infra/local/texttable"
)

const (
	// settle is how old an event has to be before it is printed. What processes write reaches the timeline
	// through pipes, some milliseconds after what happens in this program.
	settle = 200 * time.Millisecond
	// flushEvery is how often events that have settled are printed.
	flushEvery = 50 * time.Millisecond
	// laneWidth is room for the names of processes.
	laneWidth = 12
)

// Event is one line of the story.
type Event struct {
	At   time.Time
	Lane string // who did it, such as "worker-1"
	Text string
}

// Timeline prints events. It is safe for concurrent use, and Add never waits for the output.
type Timeline struct {
	now  func() time.Time
	stop chan struct{}
	done chan struct{}

	// print orders flushes; mu guards the fields and is never held while something is written.
	print sync.Mutex
	out   io.Writer

	mu     sync.Mutex
	zero   time.Time
	events []Event
}

// New returns a timeline that prints by itself until it is closed.
func New(out io.Writer, now func() time.Time) *Timeline {
	t := &Timeline{now: now, out: out, zero: now(), stop: make(chan struct{}), done: make(chan struct{})}
	go t.run()
	return t
}

func (t *Timeline) run() {
	defer close(t.done)
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			t.flush(t.now().Add(-settle))
		case <-t.stop:
			return
		}
	}
}

// Add notes an event.
func (t *Timeline) Add(at time.Time, lane, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, Event{At: at, Lane: lane, Text: text})
}

// Section prints what is left of the section before, and then the title. Times count from here.
func (t *Timeline) Section(title string) {
	t.Flush()
	t.mu.Lock()
	t.zero = t.now()
	t.mu.Unlock()
	t.Print("\n── " + title + "\n")
}

// Print writes text after everything that was noted so far.
func (t *Timeline) Print(text string) {
	t.Flush()
	t.print.Lock()
	defer t.print.Unlock()
	_, _ = io.WriteString(t.out, text) // nobody reads a timeline whose output is gone
}

// Flush prints everything that was noted so far.
func (t *Timeline) Flush() { t.flush(time.Time{}) }

// Close prints what is left.
func (t *Timeline) Close() {
	close(t.stop)
	<-t.done
	t.Flush()
}

// flush prints the events until a time, all of them when it is zero.
func (t *Timeline) flush(until time.Time) {
	t.print.Lock()
	defer t.print.Unlock()
	t.mu.Lock()
	var settled, rest []Event
	for _, event := range t.events {
		if until.IsZero() || !event.At.After(until) {
			settled = append(settled, event)
		} else {
			rest = append(rest, event)
		}
	}
	t.events = rest
	zero := t.zero
	t.mu.Unlock()
	slices.SortStableFunc(settled, func(a, b Event) int { return a.At.Compare(b.At) })
	for _, event := range settled {
		_, _ = io.WriteString(t.out, line(zero, event)) // as in Print
	}
}

func line(zero time.Time, event Event) string {
	since := max(event.At.Sub(zero), 0).Seconds()
	return fmt.Sprintf("%8.2f s  %s  %s\n", since, texttable.Pad(event.Lane, laneWidth), event.Text)
}
