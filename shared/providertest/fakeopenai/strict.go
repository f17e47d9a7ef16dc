package fakeopenai

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// allowedHeaders are those that the API description, HTTP and OpenAI's own clients
// know. X-Stainless-* is what the official SDKs say about themselves.
var allowedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Length", "Content-Type", "User-Agent",
}

// checkHeaders returns what is wrong with the headers. The key is another matter:
// a wrong one is answered with 401 and is no violation.
func checkHeaders(r *http.Request, withBody, ignoreKeys bool) []string {
	var wrong []string
	for name, values := range r.Header {
		ignored := ignoreKeys && slices.Contains(fakewire.KeyHeaders, name)
		if !ignored && !slices.Contains(allowedHeaders, name) && !strings.HasPrefix(name, "X-Stainless-") {
			wrong = append(wrong, fmt.Sprintf("header %s is not part of the API", name))
		}
		if len(values) > 1 {
			wrong = append(wrong, fmt.Sprintf("header %s is there %d times", name, len(values)))
		}
	}
	if len(r.TransferEncoding) > 0 {
		wrong = append(wrong, "the body has no length")
	}
	if accept := r.Header.Get("Accept"); accept != "" && !strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/event-stream") {
		wrong = append(wrong, fmt.Sprintf("accepts %q and no answer of this API", accept))
	}
	switch mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case withBody && (err != nil || mediaType != "application/json"):
		wrong = append(wrong, fmt.Sprintf("content type %q", r.Header.Get("Content-Type")))
	case !withBody && r.ContentLength != 0:
		wrong = append(wrong, fmt.Sprintf("a body of %d bytes where there is none", r.ContentLength))
	}
	slices.Sort(wrong)
	return wrong
}

// retryCountHeader is how OpenAI's SDKs number the requests of one call.
const retryCountHeader = "X-Stainless-Retry-Count"

// message is a turn of the conversation in both APIs.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// responseRequest holds the members of POST /responses that a question about a
// document needs. The API has more; here they are violations.
type responseRequest struct {
	Model           string    `json:"model"`
	Instructions    string    `json:"instructions"`
	Input           []message `json:"input"`
	MaxOutputTokens *int      `json:"max_output_tokens"`
	Background      *bool     `json:"background"`
	Store           *bool     `json:"store"`
	Stream          *bool     `json:"stream"`
}

// chatRequest is the same for POST /chat/completions.
type chatRequest struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	MaxTokens           *int           `json:"max_tokens"`
	MaxCompletionTokens *int           `json:"max_completion_tokens"`
	Stream              *bool          `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// job is a request that was understood.
type job struct {
	asked        Asked
	stream       bool
	includeUsage bool
	background   bool
	store        bool
	maxTokens    int
}

func decodeStrictly(body []byte, into any) error {
	if err := json.Unmarshal(body, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}

func readResponseRequest(body []byte) (job, []string) {
	var raw responseRequest
	if err := decodeStrictly(body, &raw); err != nil {
		return job{}, []string{err.Error()}
	}
	wrong := checkTurns(raw.Input)
	if raw.Store == nil {
		wrong = append(wrong, "store is left to a default that depends on the project")
	}
	j := job{
		stream: isTrue(raw.Stream), background: isTrue(raw.Background), store: isTrue(raw.Store),
		asked: Asked{System: raw.Instructions, Model: raw.Model},
	}
	if j.background && !j.store {
		wrong = append(wrong, "background without store: the result is gone after the polling window")
	}
	if j.background && j.stream {
		wrong = append(wrong, "background with stream is not offered here")
	}
	if raw.MaxOutputTokens != nil {
		if j.maxTokens = *raw.MaxOutputTokens; j.maxTokens < 16 {
			wrong = append(wrong, "max_output_tokens is below 16")
		}
	}
	return finishJob(j, raw.Input, wrong)
}

func readChatRequest(body []byte) (job, []string) {
	var raw chatRequest
	if err := decodeStrictly(body, &raw); err != nil {
		return job{}, []string{err.Error()}
	}
	var wrong []string
	j := job{stream: isTrue(raw.Stream), asked: Asked{Model: raw.Model}}
	turns := raw.Messages
	if len(turns) > 0 && turns[0].Role == "system" {
		j.asked.System = turns[0].Content
		turns = turns[1:]
	}
	wrong = append(wrong, checkTurns(turns)...)
	switch {
	case raw.MaxTokens != nil && raw.MaxCompletionTokens != nil:
		wrong = append(wrong, "both max_tokens and max_completion_tokens")
	case raw.MaxTokens != nil:
		j.maxTokens = *raw.MaxTokens
	case raw.MaxCompletionTokens != nil:
		j.maxTokens = *raw.MaxCompletionTokens
	}
	if j.maxTokens < 0 {
		wrong = append(wrong, "a negative limit of tokens")
	}
	if raw.StreamOptions != nil {
		j.includeUsage = raw.StreamOptions.IncludeUsage
		if !j.stream {
			wrong = append(wrong, "stream_options without stream")
		}
	}
	return finishJob(j, turns, wrong)
}

func finishJob(j job, turns []message, wrong []string) (job, []string) {
	if j.asked.Model == "" {
		wrong = append(wrong, "no model")
	}
	if strings.TrimSpace(j.asked.System) == "" {
		wrong = append(wrong, "no instruction for the system role")
	}
	for _, turn := range turns {
		j.asked.Turns = append(j.asked.Turns, llmprovider.ChatTurn{Role: llmprovider.ChatRole(turn.Role), Text: turn.Content})
	}
	return j, wrong
}

// checkTurns asks for what the strictest chat templates ask for: turns that
// alternate, begin and end with the user, none of them blank.
func checkTurns(turns []message) []string {
	var wrong []string
	if len(turns)%2 == 0 {
		wrong = append(wrong, fmt.Sprintf("%d turns do not begin and end with the user", len(turns)))
	}
	for i, turn := range turns {
		want := "user"
		if i%2 == 1 {
			want = "assistant"
		}
		if turn.Role != want {
			wrong = append(wrong, fmt.Sprintf("turn %d has the role %q, want %q", i+1, turn.Role, want))
		}
		if strings.TrimSpace(turn.Content) == "" {
			wrong = append(wrong, fmt.Sprintf("turn %d is blank", i+1))
		}
	}
	return wrong
}

func isTrue(b *bool) bool { return b != nil && *b }
