package lambdaruntime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Server is the HTTP server behind AWS_LAMBDA_RUNTIME_API.
type Server struct {
	listener net.Listener
	http     *http.Server
	closed   chan struct{}

	mu           sync.Mutex
	environments map[string]*Environment
	incarnations int
}

// Listen starts a server on a free loopback port.
func Listen(ctx context.Context) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the runtime API: %w", err)
	}
	s := &Server{
		listener:     listener,
		closed:       make(chan struct{}),
		environments: make(map[string]*Environment),
	}
	mux := http.NewServeMux()
	const api = "/{environment}/2018-06-01/runtime"
	mux.HandleFunc("GET "+api+"/invocation/next", s.handleNext)
	mux.HandleFunc("POST "+api+"/invocation/{id}/response", s.handleResponse)
	mux.HandleFunc("POST "+api+"/invocation/{id}/error", s.handleError)
	mux.HandleFunc("POST "+api+"/init/error", s.handleInitError)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(listener) }() // ends with Close
	return s, nil
}

// Address is the host and port of the server.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends the server. Invocations that wait for an environment end with [ErrClosed]; those that have
// one end when their process does.
func (s *Server) Close() error {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.mu.Unlock()
	if err := s.http.Close(); err != nil {
		return fmt.Errorf("close the runtime API: %w", err)
	}
	return nil
}

// NewFunction registers a function.
func (s *Server) NewFunction(settings Settings) *Function {
	return &Function{settings: settings, server: s, queue: make(chan *invocation)}
}

func (s *Server) register(env *Environment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.incarnations++
	env.path = env.name + "." + strconv.Itoa(s.incarnations)
	s.environments[env.path] = env
}

func (s *Server) unregister(env *Environment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.environments, env.path)
}

func (s *Server) environment(w http.ResponseWriter, r *http.Request) (*Environment, bool) {
	s.mu.Lock()
	env, ok := s.environments[r.PathValue("environment")]
	s.mu.Unlock()
	if !ok {
		refuse(w, http.StatusForbidden, "Sandbox.Unknown", "this environment has ended")
	}
	return env, ok
}

func (s *Server) handleNext(w http.ResponseWriter, r *http.Request) {
	env, ok := s.environment(w, r)
	if !ok {
		return
	}
	inv, deadline := env.next(r.Context())
	if inv == nil {
		refuse(w, http.StatusForbidden, "Sandbox.Closed", "this environment has ended")
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
	header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(deadline.UnixMilli(), 10))
	header.Set("Lambda-Runtime-Invoked-Function-Arn", env.function.settings.ARN)
	header.Set("Lambda-Runtime-Trace-Id", inv.trace)
	// A write that fails means that the process is going: its end ends the invocation.
	_, _ = w.Write(inv.payload)
}

func (s *Server) handleResponse(w http.ResponseWriter, r *http.Request) {
	env, ok := s.environment(w, r)
	if !ok {
		return
	}
	body, err := readLimited(r.Body)
	switch {
	case errors.Is(err, errTooLong):
		env.answer(r.PathValue("id"), nil, &FunctionError{
			Type:    TypeTooLarge,
			Message: fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", MaxPayload),
		})
		refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "the answer is longer than 6 MB")
		return
	case err != nil:
		env.answer(r.PathValue("id"), nil, &FunctionError{Type: TypeInvalidAnswer, Message: "the answer broke off"})
		return
	}
	// A streaming handler that fails part-way says so in the trailer.
	var failure *FunctionError
	if kind := r.Trailer.Get("Lambda-Runtime-Function-Error-Type"); kind != "" {
		failure = &FunctionError{Type: kind, Message: "the answer ended with an error"}
	}
	s.accept(w, env.answer(r.PathValue("id"), body, failure))
}

func (s *Server) handleError(w http.ResponseWriter, r *http.Request) {
	env, ok := s.environment(w, r)
	if !ok {
		return
	}
	body, _ := readLimited(r.Body) // a report that breaks off is still an error of the function
	failure := reportedError(body, r.Header.Get("Lambda-Runtime-Function-Error-Type"))
	s.accept(w, env.answer(r.PathValue("id"), nil, failure))
}

func (s *Server) handleInitError(w http.ResponseWriter, r *http.Request) {
	env, ok := s.environment(w, r)
	if !ok {
		return
	}
	body, _ := readLimited(r.Body)
	env.failInit(reportedError(body, r.Header.Get("Lambda-Runtime-Function-Error-Type")))
	s.accept(w, true)
}

func (s *Server) accept(w http.ResponseWriter, known bool) {
	if !known {
		refuse(w, http.StatusBadRequest, "InvalidRequestID", "this environment does not have that invocation")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`)
}

var errTooLong = errors.New("body is longer than the limit")

func readLimited(body io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, MaxPayload+1))
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	if len(data) > MaxPayload {
		return nil, errTooLong
	}
	return data, nil
}

// refuse answers in the documented shape. kind and message are constants, so that they need no escaping.
func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"errorType":%q,"errorMessage":%q}`, kind, message)
}
