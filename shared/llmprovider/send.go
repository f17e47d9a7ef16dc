package llmprovider

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// Response is what came back for one request.
type Response struct {
	Status int
	Header http.Header
	// Body is whole for a successful status. For another status it is what could
	// be read of it: the status alone decides then.
	Body []byte
}

// Send makes one physical request and reads its answer of at most limit bytes.
// Without an answer it returns an *Error:
//
//   - Rejected if not even the request's headers were written: name resolution,
//     dialling, TLS, or an end of the context before the connection was ready.
//   - TooLarge if a successful answer is longer than limit.
//   - Ambiguous otherwise: the body may have arrived, so the model may have run.
//
// net/http reports written headers before it passes on the first byte of the
// body, and closes the connection before it returns an error. So "headers not
// written" proves that no provider holds the whole request, and the opposite
// proves nothing, which is the side to be wrong on.
func Send(client *http.Client, request *http.Request, limit int64) (Response, error) {
	var wroteHeaders atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { wroteHeaders.Store(true) }}
	ctx := request.Context()
	request = request.WithContext(httptrace.WithClientTrace(ctx, trace))
	request.GetBody = nil

	answer, err := client.Do(request) //nolint:gosec // the address is the operator's configuration
	if err != nil {
		kind := Rejected
		if wroteHeaders.Load() {
			kind = Ambiguous
		}
		return Response{}, &Error{Kind: kind, Err: withCause(ctx, "send provider request", err)}
	}
	defer answer.Body.Close()
	return readResponse(ctx, answer, limit)
}

func readResponse(ctx context.Context, answer *http.Response, limit int64) (Response, error) {
	response := Response{Status: answer.StatusCode, Header: answer.Header}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	response.Body = body
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		response.Body = body[:min(int64(len(body)), limit)]
		return response, nil
	}
	if err != nil {
		return response, &Error{Kind: Ambiguous, Err: withCause(ctx, "read provider answer", err)}
	}
	if int64(len(body)) > limit {
		return response, &Error{
			Kind:   TooLarge,
			Reason: ReasonReplyTooLarge,
			Err:    fmt.Errorf("provider answer is longer than %d bytes", limit),
		}
	}
	return response, nil
}

// withCause names why the context ended, if it did: net/http reports a bare
// "context canceled" for a watchdog, a cancel by the user and a deadline alike.
func withCause(ctx context.Context, operation string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%s: %w: %w", operation, cause, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}
