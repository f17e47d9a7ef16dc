package replywork

import (
	"context"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/prices"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

// MaxReplyBytes is the longest reply that is saved, in bytes of its text.
const MaxReplyBytes = 2 << 20

// maxEncodedBytes is the longest reply as JSON: the API answers with the whole
// of it, and a Lambda function's answer has 6 MB at most. A text of quotes or
// control characters grows up to sixfold.
const maxEncodedBytes = 4 << 20

// work is one attempt at a reply.
type work struct {
	provider llmprovider.Provider
	price    *prices.Price // of the model that is asked; nil: it has none
	request  llmprovider.Request
}

// Call asks the provider once.
func (w work) Call(ctx context.Context, save func(ctx context.Context, operationID string) error) worktask.Outcome {
	request := w.request
	request.SaveOperation = save
	return w.outcome(w.provider.Call(ctx, request))
}

// LookUp reads how the saved operation ended.
func (w work) LookUp(ctx context.Context, operationID string) worktask.Outcome {
	return w.outcome(w.provider.Lookup(ctx, operationID))
}

func (w work) outcome(answer llmprovider.Answer, err error) worktask.Outcome {
	o := outcome(answer, err)
	o.Provider = w.provider.Name()
	o.Report.Cost = cost(w.price, o.Report.Tokens)
	return o
}

// outcome puts the end of a call into the engine's words.
func outcome(answer llmprovider.Answer, err error) worktask.Outcome {
	if failure := llmprovider.AsError(err); failure != nil {
		return failed(failure)
	}
	report := worktask.Report{
		Tokens:            worktask.Tokens{Input: int64(answer.InputTokens), Output: int64(answer.OutputTokens)},
		ProviderRequestID: answer.ProviderRequestID,
	}
	switch {
	case answer.Text == "":
		// "Response absent" is the condition of completion: an empty text must
		// never be a response.
		return worktask.Outcome{Kind: worktask.Retryable, Reason: worktask.EmptyReply, Report: report}
	case len(answer.Text) > MaxReplyBytes:
		return tooLarge(report)
	}
	body := reply.Result{
		Text: answer.Text, CutShort: answer.CutShort,
		Provider: answer.Provider, Model: answer.Model, LanguageModel: answer.LanguageModel,
	}.Encode()
	if len(body) > maxEncodedBytes {
		return tooLarge(report)
	}
	return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: body}, Report: report}
}

func tooLarge(report worktask.Report) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.ReplyTooLarge, Report: report}
}

// kinds maps the provider's classes to the engine's.
var kinds = map[llmprovider.Kind]worktask.OutcomeKind{
	llmprovider.Rejected:     worktask.Rejected,
	llmprovider.Ambiguous:    worktask.Ambiguous,
	llmprovider.Permanent:    worktask.Permanent,
	llmprovider.Declined:     worktask.Permanent,
	llmprovider.TooLarge:     worktask.Permanent,
	llmprovider.Empty:        worktask.Retryable,
	llmprovider.StillRunning: worktask.OperationRuns,
	llmprovider.NotFound:     worktask.OperationLost,
}

func failed(f *llmprovider.Error) worktask.Outcome {
	kind, known := kinds[f.Kind]
	if !known {
		kind = worktask.Ambiguous // the safe side: it may have run
	}
	return worktask.Outcome{
		Kind: kind, Reason: worktask.Reason(f.Reason), RetryAfter: f.RetryAfter, Err: f, Cause: causeOf(f),
		Report: worktask.Report{
			Tokens:            worktask.Tokens{Input: int64(f.Spend.InputTokens), Output: int64(f.Spend.OutputTokens)},
			ProviderRequestID: f.ProviderRequestID,
		},
	}
}
