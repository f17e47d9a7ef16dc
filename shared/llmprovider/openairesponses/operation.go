package openairesponses

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/pausing"
	"github.com/replyonce/replyonce/shared/worktask"
)

// errHandBack is why a call stops waiting for a response that goes on.
var errHandBack = errors.New("the task is given back while the response runs")

// await saves the id of a background response and reads it until it ends. An id
// that the store refused is known to nobody else, so its response is cancelled; one
// whose saving failed may be stored all the same.
func (p *Provider) await(ctx context.Context, r llmprovider.Request, o object) (llmprovider.Answer, error) {
	saved, err := p.save(ctx, r, o.ID)
	if err != nil {
		failure := &llmprovider.Error{Kind: llmprovider.Ambiguous, Err: fmt.Errorf("save id of response %s: %w", o.ID, err)}
		if _, refused := errors.AsType[*worktask.RefusedError](err); refused {
			return p.abandon(ctx, o.ID, failure)
		}
		return llmprovider.Answer{}, failure
	}
	if !o.running() {
		return p.judge(ctx, o)
	}
	waiting, stop := ctx, context.CancelFunc(func() {})
	if saved && p.options.HandBack > 0 {
		waiting, stop = context.WithTimeoutCause(ctx, p.options.HandBack, errHandBack)
	}
	defer stop()
	answer, err := p.poll(waiting, o.ID)
	if err == nil {
		return answer, nil
	}
	return p.stopped(ctx, o.ID, llmprovider.AsError(err))
}

// save hands the id over. A context that has just ended is no reason to lose it.
func (p *Provider) save(ctx context.Context, r llmprovider.Request, id string) (saved bool, err error) {
	if r.SaveOperation == nil {
		return false, nil
	}
	ctx, stop := lingering(ctx, p.options.Grace)
	defer stop()
	if err := r.SaveOperation(ctx, id); err != nil {
		return false, err
	}
	return true, nil
}

// lingering returns a context that ends a grace after ctx.
func lingering(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	outliving, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(context.Cause(ctx))
		case <-outliving.Done():
		}
	})
	return outliving, func() {
		stop()
		cancel(context.Canceled)
	}
}

// poll reads the response until it ends or ctx does. Reading has no effect, so a
// read that failed is made again.
func (p *Provider) poll(ctx context.Context, id string) (llmprovider.Answer, error) {
	wait := p.options.PollInterval
	pause := wait
	for {
		if err := pausing.For(ctx, pause); err != nil {
			return llmprovider.Answer{}, &llmprovider.Error{
				Kind: llmprovider.Ambiguous, Err: fmt.Errorf("wait for response %s: %w", id, err),
			}
		}
		answer, err := p.Lookup(ctx, id)
		if err == nil {
			return answer, nil
		}
		failure := llmprovider.AsError(err)
		if failure.Kind == llmprovider.NotFound {
			// It was taken on a moment ago, so "unknown" does not mean "never ran".
			failure.Kind = llmprovider.Ambiguous
		}
		if failure.Kind != llmprovider.StillRunning {
			return llmprovider.Answer{}, failure
		}
		wait = min(wait+wait/2, p.options.MaxPoll)
		pause = max(wait, failure.RetryAfter)
	}
}
