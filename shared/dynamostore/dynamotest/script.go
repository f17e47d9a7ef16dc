package dynamotest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// Answer is what a scripted engine does with one request.
type Answer func(r *http.Request) (*http.Response, error)

// Script is a transport that answers one request after the other from a list,
// and remembers what it was sent. A request beyond the list is an error.
type Script struct {
	mu      sync.Mutex
	answers []Answer
	bodies  []string
}

// NewScript makes a script.
func NewScript(answers ...Answer) *Script { return &Script{answers: answers} }

// RoundTrip implements http.RoundTripper.
func (s *Script) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = append(s.bodies, string(body))
	if len(s.answers) == 0 {
		return nil, errors.New("the script is over")
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	r.Body = io.NopCloser(bytes.NewReader(body))
	return answer(r)
}

// Bodies are the requests so far.
func (s *Script) Bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.bodies...)
}

// Reply answers with a status and a body.
func Reply(status int, body string) Answer {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Status: http.StatusText(status), Request: r,
			Header: http.Header{"Content-Type": []string{"application/x-amz-json-1.0"}},
			Body:   io.NopCloser(bytes.NewReader([]byte(body))),
		}, nil
	}
}

// OK answers an empty success.
func OK() Answer { return Reply(http.StatusOK, "{}") }

// Fault answers an error of the API by its code.
func Fault(code, message string) Answer {
	return Reply(http.StatusBadRequest, fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":%q}`, code, message))
}

// Cancelled answers that a transaction was cancelled, with a code for each of
// its actions.
func Cancelled(codes ...string) Answer {
	var reasons bytes.Buffer
	for i, code := range codes {
		if i > 0 {
			reasons.WriteByte(',')
		}
		fmt.Fprintf(&reasons, `{"Code":%q,"Message":"for a reason"}`, code)
	}
	return Reply(http.StatusBadRequest, fmt.Sprintf(
		`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"cancelled","CancellationReasons":[%s]}`, reasons.String()))
}

// Reset breaks the connection after the request was sent.
func Reset() Answer {
	return func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	}
}

// Unreachable refuses the connection, so that nothing was sent.
func Unreachable() Answer {
	return func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
}

// Lossy is a transport that lets requests through and loses the answers that
// Lose picks: the write has landed and nobody knows.
type Lossy struct {
	Next http.RoundTripper
	// Lose is asked for each request, in order of their arrival; it must be
	// safe for concurrent use.
	Lose func(r *http.Request) bool
}

// RoundTrip implements http.RoundTripper.
func (l *Lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	lose := l.Lose(r)
	response, err := l.Next.RoundTrip(r)
	if err != nil || !lose {
		return response, err //nolint:wrapcheck // a transport hands errors through
	}
	if err := response.Body.Close(); err != nil {
		return nil, fmt.Errorf("close lost answer: %w", err)
	}
	return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
}
