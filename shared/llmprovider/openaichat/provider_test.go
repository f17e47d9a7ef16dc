package openaichat_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
)

func TestNewSaysEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := openaichat.New(openaichat.Options{LimitMember: "limit", MaxInputTokens: -1})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"address", "model", "clock", "limit", "negative"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	good := openaichat.Options{BaseURL: "http://127.0.0.1:1/v1", Model: model, Now: time.Now}
	if _, err := openaichat.New(good); err != nil {
		t.Errorf("a usable configuration: %v", err)
	}
}

func TestKeyIsOptional(t *testing.T) {
	t.Parallel()
	server := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now})
	if _, err := newProvider(t, openaichat.Options{BaseURL: server.BaseURL}).Call(t.Context(), llmprovider.Request{Prompt: prompt()}); err != nil {
		t.Error(err)
	}
}

func prompt() llmprovider.Prompt {
	return llmprovider.Prompt{
		Instruction: "Answer from the document.",
		Document:    llmprovider.DocumentText{ID: "d-1", Title: "Rules <draft> & notes", Version: 4, Text: "1. Rules\n\nThe “board” decides. 👍🏽"},
		History:     []llmprovider.Turn{{Question: "Who?", Answer: "The board."}},
		Question:    "Who decides?",
		Version:     1,
	}
}

// The bytes of a request belong to the prompt version: a release that sends other
// bytes for a task that was accepted before it breaks "the same at every attempt".
func TestRequestBytes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options openaichat.Options
		request llmprovider.Request
	}{
		"document":        {openaichat.Options{}, llmprovider.Request{}},
		"stream":          {openaichat.Options{Stream: true, MaxOutputTokens: 800}, llmprovider.Request{}},
		"limit of a task": {openaichat.Options{MaxOutputTokens: 800, LimitMember: openaichat.MaxCompletionTokens}, llmprovider.Request{MaxOutputTokens: 50, Model: "other-model"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{"sk-1"}})
			test.options.BaseURL = server.BaseURL + "/"
			test.options.Key = func(context.Context) (string, error) { return "sk-1", nil }
			test.request.Prompt = prompt()
			if _, err := newProvider(t, test.options).Call(t.Context(), test.request); err != nil {
				t.Fatal(err)
			}
			sent := server.Requests()[0]
			conformance.Golden(t, "request_"+strings.ReplaceAll(name, " ", "_")+".json", sent.Body)
			var headers []string
			for name := range sent.Header {
				headers = append(headers, name)
			}
			slices.Sort(headers)
			if want := []string{"Accept", "Connection", "Content-Length", "Content-Type", "User-Agent"}; !slices.Equal(headers, want) {
				t.Errorf("headers beside the key: %v", headers)
			}
		})
	}
}

// raw answers one call with these bytes.
func raw(t *testing.T, stream bool, body string) (llmprovider.Answer, error) {
	t.Helper()
	server := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now})
	if err := server.Script("", fakeopenai.Step{Action: fakeopenai.Raw, Body: &body}); err != nil {
		t.Fatal(err)
	}
	return newProvider(t, openaichat.Options{BaseURL: server.BaseURL, Stream: stream}).Call(t.Context(), llmprovider.Request{Prompt: prompt()})
}

// What servers other than OpenAI's send, and what some send that they should not.
func TestAnswersOfCompatibleServers(t *testing.T) {
	t.Parallel()
	const done = "data: [DONE]\n\n"
	tests := []struct {
		name   string
		stream bool
		body   string
		want   string           // an answer
		kind   llmprovider.Kind // or a failure
	}{
		{"members that nobody knows", false, `{"x":1,"error":null,"choices":[{"index":0,"message":{"content":"a","reasoning_content":"r"},"finish_reason":"stop"}]}`, "a", 0},
		{"no model, no usage", false, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", 0},
		{"the first choice counts", false, `{"choices":[{"index":1,"message":{"content":"b"},"finish_reason":"stop"},{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", 0},
		{"empty refusal", false, `{"choices":[{"message":{"content":"a","refusal":""},"finish_reason":"stop"}]}`, "a", 0},
		{"call of a tool", false, `{"choices":[{"message":{"content":null,"tool_calls":[{}]},"finish_reason":"tool_calls"}]}`, "", llmprovider.Permanent},
		{"error as a text", false, `{"error":"model runner has stopped"}`, "", llmprovider.Ambiguous},
		{"content in parts", false, `{"choices":[{"message":{"content":[{"type":"text","text":"a"}]},"finish_reason":"stop"}]}`, "", llmprovider.Ambiguous},
		{"negative counts", false, `{"usage":{"prompt_tokens":-5,"completion_tokens":9223372036854775807},"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", 0},
		{"a model's name of a novel", false, `{"model":"` + strings.Repeat("m", 1000) + `","choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", 0},

		{"lines end with CR LF", true, strings.ReplaceAll(`data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\n"+done, "\n", "\r\n"), "a", 0},
		{"comments to keep the connection", true, ": ping\n\n" + `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n: ping\n\n" + done, "a", 0},
		{"usage in every chunk", true, `data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3}}` + "\n\n" + `data: {"choices":[{"delta":{},"finish_reason":"length"}],"usage":{"prompt_tokens":4}}` + "\n\n" + done, "a", 0},
		{"reason, and no end", true, `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\n", "", llmprovider.Ambiguous},
		{"last line without its line end", true, `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]", "", llmprovider.Ambiguous},
		{"end, and no reason", true, `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n" + done, "", llmprovider.Ambiguous},
		{"nothing but the end", true, done, "", llmprovider.Empty},
		{"overloaded after text", true, `data: {"choices":[{"delta":{"content":"a"}}]}` + "\n\n" + `data: {"error":{"code":"slow_down"}}` + "\n\n" + done, "", llmprovider.Ambiguous},
		{"a document in place of a stream", true, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "", llmprovider.Ambiguous},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer, err := raw(t, test.stream, test.body)
			if answer.Text != test.want || test.kind != 0 && llmprovider.AsError(err).Kind != test.kind {
				t.Fatalf("got %+v, %v", answer, err)
			}
			if test.kind == 0 && (err != nil || answer.Model != model || answer.InputTokens < 0) {
				t.Errorf("got %+v, %v", answer, err)
			}
		})
	}
}

// A server that knows no streams answers with a document, and says so.
func TestDocumentWhereAStreamWasAskedFor(t *testing.T) {
	t.Parallel()
	provider, err := openaichat.New(openaichat.Options{BaseURL: "http://provider.invalid", Model: model, Now: time.Now, Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := provider.Decode(t.Context(), llmprovider.Response{
		Status: 200, Header: map[string][]string{"Content-Type": {"application/json; charset=utf-8"}},
		Body: []byte(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`),
	})
	if err != nil || answer.Text != "a" {
		t.Errorf("got %+v, %v", answer, err)
	}
}
