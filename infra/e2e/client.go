package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

// requestLimit ends a request whose answer does not come; a gateway gives up
// before, but an emulator may first have to start a container.
const requestLimit = 90 * time.Second

// origin is where the page of the requests is from: another one than the
// endpoint's, so that answers need CORS headers.
const origin = "https://page.example"

// caller is somebody with a token, or without.
type caller struct {
	base, token string
	client      *http.Client
}

// request is one request.
type request struct {
	method, path string
	key          string // Idempotency-Key
	etag         string // If-None-Match
	body         any    // string: as it is; anything else as JSON; nil: none
	headers      map[string]string
}

// answer is what came back.
type answer struct {
	request string // for messages
	status  int
	header  http.Header
	body    []byte
}

func newKey() string { return uuid.NewString() }

func (c caller) send(ctx context.Context, r request) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, requestLimit, fmt.Errorf("no answer after %s", requestLimit))
	defer cancel()
	a := answer{request: r.method + " " + r.path}
	body, err := encode(r.body)
	if err != nil {
		return a, err
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, strings.NewReader(body))
	if err != nil {
		return a, fmt.Errorf("%s: %w", a.request, err)
	}
	req.Header.Set("Origin", origin)
	for name, value := range map[string]string{"Idempotency-Key": r.key, "If-None-Match": r.etag} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	req.GetBody = nil // what is sent again is the suite's doing, never the transport's
	response, err := c.client.Do(req)
	if err != nil {
		return a, fmt.Errorf("%s: %w", a.request, err)
	}
	defer func() { _ = response.Body.Close() }() // read to its end
	a.status, a.header = response.StatusCode, response.Header
	if a.body, err = io.ReadAll(response.Body); err != nil {
		return a, fmt.Errorf("%s: read answer: %w", a.request, err)
	}
	return a, nil
}

func encode(body any) (string, error) {
	switch body := body.(type) {
	case nil:
		return "", nil
	case string:
		return body, nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return "", fmt.Errorf("write request: %w", err)
	}
	return string(text), nil
}

// task is what the suite looks at of a task.
type task struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Calls   int    `json:"calls"`
	Reply   *struct {
		Text string `json:"text"`
	} `json:"reply"`
	Failure *struct {
		Reason string `json:"reason"`
	} `json:"failure"`
}

func (t task) ended() bool { return t.Status != "pending" && t.Status != "running" }

// problem is what the suite looks at of an error.
type problem struct {
	Code  string `json:"code"`
	Field string `json:"field"`
}

// into reads the body, which must be JSON.
func (a answer) into(value any) error {
	if err := json.Unmarshal(a.body, value); err != nil {
		return fmt.Errorf("%s: the answer is not as agreed: %w: %.200s", a.request, err, a.body)
	}
	return nil
}

// want returns an error unless the status is one of those.
func (a answer) want(statuses ...int) error {
	for _, status := range statuses {
		if a.status == status {
			return nil
		}
	}
	return fmt.Errorf("%s: answered %d, want %v: %.200s", a.request, a.status, statuses, a.body)
}

// wantHeader returns an error unless the header is there and, if words are given,
// has them in it.
func (a answer) wantHeader(name, words string) error {
	value := a.header.Get(name)
	if value == "" || !strings.Contains(value, words) {
		return fmt.Errorf("%s: the answer (%d) has %s: %q, want %q in it", a.request, a.status, name, value, words)
	}
	return nil
}

// wantProblem returns an error unless the answer is that problem, readable by a
// page of another origin.
func (a answer) wantProblem(status int, code string) error {
	if err := a.want(status); err != nil {
		return err
	}
	var p problem
	if err := a.into(&p); err != nil {
		return err
	}
	if p.Code != code {
		return fmt.Errorf("%s: the problem is %q, want %q", a.request, p.Code, code)
	}
	if err := a.wantHeader("Content-Type", "application/problem+json"); err != nil {
		return err
	}
	return a.wantCORS()
}

// wantCORS returns an error unless a page of another origin may read the answer.
func (a answer) wantCORS() error {
	switch a.header.Get("Access-Control-Allow-Origin") {
	case "*", origin:
		return nil
	}
	return fmt.Errorf("%s: the answer (%d) has Access-Control-Allow-Origin %q: a page elsewhere cannot read it",
		a.request, a.status, a.header.Get("Access-Control-Allow-Origin"))
}
