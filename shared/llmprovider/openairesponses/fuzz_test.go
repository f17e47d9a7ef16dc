package openairesponses_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
)

func addSeeds(f *testing.F) {
	f.Helper()
	f.Add(200, "application/json", `{"id":"resp_1","status":"completed","model":"m","output":[{"type":"message","content":[{"type":"output_text","text":"t"}]}],"usage":{"input_tokens":1}}`)
	f.Add(200, "application/json", `{"id":"resp_1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`)
	f.Add(200, "application/json", `{"id":"resp_1","status":"failed","error":{"code":"server_error","message":"m"}}`)
	f.Add(200, "application/json", `{"id":"resp_1","status":"queued"}`)
	f.Add(200, "text/event-stream", "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n")
	f.Add(200, "text/event-stream; charset=utf-8", "event: error\ndata: {\"type\":\"error\",\"code\":\"slow_down\"}\n\n")
	f.Add(404, "application/json", `{"error":{"type":"invalid_request_error","code":null}}`)
	f.Add(429, "application/json", `{"error":{"type":"insufficient_quota","code":429}}`)
	f.Add(200, "text/html; charset=\"", "\x00")
}

// FuzzAnswer feeds whole responses to the adapter: it must never panic, never
// return half an answer as a whole one, and never an error of another type.
func FuzzAnswer(f *testing.F) {
	addSeeds(f)
	provider := newProvider(f, openairesponses.Options{Foreground: true})
	f.Fuzz(func(t *testing.T, status int, mediaType, body string) {
		answer, err := provider.Decode(t.Context(), llmprovider.Response{
			Status: status, Header: http.Header{"Content-Type": {mediaType}}, Body: []byte(body),
		})
		if err == nil {
			if status != http.StatusOK || llmprovider.CheckAnswer(answer.Text, openairesponses.DefaultMaxReplyBytes) != nil {
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

// FuzzRead does the same for look-ups: only the API's own 404 is "not found", and no
// status but 200 says how a response ended.
func FuzzRead(f *testing.F) {
	addSeeds(f)
	provider := newProvider(f, openairesponses.Options{})
	f.Fuzz(func(t *testing.T, status int, mediaType, body string) {
		answer, failure := provider.Read(t.Context(), llmprovider.Response{
			Status: status, Header: http.Header{"Content-Type": {mediaType}}, Body: []byte(body),
		})
		switch {
		case failure == nil:
			if status != http.StatusOK || llmprovider.CheckAnswer(answer.Text, openairesponses.DefaultMaxReplyBytes) != nil {
				t.Fatalf("status %d, %q became the answer %q", status, body, answer.Text)
			}
		case answer.Text != "":
			t.Fatalf("status %d, %q: %v with answer %q", status, body, failure, answer.Text)
		case status != http.StatusOK && failure.Kind != llmprovider.StillRunning && (status != http.StatusNotFound || failure.Kind != llmprovider.NotFound):
			t.Fatalf("status %d, %q: %v", status, body, failure)
		}
	})
}
