package fakeprovider

import (
	"errors"
	"fmt"
	"io"
	"net/http"
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

	*fakewire.Base[Step, Request]

	options     Options
	mux         *http.ServeMux
	generations atomic.Int64
}

var _ http.Handler = (*Server)(nil)

// New returns a Server that does not listen yet.
func New(options Options) (*Server, error) {
	if options.Dialect == nil || options.Now == nil {
		return nil, errors.New("fake provider: no dialect or no clock")
	}
	s := &Server{Base: fakewire.NewBase[Step, Request](), options: options, mux: http.NewServeMux()}
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
	s.URL = s.Listen(tb, s)
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

// ServeHTTP serves the API and the control API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: s, writer: w, request: r}
	x.place = s.Log.Add(Request{
		At: s.options.Now().UTC(), Connection: fakewire.Connection(r.Context()), Method: r.Method, Path: r.URL.EscapedPath(), Header: r.Header.Clone(),
	})
	x.id = fmt.Sprintf("req_%06d", x.place+1)
	x.note(func(logged *Request) { logged.ID = x.id })
	w.Header().Set(s.options.Dialect.RequestIDHeader(), x.id)
	if step, ok := s.Scripts.TakeEarly(Step.Early); ok {
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
	x.play(s.Scripts.Take(asked.Question()), asked)
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
