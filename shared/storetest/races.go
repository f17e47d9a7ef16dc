package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func raceCases() []Case {
	return []Case{
		{"Races/oneOfManyClaims", oneOfManyClaims},
		{"Races/oneTakeover", oneTakeover},
		{"Races/oneEnd", oneEnd},
		{"Races/oneBump", oneBump},
	}
}

// race makes all writes at once and returns the one that landed. Every other
// one must be refused.
func (e *Env) race(ctx context.Context, ref worktask.Ref, writes []worktask.Transition) (worktask.Transition, error) {
	errs := make([]error, len(writes))
	var all sync.WaitGroup
	for i, tr := range writes {
		all.Go(func() { _, errs[i] = e.Apply(ctx, ref, tr) })
	}
	all.Wait()
	var f faults
	var landed worktask.Transition
	for i, err := range errs {
		refused, isRefused := errors.AsType[*taskflow.ConditionError](err)
		switch {
		case err == nil && landed != nil:
			f.add(fmt.Errorf("%s and %s have both landed", landed.Name(), writes[i].Name()))
		case err == nil:
			landed = writes[i]
		case !isRefused:
			f.add(err)
		case refused.Seen == nil && !e.HidesOldItem:
			f.add(fmt.Errorf("%s was refused by nothing", writes[i].Name()))
		}
	}
	if landed == nil {
		f.add(errors.New("no write has landed"))
	}
	return landed, f.err()
}

// settle races the writes and compares the task with the winner's effect.
func (e *Env) settle(ctx context.Context, before worktask.Task, writes []worktask.Transition) error {
	if err := e.seed(ctx, before); err != nil {
		return err
	}
	landed, err := e.race(ctx, before.Ref, writes)
	if err != nil {
		return err
	}
	if err := e.wantTask(ctx, "after a race won by "+landed.Name(), e.after(landed, stored(before))); err != nil {
		return err
	}
	return e.checkIndex(ctx)
}

func claims(n int) []worktask.Transition {
	var all []worktask.Transition
	for i := range n {
		all = append(all, claim(fmt.Sprintf("assignment-%d", i)))
	}
	return all
}

func oneOfManyClaims(ctx context.Context, e *Env) error {
	return e.settle(ctx, task(e.ref()), claims(60))
}

func oneTakeover(ctx context.Context, e *Env) error {
	t := claimedTask(e.ref(), mineID, mine, variations()[0])
	t.Status, t.LeaseExpiresAt = worktask.Running, now().Add(-margin)
	own := claimed(t.Ref, mineID, mine)
	return e.settle(ctx, t, append(claims(30), own.Complete(now(), worktask.Result{Body: "late"}, report), own.Renew(now(), now().Add(lease))))
}

// oneEnd: saving, failing, cancelling and ending at the same instant, the lease
// still holding.
func oneEnd(ctx context.Context, e *Env) error {
	t := claimedTask(e.ref(), mineID, mine, variations()[0])
	t.Status, t.LeaseExpiresAt, t.Deadline = worktask.Running, now().Add(lease), now()
	own := claimed(t.Ref, mineID, mine)
	var writes []worktask.Transition
	for range 8 {
		writes = append(writes,
			own.Complete(now(), worktask.Result{Body: "saved"}, report),
			own.Fail(now(), worktask.Declined, true, report),
			worktask.Cancel{Now: now()},
			worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByWorker, Now: now(), Margin: margin},
		)
	}
	return e.settle(ctx, t, writes)
}

// oneBump: dispatchers that saw one due time publish once.
func oneBump(ctx context.Context, e *Env) error {
	t := task(e.ref())
	var writes []worktask.Transition
	for i := range 20 {
		writes = append(writes, worktask.Bump{Seen: storedTime(t.HandoffDueAt), Due: now().Add(time.Duration(i+60) * time.Second)})
	}
	return e.settle(ctx, t, writes)
}
