package fakeopenai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// BasePath is where the API begins; clients add it to the server's address.
const BasePath = "/v1"

// Options configure a Server. Only Now is required.
type Options struct {
	// Now is the clock of the log, of "created" and of Retry-After dates.
	Now func() time.Time
	// Keys are accepted. Without any, no request may carry a key.
	Keys []string
	// Models are known. Without any, every model is.
	Models []string
	// Reply writes the text of a plain answer; nil means a text that depends on the
	// question and the generation alone.
	Reply func(Asked) string
}

// Asked is what the model is asked.
type Asked struct {
	System string
	Turns  []llmprovider.ChatTurn
	Model  string
	// Generation numbers the generations of the server from 1.
	Generation int
}

// Question is the last turn.
func (a Asked) Question() string { return a.Turns[len(a.Turns)-1].Text }

// Server is the fake. It is an http.Handler; NewServer also listens. All its
// methods are safe for concurrent use.
type Server struct {
	// BaseURL is what clients are configured with, for a server made by NewServer.
	BaseURL string

	options     Options
	mux         *http.ServeMux
	log         requestLog
	scripts     scriptBook
	gates       gates
	operations  operationBook
	generations atomic.Int64
	connections atomic.Int64

	closing context.Context
	close   context.CancelFunc
}

var _ http.Handler = (*Server)(nil)

// New returns a Server that does not listen yet.
func New(options Options) (*Server, error) {
	if options.Now == nil {
		return nil, errors.New("fake OpenAI server: no clock")
	}
	s := &Server{options: options, mux: http.NewServeMux()}
	s.closing, s.close = context.WithCancel(context.Background())
	s.mux.HandleFunc("POST "+BasePath+"/responses", s.serveResponse)
	s.mux.HandleFunc("GET "+BasePath+"/responses/{id}", s.serveRead)
	s.mux.HandleFunc("POST "+BasePath+"/responses/{id}/cancel", s.serveCancel)
	s.mux.HandleFunc("POST "+BasePath+"/chat/completions", s.serveChat)
	s.mux.HandleFunc("/", s.serveOther)
	s.routeControl()
	return s, nil
}

// NewServer returns a Server that listens on a loopback port until the test ends.
// The test fails if a request was a violation; TakeViolations says that they are
// meant.
func NewServer(tb testing.TB, options Options) *Server {
	tb.Helper()
	s, err := New(options)
	if err != nil {
		tb.Fatal(err)
	}
	listener := httptest.NewUnstartedServer(s)
	listener.Config.ConnContext = s.ConnContext
	listener.Start()
	s.BaseURL = listener.URL + BasePath
	tb.Cleanup(func() {
		s.Close()
		listener.Close()
		for _, violation := range s.TakeViolations() {
			tb.Errorf("violation of the API: %s", violation)
		}
	})
	return s
}

// ServeHTTP serves the API and the control API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close ends everything that waits. Stop listening after it.
func (s *Server) Close() { s.close() }

// Script makes the next requests whose question contains match take these steps,
// in order.
func (s *Server) Script(match string, steps ...Step) error { return s.addScript(match, false, steps) }

// Always makes every request whose question contains match take this step.
func (s *Server) Always(match string, step Step) error { return s.addScript(match, true, []Step{step}) }

func (s *Server) addScript(match string, repeat bool, steps []Step) error {
	for i, step := range steps {
		if err := step.validate(); err != nil {
			return fmt.Errorf("step %d for %q: %w", i+1, match, err)
		}
		if step.action() == ResetEarly && match != "" {
			return fmt.Errorf("step %d: the question is in the body, so %s cannot depend on it", i+1, ResetEarly)
		}
	}
	s.scripts.add(script{match: match, repeat: repeat, steps: steps})
	return nil
}

// Reset removes all scripts and opens all gates. The log and the operations stay.
func (s *Server) Reset() {
	s.scripts.clear()
	s.gates.openAll()
}

// Release opens a gate for everybody who waits at it and for everybody who will.
func (s *Server) Release(gate string) { s.gates.open(gate) }

// Forget makes the server forget a Response, as it does after the retention time.
func (s *Server) Forget(id string) { s.operations.forget(id) }

// TakeViolations returns the violations in the log and takes them for intended.
func (s *Server) TakeViolations() []string {
	var all []string
	for _, r := range s.Requests() {
		for _, violation := range r.Violations {
			all = append(all, fmt.Sprintf("request %d, %s %s: %s", r.Number, r.Method, r.Path, violation))
		}
		s.log.update(r.Number, func(r *Request) { r.Violations = nil })
	}
	return all
}

type connectionKey struct{}

// ConnContext numbers connections for the log; set it on the http.Server.
func (s *Server) ConnContext(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, s.connections.Add(1))
}

func connectionOf(ctx context.Context) int64 {
	number, _ := ctx.Value(connectionKey{}).(int64)
	return number
}

// gates are named points. A gate that was opened stays open.
type gates struct {
	mu    sync.Mutex
	named map[string]chan struct{}
}

// wait returns a channel that is closed when the gate is open; "" always is.
func (g *gates) wait(name string) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	gate := g.get(name)
	if name == "" {
		open(gate)
	}
	return gate
}

func (g *gates) open(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	open(g.get(name))
}

func (g *gates) openAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, gate := range g.named {
		open(gate)
	}
	g.named = nil
}

func (g *gates) get(name string) chan struct{} {
	if g.named == nil {
		g.named = make(map[string]chan struct{})
	}
	if g.named[name] == nil {
		g.named[name] = make(chan struct{})
	}
	return g.named[name]
}

func open(gate chan struct{}) {
	select {
	case <-gate:
	default:
		close(gate)
	}
}
