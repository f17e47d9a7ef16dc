package scripted_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

func TestNewRefusesOptionsThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]scripted.Options{
		"no address":  {Now: time.Now},
		"no scheme":   {BaseURL: "127.0.0.1:8080", Now: time.Now},
		"other kind":  {BaseURL: "file:///etc/passwd", Now: time.Now},
		"no host":     {BaseURL: "http://", Now: time.Now},
		"not a URL":   {BaseURL: "http://a b", Now: time.Now},
		"no clock":    {BaseURL: "http://127.0.0.1:1"},
		"bad escapes": {BaseURL: "http://127.0.0.1:1/%zz", Now: time.Now},
	} {
		if _, err := scripted.New(options); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestConnectNeedsAServerThatStatesItsCapability(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"another server": http.NotFound,
		"not JSON":       func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"duplicate keys": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"lookup":true,"lookup":false}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			_, err := scripted.Connect(t.Context(), scripted.Options{BaseURL: server.URL, Now: time.Now})
			if err == nil {
				t.Error("connected")
			}
		})
	}
}

// newAgainst returns an adapter for a server that answers everything with this.
func newAgainst(t testing.TB, status int, mediaType, body string) *scripted.Provider {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	provider, err := scripted.New(scripted.Options{
		BaseURL: server.URL + "/", Now: time.Now, PollInterval: time.Millisecond,
		Capability: llmprovider.Capability{Lookup: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

// An answer that cannot be understood was paid for all the same.
func TestUnreadableAnswerIsAmbiguous(t *testing.T) {
	t.Parallel()
	const document, stream = scripted.MediaTypeDocument, scripted.MediaTypeStream
	tests := []struct{ name, mediaType, body string }{
		{"no media type", "", `{"text":"a","stop_reason":"stop"}`},
		{"error page", "text/html", "<html>"},
		{"nothing", document, ""},
		{"half a document", document, `{"text":"a"`},
		{"two documents", document, `{"text":"a","stop_reason":"stop"}{"text":"b","stop_reason":"stop"}`},
		{"duplicate member", document, `{"text":"a","text":"b","stop_reason":"stop"}`},
		{"bad UTF-8", document, "{\"text\":\"a\xff\",\"stop_reason\":\"stop\"}"},
		{"lone surrogate", document, `{"text":"\ud83d","stop_reason":"stop"}`},
		{"number for the text", document, `{"text":1,"stop_reason":"stop"}`},
		{"text without a stop reason", document, `{"text":"a"}`},
		{"empty stream", stream, ""},
		{"stream without an end", stream, `{"line":"piece","text":"a"}` + "\n"},
		{"stream cut in a line", stream, `{"line":"piece","text":"a"}` + "\n" + `{"line":"e`},
		{"unknown line", stream, `{"line":"progress"}` + "\n"},
		{"error without details", stream, `{"line":"error"}` + "\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := newAgainst(t, http.StatusOK, test.mediaType, test.body).Call(t.Context(), llmprovider.Request{})
			if got := llmprovider.AsError(err); got == nil || got.Kind != llmprovider.Ambiguous {
				t.Errorf("got %v, want ambiguous", err)
			}
		})
	}
}

func TestAcceptedNeedsAnIDThatCanBeLookedUp(t *testing.T) {
	t.Parallel()
	_, err := newAgainst(t, http.StatusAccepted, scripted.MediaTypeDocument, `{"status":"running"}`).Call(t.Context(), llmprovider.Request{})
	if got := llmprovider.AsError(err); got == nil || got.Kind != llmprovider.Ambiguous {
		t.Errorf("without an id: got %v, want ambiguous", err)
	}
}

// Only the protocol's own "not found" is definite. Whatever else goes wrong with
// a look-up, the operation may be there, and reading again is free.
func TestLookupOutcomes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		body   string
		want   llmprovider.Kind
	}{
		{"not found", 404, `{"error":{"type":"not_found"}}`, llmprovider.NotFound},
		{"not found by an intermediary", 404, `<html>`, llmprovider.StillRunning},
		{"server error", 500, `{"error":{"type":"internal"}}`, llmprovider.StillRunning},
		{"rate limited", 429, `{"error":{"type":"rate_limited"}}`, llmprovider.StillRunning},
		{"not signed in", 401, `{"error":{"type":"authentication"}}`, llmprovider.StillRunning},
		{"running", 200, `{"operation":"o","status":"running"}`, llmprovider.StillRunning},
		{"half a document", 200, `{"operation":"o"`, llmprovider.StillRunning},
		{"unknown state", 200, `{"operation":"o","status":"paused"}`, llmprovider.Ambiguous},
		{"completed without an answer", 200, `{"operation":"o","status":"completed"}`, llmprovider.Ambiguous},
		{"completed and empty", 200, `{"operation":"o","status":"completed","answer":{"text":"","stop_reason":"stop"}}`, llmprovider.Empty},
		{"failed: overloaded", 200, `{"operation":"o","status":"failed","error":{"type":"overloaded"}}`, llmprovider.Rejected},
		{"failed: unknown type", 200, `{"operation":"o","status":"failed","error":{"type":"new"}}`, llmprovider.Ambiguous},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := newAgainst(t, test.status, scripted.MediaTypeDocument, test.body).Lookup(t.Context(), "o/../p?q")
			if got := llmprovider.AsError(err); got == nil || got.Kind != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestLookupEscapesTheOperationID(t *testing.T) {
	t.Parallel()
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.EscapedPath()
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	provider, err := scripted.New(scripted.Options{
		BaseURL: server.URL, Now: time.Now, Capability: llmprovider.Capability{Lookup: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = provider.Lookup(t.Context(), "../answers?x=1")
	if want := scripted.PathOperations + "..%2Fanswers%3Fx=1"; path != want {
		t.Errorf("asked for %s, want %s", path, want)
	}
}

// FuzzAnswer feeds whole responses to the adapter: it must never panic, never
// return half an answer as a whole one, and never an error of another type.
func FuzzAnswer(f *testing.F) {
	f.Add(200, scripted.MediaTypeDocument, `{"id":"a","model":"m","text":"t","stop_reason":"stop","usage":{"input_tokens":1,"output_tokens":2}}`)
	f.Add(200, scripted.MediaTypeDocument, `{"error":{"type":"overloaded"}}`)
	f.Add(200, scripted.MediaTypeStream, "{\"line\":\"piece\",\"text\":\"t\"}\n{\"line\":\"end\",\"stop_reason\":\"length\"}\n")
	f.Add(429, scripted.MediaTypeDocument, `{"error":{"type":"insufficient_quota"}}`)
	f.Add(200, "text/html; charset=\"", "\x00")
	provider, err := scripted.New(scripted.Options{BaseURL: "http://provider.invalid", Now: time.Now, Client: nil})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, mediaType, body string) {
		answer, err := provider.Decode(llmprovider.Response{
			Status: status, Header: http.Header{"Content-Type": {mediaType}}, Body: []byte(body),
		})
		if err == nil {
			if status != http.StatusOK || llmprovider.CheckAnswer(answer.Text, scripted.DefaultMaxReplyBytes) != nil {
				t.Fatalf("status %d, %q became the answer %q", status, body, answer.Text)
			}
			return
		}
		failure, ok := errors.AsType[*llmprovider.Error](err)
		if !ok || failure.Kind == llmprovider.StillRunning || failure.Kind == llmprovider.NotFound || answer.Text != "" {
			t.Fatalf("status %d, %q: %v with answer %q", status, body, err, answer.Text)
		}
	})
}
