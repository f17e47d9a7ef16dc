package openairesponses

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
)

// judge decides what a response that does not run any more means.
func (p *Provider) judge(ctx context.Context, o object) (llmprovider.Answer, error) {
	text, refusal := p.written(ctx, o)
	if failure := p.verdict(ctx, o, text, refusal); failure != nil {
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
func (p *Provider) verdict(ctx context.Context, o object, text, refusal string) *llmprovider.Error {
	switch o.Status {
	case statusCompleted:
	case statusIncomplete:
		if failure := p.incomplete(ctx, o); failure != nil {
			return failure
		}
	case statusFailed:
		detail, _ := openaiapi.ParseErrorObject(o.Error)
		generated := text != "" || refusal != "" || o.spend() != llmprovider.Spend{}
		return openaiapi.Failure(ctx, detail, openaiapi.End{Final: true, Generated: generated, RequestID: o.requestID}, p.oddities)
	case statusCancelled:
		return llmprovider.ClassFailed.Error(errors.New("the response was cancelled"))
	default:
		p.oddities.Unknown(ctx, "response_status", o.Status, o.requestID)
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

// incompleteReasons are what the reasons of an incomplete response mean.
var incompleteReasons = map[string]outcometable.Ending{
	reasonMaxOutputTokens: outcometable.CutShort,
	reasonContentFilter:   outcometable.Declined,
}

// Outcomes is the table of the API's words, for documentation.
func Outcomes() outcometable.Table {
	return outcometable.Table{
		Provider: Name, Errors: openaiapi.Classes(),
		Endings: map[string]outcometable.Ending{
			statusCompleted:       outcometable.Complete,
			reasonMaxOutputTokens: incompleteReasons[reasonMaxOutputTokens],
			reasonContentFilter:   incompleteReasons[reasonContentFilter],
		},
	}
}

// incomplete is nil for an answer that was cut short.
func (p *Provider) incomplete(ctx context.Context, o object) *llmprovider.Error {
	reason := ""
	if o.IncompleteDetails != nil {
		reason = o.IncompleteDetails.Reason
	}
	switch incompleteReasons[reason] {
	case outcometable.CutShort:
		return nil
	case outcometable.Declined:
		return declined("the content filter stopped the answer")
	case outcometable.Complete, outcometable.ContextFull, outcometable.Unusable:
	}
	p.oddities.Unknown(ctx, "incomplete_reason", reason, o.requestID)
	return unusable(fmt.Errorf("the model stopped for %q, which this adapter cannot finish", openaiapi.PlainWord(reason)))
}

// written joins what the model wrote in its messages.
func (p *Provider) written(ctx context.Context, o object) (text, refusal string) {
	var texts, refusals strings.Builder
	for _, part := range o.parts {
		switch part.Type {
		case typeOutputText:
			texts.WriteString(part.Text)
		case typeRefusal:
			refusals.WriteString(part.Refusal)
		default:
			p.oddities.Unknown(ctx, "content_type", part.Type, o.requestID)
		}
	}
	return texts.String(), refusals.String()
}

func declined(what string) *llmprovider.Error {
	return llmprovider.ClassDeclined.Error(errors.New(what))
}
