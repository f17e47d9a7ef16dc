package scripted_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

// fixed answers every request in one way.
type fixed struct {
	status    int
	mediaType string
	body      string
}

func (a fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: a.status, Header: http.Header{"Content-Type": {a.mediaType}}, Body: io.NopCloser(strings.NewReader(a.body)), Request: r,
	}, nil
}

// FuzzLookup feeds answers to a look-up, and statements of what the server can do.
// Only an answer that would be one of a call is one of a look-up.
func FuzzLookup(f *testing.F) {
	f.Add(200, `{"operation":"o","status":"completed","answer":{"text":"t","stop_reason":"stop"}}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		client := &http.Client{Transport: fixed{status, scripted.MediaTypeDocument, body}}
		options := scripted.Options{
			BaseURL: "http://provider.invalid", Now: time.Now, Client: client, Capability: llmprovider.Capability{Lookup: true},
		}
		provider, err := scripted.New(options)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := provider.Lookup(t.Context(), "o")
		_, ours := errors.AsType[*llmprovider.Error](err)
		switch {
		case err == nil && (status != http.StatusOK || llmprovider.CheckAnswer(answer.Text, scripted.DefaultMaxReplyBytes) != nil):
			t.Errorf("status %d, %q became the answer %q", status, body, answer.Text)
		case err != nil && (!ours || answer.Text != ""):
			t.Errorf("status %d, %q: %v with answer %q", status, body, err, answer.Text)
		}
		if _, err := scripted.Connect(t.Context(), options); err == nil && status != http.StatusOK {
			t.Errorf("connected by status %d", status)
		}
	})
}
