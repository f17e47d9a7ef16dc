package virtual

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/tokenverify"
)

// gateway turns a browser's requests into proxy events, each for an API process
// of its own.
type gateway struct{ w *World }

// tokenLife is longer than any drill lets pass.
const tokenLife = 10 * 365 * 24 * time.Hour

// errNoAnswer is what a browser sees of a process that died.
var errNoAnswer = errors.New("the connection ended without an answer")

// RoundTrip implements http.RoundTripper.
func (g gateway) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	_ = r.Body.Close()     // only read
	defer g.w.queue.wake() // there may be work now, for the dispatcher too
	p := g.w.apiProcess()
	var answer events.APIGatewayProxyResponse
	if !p.invoke(g.w.options.Timers.APILimit, func(ctx context.Context) { answer, _ = p.api().Handle(ctx, g.event(r, string(sent))) }) {
		return nil, errNoAnswer
	}
	p.cancel()
	header := http.Header{}
	for name, value := range answer.Headers {
		header.Set(name, value)
	}
	for name, values := range answer.MultiValueHeaders {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return &http.Response{
		StatusCode: answer.StatusCode, Status: http.StatusText(answer.StatusCode), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(answer.Body)), ContentLength: int64(len(answer.Body)), Request: r,
	}, nil
}

// apiProcess is a process for one request.
func (w *World) apiProcess() *process {
	w.mu.Lock()
	w.apis++
	name := fmt.Sprintf("api-%d", w.apis)
	w.mu.Unlock()
	return w.place(name)
}

// event is the documented proxy event.
func (g gateway) event(r *http.Request, body string) events.APIGatewayProxyRequest {
	headers, multi := map[string]string{}, map[string][]string{}
	for name, values := range r.Header {
		headers[name], multi[name] = values[len(values)-1], values
	}
	user, workspace, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "@")
	return events.APIGatewayProxyRequest{
		Resource: "/{proxy+}", Path: r.URL.Path, HTTPMethod: r.Method, Headers: headers, MultiValueHeaders: multi, Body: body,
		RequestContext: events.APIGatewayProxyRequestContext{
			RequestID: g.w.newID(), Stage: "prod", Path: r.URL.Path, HTTPMethod: r.Method,
			Authorizer: map[string]any{
				tokenverify.ContextCaller: user, tokenverify.ContextWorkspace: workspace,
				tokenverify.ContextExpiresAt: strconv.FormatInt(g.w.now().Add(tokenLife).Unix(), 10),
			},
		},
	}
}
