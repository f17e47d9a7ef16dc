package fakeprovider

import (
	"context"
	"net/http"
	"slices"
	"sync"
)

// Outcome is how a request ended for the fake.
type Outcome string

// The outcomes. A request without one is still under way.
const (
	Delivered  Outcome = "delivered"   // the whole response was handed to an open connection
	Lost       Outcome = "lost"        // the response could not be handed over
	Cut        Outcome = "cut"         // the fake closed the connection on purpose
	ClientGone Outcome = "client_gone" // the client closed the connection before an answer
)

// Request is one request as the fake saw it.
type Request struct {
	// ID is the fake's name for it, as sent in the response's header.
	ID string
	// RemoteAddr is the same for requests on one connection.
	RemoteAddr string
	Method     string
	Path       string
	Header     http.Header
	// Body is empty if the connection was cut before it was read.
	Body []byte
	// Asked is what the request asks for, if it was valid.
	Asked Asked
	// Problem says what is against the API's description.
	Problem string
	// Generated says that a real provider might charge for it.
	Generated bool
	Outcome   Outcome
}

// requestLog is append-only but for the fields that say how a request went on.
type requestLog struct {
	mu       sync.Mutex
	requests []Request
	changed  chan struct{}
}

// add logs a new request and returns its place.
func (l *requestLog) add(r Request) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
	l.notify()
	return len(l.requests) - 1
}

func (l *requestLog) update(place int, change func(*Request)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.requests[place])
	l.notify()
}

func (l *requestLog) notify() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// all returns the requests, and a channel that is closed at the next change.
func (l *requestLog) all() ([]Request, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return slices.Clone(l.requests), l.changed
}

func (l *requestLog) wait(ctx context.Context, until func([]Request) bool) error {
	for {
		requests, changed := l.all()
		if until(requests) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
