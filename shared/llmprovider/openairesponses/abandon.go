package openairesponses

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/worktask"
)

// stopped is a call that ended without an answer. If it gave the task back, it says
// when to look again; if the task has ended, the response is cancelled.
func (p *Provider) stopped(ctx context.Context, id string, failure *llmprovider.Error) (llmprovider.Answer, error) {
	if errors.Is(failure, errHandBack) {
		failure.RetryAfter = max(failure.RetryAfter, p.options.LookAgain)
	}
	if taskEnded(context.Cause(ctx)) && failure.Kind == llmprovider.Ambiguous {
		return p.abandon(ctx, id, failure)
	}
	return llmprovider.Answer{}, failure
}

// taskEnded: the task is over, so nobody will look the response up. A worker that
// was only replaced, or whose lease ran out, leaves its response to its successor.
//
//	A: starts response r, saves it, is replaced by B.
//	A: cancels r.    B: looks r up, finds it cancelled, and pays for another.
func taskEnded(cause error) bool {
	return errors.Is(cause, worktask.ErrCancelled) || errors.Is(cause, worktask.ErrAlreadyFailed) ||
		errors.Is(cause, worktask.ErrAlreadyCompleted)
}

// abandon cancels a response that nobody waits for and returns failure with what it
// is known to have cost. A response that had ended before is returned as the answer
// that it is: it was paid for, and the store decides what becomes of it.
func (p *Provider) abandon(ctx context.Context, id string, failure *llmprovider.Error) (llmprovider.Answer, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), p.options.Grace)
	defer stop()
	response, err := p.ask(ctx, func(options ...option.RequestOption) error {
		_, err := p.service.Cancel(ctx, id, options...)
		return err
	})
	if err != nil || response.Status != http.StatusOK {
		failure.Err = fmt.Errorf("%w; cancelling it failed", failure.Err)
		return llmprovider.Answer{}, failure
	}
	o, err := decode(response.Body, requestID(response))
	if err != nil || o.running() {
		return llmprovider.Answer{}, failure
	}
	if answer, err := p.judge(ctx, o); err == nil {
		return answer, nil
	}
	failure.Spend = o.spend()
	return llmprovider.Answer{}, failure
}
