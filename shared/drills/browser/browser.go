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
	now    func() time.Time
	client *http.Client
	record func(Answer)
}

// Options describe where a browser finds the API and who sits in front of it.
type Options struct {
	Base      string // address of the stage, without a slash at the end
	Who       string // for the record, such as "ada@acme"
	Token     string // that the API takes; "" before the sign-in
	Now       func() time.Time
	Transport http.RoundTripper // nil: a network connection
	Record    func(Answer)      // gets every answer; nil: nobody
}

// New returns the browser of somebody who has a token.
func New(o Options) *Browser {
	if o.Transport == nil {
		o.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	}
	if o.Record == nil {
		o.Record = func(Answer) {}
	}
	return &Browser{
		Who: o.Who, base: o.Base, token: o.Token, now: o.Now, record: o.Record,
		client: &http.Client{Timeout: timeout, Transport: o.Transport},
	}
}

// SignIn signs a person in at the one-machine stack whose address is base. record gets every later answer.
func SignIn(ctx context.Context, base, user, workspace string, now func() time.Time, record func(Answer)) (*Browser, error) {
	b := New(Options{Base: base, Who: user + "@" + workspace, Now: now, Record: record})
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
	answer.At = b.now()
	if err != nil {
		answer.Err = fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
		return answer
	}
	answer.Status = response.StatusCode
	answer.Replayed = response.Header.Get("Idempotency-Replayed") == "true"
	answer.ETag = response.Header.Get("ETag")
	answer.Location = response.Header.Get("Location")
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
	// again is to be the caller's own doing, and on its record.
	request.GetBody = nil
	response, err := b.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	return response, nil
}
