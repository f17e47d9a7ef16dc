package openaichat_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
)

// FuzzAnswer feeds whole responses to the adapter: it must never panic, never
// return half an answer as a whole one, and never an error of another type.
func FuzzAnswer(f *testing.F) {
	f.Add(200, "application/json", `{"model":"m","choices":[{"index":0,"message":{"content":"t"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`)
	f.Add(200, "application/json", `{"error":{"code":"slow_down"}}`)
	f.Add(200, "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"t\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n")
	f.Add(200, "text/event-stream; charset=utf-8", "event: error\ndata: {\"error\":{\"type\":\"server_error\"}}\n\n")
	f.Add(429, "application/json", `{"error":{"type":"insufficient_quota","code":429}}`)
	f.Add(400, "application/json", `{"object":"error","message":"m","type":"BadRequestError","code":400}`)
	f.Add(200, "text/html; charset=\"", "\x00")
	provider, err := openaichat.New(openaichat.Options{BaseURL: "http://provider.invalid", Model: model, Now: time.Now})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, mediaType, body string) {
		answer, err := provider.Decode(t.Context(), llmprovider.Response{
			Status: status, Header: http.Header{"Content-Type": {mediaType}}, Body: []byte(body),
		})
		if err == nil {
			if status != http.StatusOK || llmprovider.CheckAnswer(answer.Text, openaichat.DefaultMaxReplyBytes) != nil {
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
