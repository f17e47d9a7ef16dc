package providerkey

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// useOf is the context key of a call's *use.
type useOf struct{}

// use is what one call or look-up did with the key. It is filled in the goroutine
// of the call.
type use struct {
	key     string // that was given to it
	refused bool   // the provider has answered 401
}

func useIn(ctx context.Context) *use {
	if u, ok := ctx.Value(useOf{}).(*use); ok {
		return u
	}
	return &use{}
}

// Client returns a client like base that notices when the provider answers 401.
// Requests and answers are not changed.
func (s *Secret) Client(base *http.Client) *http.Client {
	watched := *base
	watched.Transport = transport{secret: s, base: base.Transport}
	return &watched
}

type transport struct {
	secret *Secret
	base   http.RoundTripper
}

// RoundTrip sends the request once.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	response, err := base.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		used := useIn(request.Context())
		used.refused = true
		t.secret.refuse(request.Context(), used.key)
	}
	return response, err //nolint:wrapcheck // a RoundTripper hands errors on
}

// Guard returns a provider like p whose calls are not lost to a key that was
// replaced: if a call was refused with 401 and the secret has another key by now,
// the call counts as rejected, which it was, and may be made again with the new
// one. The same key again is the operator's mistake and stays permanent. p must ask
// for its key by Key and send with the client that Client returned.
func (s *Secret) Guard(p llmprovider.Provider) llmprovider.Provider {
	return guarded{Provider: p, secret: s}
}

type guarded struct {
	llmprovider.Provider

	secret *Secret
}

// errReplaced is why a call that was refused may be made again.
var errReplaced = errors.New("the key was replaced, and another one will be used")

// Call asks once.
func (g guarded) Call(ctx context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	var used use
	answer, err := g.Provider.Call(context.WithValue(ctx, useOf{}, &used), r)
	failure := llmprovider.AsError(err)
	if failure == nil || failure.Kind != llmprovider.Permanent || !used.refused {
		return answer, err //nolint:wrapcheck // the provider's own outcome
	}
	if key, keyErr := g.secret.Key(ctx); keyErr != nil || key == used.key {
		return answer, err //nolint:wrapcheck // the provider's own outcome
	}
	rejected := *failure
	rejected.Kind, rejected.Reason = llmprovider.Rejected, ""
	rejected.Err = fmt.Errorf("%w: %w", errReplaced, failure.Err)
	return llmprovider.Answer{}, &rejected
}

// Lookup reads once. Its refusals need no other outcome: a look-up that failed is
// made again anyway, and then with the new key.
func (g guarded) Lookup(ctx context.Context, operationID string) (llmprovider.Answer, error) {
	return g.Provider.Lookup(context.WithValue(ctx, useOf{}, &use{}), operationID) //nolint:wrapcheck // the provider's own outcome
}
