package fakeopenai

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
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
	// IgnoreKeys takes requests with the header of an idempotency key, as the original
	// does, and runs each of them. Without it such a header is a violation.
	IgnoreKeys bool
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

	*fakewire.Base[Step, Request]

	options     Options
	mux         *http.ServeMux
	operations  operationBook
	generations atomic.Int64
}

var _ http.Handler = (*Server)(nil)

// New returns a Server that does not listen yet.
func New(options Options) (*Server, error) {
	if options.Now == nil {
		return nil, errors.New("fake OpenAI server: no clock")
	}
	s := &Server{Base: fakewire.NewBase[Step, Request](), options: options, mux: http.NewServeMux()}
	s.mux.HandleFunc("POST "+BasePath+"/responses", s.serveResponse)
	s.mux.HandleFunc("GET "+BasePath+"/responses/{id}", s.serveRead)
	s.mux.HandleFunc("POST "+BasePath+"/responses/{id}/cancel", s.serveCancel)
	s.mux.HandleFunc("POST "+BasePath+"/chat/completions", s.serveChat)
	s.mux.HandleFunc("/", s.serveOther)
	fakewire.RouteControl(s.mux, s)
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
	tb.Cleanup(func() {
		for _, violation := range s.TakeViolations() {
			tb.Errorf("violation of the API: %s", violation)
		}
	})
	s.BaseURL = s.Listen(tb, s) + BasePath
	return s
}

// ServeHTTP serves the API and the control API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Forget makes the server forget a Response, as it does after the retention time.
func (s *Server) Forget(id string) { s.operations.forget(id) }

// TakeViolations returns the violations in the log and takes them for intended.
func (s *Server) TakeViolations() []string {
	var all []string
	for _, r := range s.Requests() {
		for _, violation := range r.Violations {
			all = append(all, fmt.Sprintf("request %d, %s %s: %s", r.Number, r.Method, r.Path, violation))
		}
		s.Log.Update(r.Number-1, func(r *Request) { r.Violations = nil })
	}
	return all
}
