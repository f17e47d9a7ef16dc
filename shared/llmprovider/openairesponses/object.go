package openairesponses

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
)

// object holds the members of a Response that matter here.
type object struct {
	ID                string             `json:"id"`
	Status            string             `json:"status"`
	Model             string             `json:"model"`
	Error             jsontext.Value     `json:"error"`
	IncompleteDetails *incompleteDetails `json:"incomplete_details"`
	Output            []outputItem       `json:"output"`
	Usage             *usage             `json:"usage"`

	parts []contentPart // of its messages
}

type incompleteDetails struct {
	Reason string `json:"reason"`
}

// outputItem is a message, or something else with a content of another shape:
// reasoning, a call of a tool.
type outputItem struct {
	Type    string         `json:"type"`
	Phase   string         `json:"phase"`
	Content jsontext.Value `json:"content"`
}

type contentPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

type usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

// Statuses of a Response.
const (
	statusQueued     = "queued"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

// Words inside a Response.
const (
	reasonMaxOutputTokens = "max_output_tokens"
	reasonContentFilter   = "content_filter"
	typeMessage           = "message"
	typeOutputText        = "output_text"
	typeRefusal           = "refusal"
	phaseCommentary       = "commentary" // on the way to an answer, and no part of it
)

func decode(body []byte) (object, error) {
	var o object
	if err := json.Unmarshal(body, &o); err != nil {
		return object{}, openaiapi.NotJSON("the response object", err)
	}
	for _, item := range o.Output {
		if item.Type != typeMessage || item.Phase == phaseCommentary {
			continue
		}
		var parts []contentPart
		if err := json.Unmarshal(item.Content, &parts); err != nil {
			return object{}, openaiapi.NotJSON("a message of the response object", err)
		}
		o.parts = append(o.parts, parts...)
	}
	return o, nil
}

// idShape is that of every id: it is stored, logged and put into an address.
var idShape = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

// running: these two statuses, and no others, are not the end.
func (o object) running() bool { return o.Status == statusQueued || o.Status == statusInProgress }

func (o object) spend() llmprovider.Spend {
	if o.Usage == nil {
		return llmprovider.Spend{}
	}
	return llmprovider.Spend{
		InputTokens: openaiapi.Tokens(o.Usage.InputTokens), OutputTokens: openaiapi.Tokens(o.Usage.OutputTokens),
	}
}

// judge decides what a response that does not run any more means.
func (p *Provider) judge(o object) (llmprovider.Answer, error) {
	text, refusal := p.written(o)
	if failure := p.verdict(o, text, refusal); failure != nil {
		failure.Spend = o.spend()
		return llmprovider.Answer{}, failure
	}
	spend := o.spend()
	return llmprovider.Answer{
		Text: text, CutShort: o.Status == statusIncomplete,
		Provider: Name, Model: o.Model, LanguageModel: true,
		InputTokens: spend.InputTokens, OutputTokens: spend.OutputTokens,
	}, nil
}

// verdict is nil for an answer.
func (p *Provider) verdict(o object, text, refusal string) *llmprovider.Error {
	switch o.Status {
	case statusCompleted:
	case statusIncomplete:
		if failure := p.incomplete(o); failure != nil {
			return failure
		}
	case statusFailed:
		detail, _ := openaiapi.ParseErrorObject(o.Error)
		generated := text != "" || refusal != "" || o.spend() != llmprovider.Spend{}
		return openaiapi.Failure(detail, openaiapi.End{Final: true, Generated: generated}, p.notices)
	case statusCancelled:
		return &llmprovider.Error{Kind: llmprovider.Empty, Err: fmt.Errorf("response %s was cancelled", openaiapi.PlainWord(o.ID))}
	default:
		p.notices.Unknown("status", openaiapi.PlainWord(o.Status))
		return unreadable(fmt.Sprintf("response with status %q", openaiapi.PlainWord(o.Status)))
	}
	if refusal != "" {
		return declined("the model refused to answer")
	}
	if err := llmprovider.CheckAnswer(text, p.options.MaxReplyBytes); err != nil {
		return llmprovider.AsError(err)
	}
	return nil
}

// incomplete is nil for an answer that was cut short.
func (p *Provider) incomplete(o object) *llmprovider.Error {
	reason := ""
	if o.IncompleteDetails != nil {
		reason = o.IncompleteDetails.Reason
	}
	switch reason {
	case reasonMaxOutputTokens:
		return nil
	case reasonContentFilter:
		return declined("the content filter stopped the answer")
	}
	p.notices.Unknown("incomplete_reason", openaiapi.PlainWord(reason))
	return unusable(fmt.Errorf("the model stopped for %q, which this adapter cannot finish", openaiapi.PlainWord(reason)))
}

// written joins what the model wrote in its messages.
func (p *Provider) written(o object) (text, refusal string) {
	var texts, refusals strings.Builder
	for _, part := range o.parts {
		switch part.Type {
		case typeOutputText:
			texts.WriteString(part.Text)
		case typeRefusal:
			refusals.WriteString(part.Refusal)
		default:
			p.notices.Unknown("content_type", openaiapi.PlainWord(part.Type))
		}
	}
	return texts.String(), refusals.String()
}

func declined(what string) *llmprovider.Error {
	return &llmprovider.Error{Kind: llmprovider.Declined, Reason: llmprovider.ReasonDeclined, Err: errors.New(what)}
}
