// Package browser is a browser's side of the HTTP API: it keeps keys and bodies, sends them again, polls,
// and records every answer that it gets.
package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// timeout ends a request whose answer does not come; the gateway itself gives up before.
const timeout = 35 * time.Second

// Browser is one signed-in person. It is safe for concurrent use.
type Browser struct {
	Who    string // for the record, such as "ada@acme"
	base   string
	token  string
	client *http.Client
	record func(Answer)
}

// SignIn signs a person in at the stack whose address is base. record gets every later answer.
func SignIn(ctx context.Context, base, user, workspace string, record func(Answer)) (*Browser, error) {
	b := &Browser{
		Who: user + "@" + workspace, base: base, record: record,
		client: &http.Client{Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	body, err := json.Marshal(map[string]string{"user": user, "workspace": workspace})
	if err != nil {
		return nil, fmt.Errorf("sign in %s: %w", b.Who, err)
	}
	answer := b.send(ctx, Request{Method: http.MethodPost, Path: "/local/sign-in", Body: body})
	var given struct {
		Token string `json:"token"`
	}
	if err := answer.into(http.StatusOK, &given); err != nil {
		return nil, fmt.Errorf("sign in %s: %w", b.Who, err)
	}
	b.token = given.Token
	return b, nil
}

// Close ends idle connections.
func (b *Browser) Close() { b.client.CloseIdleConnections() }

// NewKey makes an idempotency key, one for each press of a button.
func NewKey() string { return uuid.NewString() }

// Request is one request to the API.
type Request struct {
	Method, Path string
	Key          string // idempotency key, of creating calls
	ETag         string // of an earlier read
	Body         []byte
}

// Do sends a request once and records its answer.
func (b *Browser) Do(ctx context.Context, r Request) Answer {
	answer := b.send(ctx, r)
	b.record(answer)
	return answer
}

func (b *Browser) send(ctx context.Context, r Request) Answer {
	answer := Answer{Who: b.Who, Method: r.Method, Path: r.Path, Key: r.Key, Sent: string(r.Body)}
	response, err := b.roundTrip(ctx, r)
	if err == nil {
		defer func() { _ = response.Body.Close() }() // only read
		answer.Body, err = io.ReadAll(response.Body)
	}
	answer.At = time.Now()
	if err != nil {
		answer.Err = fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
		return answer
	}
	answer.Status = response.StatusCode
	answer.Replayed = response.Header.Get("Idempotency-Replayed") == "true"
	answer.ETag = response.Header.Get("ETag")
	answer.decode()
	return answer
}

func (b *Browser) roundTrip(ctx context.Context, r Request) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, b.base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	set := func(name, value string) {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	if b.token != "" {
		set("Authorization", "Bearer "+b.token)
	}
	if len(r.Body) > 0 {
		set("Content-Type", "application/json")
	}
	set("Idempotency-Key", r.Key)
	set("If-None-Match", r.ETag)
	// net/http repeats requests with an Idempotency-Key by itself when a connection breaks; what is sent
	// again is to be the demonstration's own doing, and on its record.
	request.GetBody = nil
	response, err := b.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	return response, nil
}
