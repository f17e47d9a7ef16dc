package fakeprovider

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// maxRequestBytes is how much of a body is read: enough for a dialect to refuse a
// body that is too large for its API.
const maxRequestBytes = 40 << 20

// Server is a fake provider. It is an http.Handler; Start also listens. All its
// methods are safe for concurrent use.
type Server struct {
	// URL is the address of a server that was made by Start.
	URL string

	dialect Dialect
	log     requestLog

	mu      sync.Mutex
	scripts []*script

	closing context.Context
	close   context.CancelFunc
}

var _ http.Handler = (*Server)(nil)

// New returns a Server that does not listen yet.
func New(dialect Dialect) *Server {
	s := &Server{dialect: dialect}
	s.closing, s.close = context.WithCancel(context.Background())
	return s
}

// Start returns a Server that listens on a loopback port until the test ends.
func Start(tb testing.TB, dialect Dialect) *Server {
	tb.Helper()
	s := New(dialect)
	listener := httptest.NewServer(s)
	s.URL = listener.URL
	tb.Cleanup(func() {
		s.Close()
		listener.Close()
	})
	return s
}

// Close ends every request that waits.
func (s *Server) Close() { s.close() }

// Script makes the next requests whose question contains match take these steps,
// one each. Scripts are tried in the order in which they were added; a request
// that no step is left for gets a plain answer.
func (s *Server) Script(match string, steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts = append(s.scripts, &script{match: match, steps: steps})
}

// Requests returns the log.
func (s *Server) Requests() []Request {
	requests, _ := s.log.all()
	return requests
}

// Generations counts the requests that a real provider might charge for.
func (s *Server) Generations() int {
	generations := 0
	for _, request := range s.Requests() {
		if request.Generated {
			generations++
		}
	}
	return generations
}

// Wait returns when the log is as until wants it.
func (s *Server) Wait(ctx context.Context, until func([]Request) bool) error {
	if err := s.log.wait(ctx, until); err != nil {
		return fmt.Errorf("wait for the fake provider's log: %w", err)
	}
	return nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: s, writer: w, request: r}
	x.place = s.log.add(Request{RemoteAddr: r.RemoteAddr, Method: r.Method, Path: r.URL.EscapedPath(), Header: r.Header.Clone()})
	x.id = fmt.Sprintf("req_%06d", x.place+1)
	x.note(func(logged *Request) { logged.ID = x.id })
	w.Header().Set(s.dialect.RequestIDHeader(), x.id)
	if step, ok := s.takeBeforeBody(); ok {
		x.notify(step)
		x.reset()
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequestBytes))
	if err != nil {
		x.note(func(logged *Request) { logged.Problem, logged.Outcome = err.Error(), ClientGone })
		return
	}
	asked, refusal := s.dialect.Read(r, body)
	x.note(func(logged *Request) { logged.Body, logged.Asked = body, asked })
	if refusal != nil {
		x.note(func(logged *Request) { logged.Problem = refusal.Message })
		x.fail(*refusal)
		return
	}
	x.play(s.take(asked.Question), asked)
}

// take uses up the next step for the question.
func (s *Server) take(question string) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, script := range s.scripts {
		if len(script.steps) > 0 && strings.Contains(question, script.match) {
			step := script.steps[0]
			script.steps = script.steps[1:]
			return step
		}
	}
	return Step{}
}

// takeBeforeBody uses up a step that must happen before the body is read.
func (s *Server) takeBeforeBody() (Step, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, script := range s.scripts {
		if script.match == "" && len(script.steps) > 0 && script.steps[0].Action == CutBeforeBody {
			step := script.steps[0]
			script.steps = script.steps[1:]
			return step, true
		}
	}
	return Step{}, false
}

// answer makes the answer of a step.
func (x *exchange) answer(step Step, asked Asked) Answer {
	answer := Answer{
		ID: "msg_" + x.id, Model: asked.Model, StopReason: step.StopReason,
		NoContent: step.NoContent, InputTokens: asked.InputTokens,
	}
	if !step.NoContent {
		answer.Text = step.text(asked.Question)
		answer.OutputTokens = llmprovider.EstimateTokens(answer.Text)
	}
	return answer
}
