package drills

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Log is the record of an act while it grows. It is safe for concurrent use.
type Log struct {
	*history.Recorder
	now func() time.Time

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something was recorded
	scopes  map[string]bool
	notes   []Note

	questions map[string]string  // what their tasks are found by
	keys      map[string]string  // the same, by the keys under which tasks are made
	requests  map[string]request // at the provider, by its ids

	asking asking
}

// Note is what the script did, in words, for people.
type Note struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// NewLog returns an empty record of the service's clock now.
func NewLog(now func() time.Time, name string, timers worktask.Timers) *Log {
	l := &Log{now: now, changed: make(chan struct{}), scopes: map[string]bool{}, questions: map[string]string{}, keys: map[string]string{}, requests: map[string]request{}}
	l.asking.tasks, l.asking.balance = map[string][]history.Ref{}, map[history.Ref]int{}
	l.Recorder = history.NewRecorder(now, history.Header{Name: name, Limits: history.LimitsOf(timers)})
	l.StreamTo(l)
	return l
}

// Write implements io.Writer for the recorder, which writes once per event: it
// wakes those who wait.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake()
	return len(line), nil
}

func (l *Log) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Changed is closed when more is recorded.
func (l *Log) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// Note adds what the script does now.
func (l *Log) Note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, Note{At: l.now(), Text: fmt.Sprintf(format, args...)})
	l.wake()
}

// Timeline is what has happened so far.
func (l *Log) Timeline() Timeline { return TimelineOf(l.History(), l.Notes()) }

// Notes lists what the script did, in order.
func (l *Log) Notes() []Note {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.notes)
}

// Follow makes tasks of a scope part of the record.
func (l *Log) Follow(scope string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scopes[scope] = true
}

// Follows reports whether tasks of a scope are part of the record: a world that
// lives on from drill to drill still speaks of earlier tasks.
func (l *Log) Follows(scope string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.scopes[scope]
}

// Sight is an event, with the event that began its operation.
type Sight struct {
	history.Event
	Began history.Event // zero: none
}

// Write is the write that the event is about, nil when it is about none.
func (s Sight) Write() *history.Write {
	if s.Event.Write != nil {
		return s.Event.Write
	}
	return s.Began.Write
}

// Sights are all events so far.
func (l *Log) Sights() []Sight {
	return sightsOf(l.History().Events)
}

// Wait returns the first event that matches, at once if it is there already.
// match is called again from the first event on when more were recorded.
func (l *Log) Wait(ctx context.Context, what string, match func(Sight) bool) (Sight, error) {
	return l.WaitNth(ctx, what, 1, match)
}

// WaitNth is Wait for the n-th event that matches, counted from 1.
func (l *Log) WaitNth(ctx context.Context, what string, n int, match func(Sight) bool) (Sight, error) {
	for {
		changed := l.Changed()
		found := 0
		for _, s := range l.Sights() {
			if match(s) {
				if found++; found == n {
					return s, nil
				}
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Sight{}, fmt.Errorf("not seen: %s (%d of %d): %w", what, found, n, context.Cause(ctx))
		}
	}
}
