package fakeprovider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// maxRequestBytes is how much of a body is read: enough for a dialect to refuse a
// body that is too large for its API.
const maxRequestBytes = 40 << 20

// Options configure a Server. Dialect and Now are required.
type Options struct {
	Dialect Dialect
	// Now is the clock of the log and of Retry-After dates.
	Now func() time.Time
	// IgnoreKeys takes requests with the header of an idempotency key, as APIs do that
	// document none, and runs each of them. Without it such a request is refused.
	IgnoreKeys bool
	// Reply writes the text of a plain answer; nil means a text that depends on the
	// question alone.
	Reply func(Asked) string
}

// Server is a fake provider. It is an http.Handler; Start also listens. All its
// methods are safe for concurrent use.
type Server struct {
	// URL is the address of a server that was made by Start.
	URL string

	options     Options
	mux         *http.ServeMux
	log         fakewire.Log[Request]
	scripts     fakewire.Scripts[Step]
	gates       fakewire.Gates
	generations atomic.Int64
	connections atomic.Int64

	closing context.Context
	close   context.CancelFunc
}

var _ http.Handler = (*Server)(nil)

// New returns a Server that does not listen yet.
func New(options Options) (*Server, error) {
	if options.Dialect == nil || options.Now == nil {
		return nil, errors.New("fake provider: no dialect or no clock")
	}
	s := &Server{options: options, mux: http.NewServeMux()}
	s.closing, s.close = context.WithCancel(context.Background())
	s.mux.HandleFunc("/", s.serve)
	fakewire.RouteControl(s.mux, s)
	return s, nil
}

// Start returns a Server that listens on a loopback port until the test ends.
func Start(tb testing.TB, options Options) *Server {
	tb.Helper()
	s, err := New(options)
	if err != nil {
		tb.Fatal(err)
	}
	listener := httptest.NewUnstartedServer(s)
	listener.Config.ConnContext = s.ConnContext
	listener.Start()
	s.URL = listener.URL
	tb.Cleanup(func() {
		s.Close()
		listener.Close()
	})
	return s
}

// Quoting is a fake as a program of its own: its plain answers quote the document.
func Quoting(dialect Dialect, now func() time.Time, ignoreKeys bool) (fakewire.Program, error) {
	s, err := New(Options{
		Dialect: dialect, Now: now, IgnoreKeys: ignoreKeys,
		Reply: func(asked Asked) string { return fakewire.Quote(asked.Turns) },
	})
	if err != nil {
		return fakewire.Program{}, err
	}
	return fakewire.Program{Handler: s, ConnContext: s.ConnContext, Close: s.Close}, nil
}

// ConnContext numbers connections for the log; set it on the http.Server.
func (s *Server) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return fakewire.NumberConnection(func() int64 { return s.connections.Add(1) })(ctx, conn)
}

// Close ends every request that waits.
func (s *Server) Close() { s.close() }

// Script makes the next requests whose question contains match take these steps,
// one each. Scripts are tried in the order in which they were added; a request
// that no step is left for gets a plain answer.
func (s *Server) Script(match string, steps ...Step) error { return s.AddScript(match, false, steps) }

// AddScript is Script; with repeat the last step happens for ever.
func (s *Server) AddScript(match string, repeat bool, steps []Step) error {
	for i, step := range steps {
		if err := step.validate(); err != nil {
			return fmt.Errorf("step %d for %q: %w", i+1, match, err)
		}
		if step.early() && match != "" {
			return fmt.Errorf("step %d: the question is in the body, so %s cannot depend on it", i+1, CutBeforeBody)
		}
	}
	s.scripts.Add(match, repeat, steps)
	return nil
}

// Reset removes all scripts and opens all gates. The log stays.
func (s *Server) Reset() {
	s.scripts.Clear()
	s.gates.OpenAll()
}

// Release opens a gate for everybody who waits at it and for everybody who will.
func (s *Server) Release(gate string) { s.gates.Open(gate) }

// ServeHTTP serves the API and the control API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: s, writer: w, request: r}
	x.place = s.log.Add(Request{
		At: s.options.Now().UTC(), Connection: fakewire.Connection(r.Context()), Method: r.Method, Path: r.URL.EscapedPath(), Header: r.Header.Clone(),
	})
	x.id = fmt.Sprintf("req_%06d", x.place+1)
	x.note(func(logged *Request) { logged.ID = x.id })
	w.Header().Set(s.options.Dialect.RequestIDHeader(), x.id)
	if step, ok := s.scripts.TakeEarly(Step.early); ok {
		x.begin(step)
		x.reset()
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequestBytes))
	if err != nil {
		x.note(func(logged *Request) { logged.Problem, logged.Outcome = err.Error(), ClientGone })
		return
	}
	asked, refusal := s.read(r, body)
	x.note(func(logged *Request) { logged.Body, logged.Asked = body, asked })
	if refusal != nil {
		x.note(func(logged *Request) { logged.Problem = refusal.Message })
		x.fail(*refusal)
		return
	}
	x.play(s.scripts.Take(asked.Question()), asked)
}

func (s *Server) read(r *http.Request, body []byte) (Asked, *Failure) {
	asked, refusal := s.options.Dialect.Read(r, body)
	if name, found := fakewire.KeyHeader(r.Header); found && refusal == nil && !s.options.IgnoreKeys {
		refused := s.options.Dialect.Invalid("header " + name + " is not documented")
		refusal = &refused
	}
	if refusal != nil {
		return Asked{}, refusal
	}
	return asked, nil
}

// answer makes the answer of a step.
func (x *exchange) answer(step Step, asked Asked) Answer {
	answer := Answer{
		ID: "msg_" + x.id, Model: asked.Model, StopReason: step.StopReason,
		NoContent: step.NoContent, InputTokens: asked.inputTokens(),
	}
	if !step.NoContent {
		answer.Text = step.text(asked, x.generation, x.server.options.Reply)
		answer.OutputTokens = llmprovider.EstimateTokens(answer.Text)
	}
	return answer
}
