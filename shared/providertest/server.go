package providertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// Options configure a Server. Only Now is required.
type Options struct {
	// Now is the clock of the log and of Retry-After dates.
	Now func() time.Time
	// IdempotencyKeys makes the server document and honour idempotency keys.
	IdempotencyKeys bool
	// RefuseConcurrentKeys answers 409 to a repeat while the first request with
	// its key still runs; otherwise the repeat waits for that request's end.
	RefuseConcurrentKeys bool
	// Lookup makes the server document and offer operations.
	Lookup bool
	// LogSink receives every event as one line of JSON, for a log on disk.
	LogSink io.Writer

	// OnRequest is called when a request has been read and logged, before anything
	// is done with it. It may block.
	OnRequest func(Call)
	// OnGenerated is called when a generation has ended, before a byte of its
	// answer is sent: from here on it was paid for. It may block.
	OnGenerated func(Call)
	// OnAnswered is called after the whole answer was handed to the connection,
	// for a look-up too. It may block.
	OnAnswered func(Call)
}

// Server is the scripted provider. It is an http.Handler; NewServer also
// listens. All its methods are safe for concurrent use.
type Server struct {
	// URL is the address of a server that was made by NewServer.
	URL string

	options    Options
	log        *callLog
	scripts    scriptBook
	gates      fakewire.Gates
	keys       keyBook
	operations operationBook
	ids        requestIDs
	mux        *http.ServeMux

	closing context.Context
	close   context.CancelFunc

	background sync.WaitGroup
	// startMu orders the start of background work and Close: nothing starts once
	// Close waits.
	startMu sync.Mutex
}

var _ http.Handler = (*Server)(nil)

// New returns a Server that does not listen yet.
func New(options Options) (*Server, error) {
	if options.Now == nil {
		return nil, errors.New("scripted provider server: no clock")
	}
	s := &Server{options: options, log: newCallLog(options.Now, options.LogSink), mux: http.NewServeMux()}
	s.closing, s.close = context.WithCancel(context.Background())
	s.mux.HandleFunc("POST "+scripted.PathAnswers, s.serveAnswer)
	s.mux.HandleFunc("GET "+scripted.PathOperations+"{id}", s.serveOperation)
	s.mux.HandleFunc("GET "+scripted.PathCapability, s.serveCapability)
	s.routeControl()
	return s, nil
}

// NewServer returns a Server that listens on a loopback port until the test ends.
func NewServer(tb testing.TB, options Options) *Server {
	tb.Helper()
	s, err := New(options)
	if err != nil {
		tb.Fatal(err)
	}
	listener := httptest.NewUnstartedServer(s)
	var connections atomic.Int64
	listener.Config.ConnContext = fakewire.NumberConnection(func() int64 { return connections.Add(1) })
	listener.Start()
	s.URL = listener.URL
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close scripted provider: %v", err)
		}
		listener.Close()
	})
	return s
}

// ServeHTTP serves the provider's API and the control API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close ends everything that waits, in requests and in the background, and
// reports whether the log could be written. Stop listening after it.
func (s *Server) Close() error {
	s.startMu.Lock()
	s.close()
	s.startMu.Unlock()
	s.background.Wait()
	return s.log.err()
}

func (s *Server) start(work func()) {
	s.startMu.Lock()
	defer s.startMu.Unlock()
	if s.closing.Err() == nil {
		s.background.Go(work)
	}
}

// Script adds a script, or says what is wrong with it.
func (s *Server) Script(script Script) (Script, error) {
	if err := script.validate(s.options.Lookup); err != nil {
		return Script{}, fmt.Errorf("script for %q: %w", script.Match, err)
	}
	return s.scripts.add(script), nil
}

// Release opens a gate for everybody who waits at it and for everybody who will.
func (s *Server) Release(gate string) { s.gates.Open(gate) }

// Reset removes all scripts and opens and forgets all gates. The log, the keys
// and the operations stay.
func (s *Server) Reset() {
	s.scripts.clear()
	s.gates.OpenAll()
}

// Events returns the whole log.
func (s *Server) Events() []Event {
	events, _ := s.log.after(0)
	return events
}

// Calls returns one entry for each request for an answer, in order of arrival.
func (s *Server) Calls() []Call {
	calls, _ := s.log.summary()
	return calls
}

// Totals counts the log.
func (s *Server) Totals() Totals {
	_, totals := s.log.summary()
	return totals
}

// WaitFor waits until the log holds an event that matches and returns it.
func (s *Server) WaitFor(ctx context.Context, matches func(Event) bool) (Event, error) {
	seen := 0
	for {
		events, err := s.log.wait(ctx, seen)
		if err != nil {
			return Event{}, fmt.Errorf("wait for an event of the scripted provider: %w", err)
		}
		for _, event := range events {
			if matches(event) {
				return event, nil
			}
		}
		seen += len(events)
	}
}

func (s *Server) serveCapability(w http.ResponseWriter, _ *http.Request) {
	document := scripted.CapabilityDocument{IdempotencyKey: s.options.IdempotencyKeys, Lookup: s.options.Lookup}
	if s.options.IdempotencyKeys {
		document.KeyPayloadRule = "other bytes under a known key: 422 " + scripted.TypeKeyReused
		document.KeyConcurrencyRule = "a repeat waits for the end of the first request"
		if s.options.RefuseConcurrentKeys {
			document.KeyConcurrencyRule = "a repeat during the first request: 409 " + scripted.TypeKeyInProgress
		}
	}
	writeControl(w, http.StatusOK, document)
}

// requestIDs numbers requests, so that logs are easy to read and to compare.
type requestIDs struct {
	mu   sync.Mutex
	last int
}

func (r *requestIDs) next() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return fmt.Sprintf("req_%06d", r.last)
}
