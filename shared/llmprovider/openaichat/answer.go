package openaichat

import (
	"context"
	"errors"
	"fmt"
	"mime"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

const mediaStream = "text/event-stream"

// completion holds the members of an answer that matter. Others are ignored: every
// server adds some.
type completion struct {
	Model   string         `json:"model"`
	Choices []choice       `json:"choices"`
	Usage   *usage         `json:"usage"`
	Error   jsontext.Value `json:"error"`
}

type choice struct {
	Index        int       `json:"index"`
	Message      *fragment `json:"message"`
	FinishReason *string   `json:"finish_reason"`
}

// fragment is a message, or a piece of one in a stream.
type fragment struct {
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`
}

type usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
}

func (u *usage) spend() llmprovider.Spend {
	if u == nil {
		return llmprovider.Spend{}
	}
	return llmprovider.Spend{InputTokens: sdkcall.Tokens(u.PromptTokens), OutputTokens: sdkcall.Tokens(u.CompletionTokens)}
}

// outcome is what came back, whether as a document or as a stream.
type outcome struct {
	model   string
	found   bool // a choice was there
	text    string
	refusal string
	finish  string
	spend   llmprovider.Spend

	requestID string
}

// answer judges a response with status 200 by its media type: a server that knows
// no streams may answer with a document.
func (p *Provider) answer(ctx context.Context, response llmprovider.Response) (llmprovider.Answer, error) {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return llmprovider.Answer{}, unreadable("answer without a media type")
	}
	read := p.readDocument
	if mediaType == mediaStream {
		read = p.readStream
	}
	result, err := read(ctx, response)
	if err == nil {
		result.requestID = response.Header.Get(openaiapi.HeaderRequestID)
		err = p.judge(ctx, result)
	}
	if err != nil {
		failure := llmprovider.AsError(err)
		failure.Spend = result.spend
		return llmprovider.Answer{}, failure
	}
	return llmprovider.Answer{
		Text: result.text, CutShort: result.finish == finishLength,
		Provider: Name, Model: result.model, LanguageModel: true,
		ProviderRequestID: result.requestID,
		InputTokens:       result.spend.InputTokens, OutputTokens: result.spend.OutputTokens,
	}, nil
}

func (p *Provider) readDocument(ctx context.Context, response llmprovider.Response) (outcome, error) {
	var document completion
	if err := json.Unmarshal(response.Body, &document); err != nil {
		return outcome{}, openaiapi.NotJSON("the answer", err)
	}
	if isError(document.Error) {
		return outcome{}, p.failure(ctx, document.Error, openaiapi.End{RequestID: response.Header.Get(openaiapi.HeaderRequestID)})
	}
	result := outcome{model: document.Model, spend: document.Usage.spend()}
	for _, c := range document.Choices {
		if c.Index == 0 && !result.found {
			result.take(c.Message, c.FinishReason)
		}
	}
	return result, nil
}

// take adds a message, or a piece of one.
func (o *outcome) take(piece *fragment, finish *string) {
	o.found = true
	if piece != nil {
		o.text += deref(piece.Content)
		o.refusal += deref(piece.Refusal)
	}
	if reason := deref(finish); reason != "" {
		o.finish = reason
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Reasons for which a model stops (CreateChatCompletionResponse in the description).
const (
	finishStop          = "stop"
	finishLength        = "length"
	finishContentFilter = "content_filter"
	finishToolCalls     = "tool_calls"
	finishFunctionCall  = "function_call"
)

// endings are what these reasons mean for the text.
var endings = map[string]outcometable.Ending{
	finishStop:          outcometable.Complete,
	finishLength:        outcometable.CutShort,
	finishContentFilter: outcometable.Declined,
	finishToolCalls:     outcometable.Unusable,
	finishFunctionCall:  outcometable.Unusable,
}

// Outcomes is the table of the API's words, for documentation.
func Outcomes() outcometable.Table {
	return outcometable.Table{Provider: Name, Errors: openaiapi.Classes(), Endings: endings}
}

// judge decides whether there is an answer. Only two reasons to stop make one.
func (p *Provider) judge(ctx context.Context, result outcome) error {
	switch {
	case !result.found:
		return empty("answer without a choice")
	case result.refusal != "":
		return declined("the model refused to answer")
	}
	switch endings[result.finish] {
	case outcometable.Complete, outcometable.CutShort, outcometable.ContextFull:
		return llmprovider.CheckAnswer(result.text, p.options.MaxReplyBytes)
	case outcometable.Declined:
		return declined("the content filter stopped the answer")
	case outcometable.Unusable:
	default:
		if result.finish == "" && result.text == "" {
			return empty("answer without text and without a reason")
		}
		if result.finish == "" {
			return unreadable("text without a reason for its end")
		}
		p.oddities.Unknown(ctx, "finish_reason", result.finish, result.requestID)
	}
	return unusable(fmt.Errorf("the model stopped for %q, which this adapter cannot finish", openaiapi.PlainWord(result.finish)))
}

// isError: some gateways put an error into an answer with status 200, and others
// put null there.
func isError(value jsontext.Value) bool { return len(value) > 0 && value.Kind() != 'n' }

func (p *Provider) failure(ctx context.Context, value jsontext.Value, end openaiapi.End) error {
	detail, _ := openaiapi.ParseErrorObject(value)
	return openaiapi.Failure(ctx, detail, end, p.oddities)
}

// unreadable: the model ran, and what it said cannot be read.
func unreadable(what string) error {
	return llmprovider.ClassAmbiguous.Error(errors.New(what))
}

func empty(what string) error {
	return llmprovider.ClassNoText.Error(errors.New(what))
}

func declined(what string) error {
	return llmprovider.ClassDeclined.Error(errors.New(what))
}
