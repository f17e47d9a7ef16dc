package taskflow_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func TestOneAnswerIsSaved(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("because", 25*time.Second))
		r.wantAction(r.run(), taskflow.Delete)
		got := r.wantTask(worktask.Completed, "", 1, 1)
		if got.Result.Body != "because" || got.Tokens.Output != 7 || got.Budget.CallsKnown != 1 {
			t.Errorf("saved %+v, tokens %+v, budget %+v", got.Result, got.Tokens, got.Budget)
		}
		if want := "claim renew renew complete"; r.tasks.writes() != want {
			t.Errorf("writes %q, want %q", r.tasks.writes(), want)
		}
		r.wantAction(r.run(), taskflow.Delete) // D08: redelivery after the save
		r.wantTask(worktask.Completed, "", 1, 1)
	})
}

// TestD05DoubleDelivery delivers one message twice at once.
func TestD05DoubleDelivery(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("because", 5*time.Second))
		actions := make([]taskflow.Action, 2)
		var both sync.WaitGroup
		for i := range actions {
			both.Go(func() { actions[i] = r.run() })
		}
		both.Wait()
		r.wantAction(actions[0], taskflow.Delete)
		r.wantAction(actions[1], taskflow.Delete)
		r.wantTask(worktask.Completed, "", 1, 1)
	})
}

// TestD06D07Takeover: the worker is gone after the claim, or after the answer.
func TestD06D07Takeover(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("lost", 0), answer("because", time.Second))
		r.claimAndDie()
		r.wantAction(r.run(), taskflow.Delete) // the lease holds: leave it alone
		r.wantTask(worktask.Running, "", 1, 0)
		time.Sleep(r.timers.Lease)
		r.wantAction(r.run(), taskflow.Delete) // within the margin: still held
		time.Sleep(r.timers.SkewMargin)
		r.wantAction(r.run(), taskflow.Delete)
		got := r.wantTask(worktask.Completed, "", 2, 1)
		if got.UnknownCalls() != 1 || got.Budget.AttemptsLeft != 2 {
			t.Errorf("unknown calls %d, attempts left %d; want 1 and 2", got.UnknownCalls(), got.Budget.AttemptsLeft)
		}
	})
}

// claimAndDie leaves the task as a worker that died after its claim does.
func (r *rig) claimAndDie() {
	r.t.Helper()
	now := time.Now()
	_, err := r.mem.Apply(context.Background(), r.ref, worktask.Claim{
		AssignmentID: r.newID(), Now: now, LeaseUntil: now.Add(r.timers.Lease), Margin: r.timers.SkewMargin,
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// TestCaseI5KilledMidRun: neither stuck for ever nor repeated without a limit.
func TestCaseI5KilledMidRun(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("never", time.Second))
		for range 2 {
			r.claimAndDie()
			time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		}
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Failed, worktask.OutcomeUnknown, 3, 0)
	})
	virtually(t, worktask.StopUnknown, func(r *rig) {
		r.provider.then(deaf("lost", 0))
		r.claimAndDie()
		got := r.task()
		a, _ := worktask.AssignmentOf(got, got.AssignmentID)
		if _, err := r.mem.Apply(context.Background(), r.ref, a.Begin(time.Now())); err != nil {
			t.Fatal(err)
		}
		time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Failed, worktask.OutcomeUnknown, 1, 0)
	})
}

// TestD11WakesUpReplaced: the sleeper's answer is refused by the version
// although the slot is empty, and leaves evidence.
func TestD11WakesUpReplaced(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		sleeper := r.worker(nil)
		sleeper.Timers.RenewEvery = time.Hour // frozen: no renewals
		r.provider.then(deaf("late", 40*time.Second), answer("because", 20*time.Second))
		var slept sync.WaitGroup
		slept.Go(func() { r.wantAction(r.runOn(sleeper), taskflow.Delete) })
		time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		r.wantAction(r.run(), taskflow.Delete)
		slept.Wait()
		if got := r.wantTask(worktask.Completed, "", 2, 2); got.Result.Body != "because" {
			t.Errorf("saved %q", got.Result.Body)
		}
		kept, err := r.mem.ListEvidence(context.Background(), r.ref)
		if err != nil || len(kept) != 1 || kept[0].AssignmentVersion != 1 || kept[0].Bytes != 4 {
			t.Errorf("evidence %+v, %v", kept, err)
		}
	})
}

// TestFrozenInTheMiddleOfItsSave: the time of the write is over when the worker
// wakes up; it still learns that it was replaced and keeps the evidence.
func TestFrozenInTheMiddleOfItsSave(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("late", time.Second), answer("because", time.Second))
		r.tasks.on("complete", fault{before: func() { time.Sleep(40 * time.Second) }})
		var frozen sync.WaitGroup
		frozen.Go(func() { r.wantAction(r.run(), taskflow.Delete) })
		time.Sleep(time.Second + r.timers.Lease + r.timers.SkewMargin)
		r.wantAction(r.run(), taskflow.Delete)
		frozen.Wait()
		r.wantTask(worktask.Completed, "", 2, 2)
		if kept, err := r.mem.ListEvidence(context.Background(), r.ref); err != nil || len(kept) != 1 || kept[0].AssignmentVersion != 1 {
			t.Errorf("evidence %+v, %v", kept, err)
		}
	})
}

// TestD12WakesUpNotReplaced: refused by the lease; the task stays claimable.
func TestD12WakesUpNotReplaced(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		sleeper := r.worker(nil)
		sleeper.Timers.RenewEvery = time.Hour
		r.provider.then(deaf("late", 40*time.Second), answer("because", time.Second))
		r.wantAction(r.runOn(sleeper), taskflow.Back)
		r.wantTask(worktask.Running, "", 1, 1)
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Completed, "", 2, 2)
	})
}

func TestD14UnknownOutcome(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Ambiguous}), answer("because", time.Second))
		action := r.run()
		r.wantAction(action, taskflow.Wait)
		r.wantAction(r.run(), taskflow.Wait) // D17: too early uses nothing
		r.wantTask(worktask.Pending, "", 1, 1)
		time.Sleep(action.After)
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Completed, "", 2, 2)
	})
	virtually(t, worktask.StopUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Ambiguous}))
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Failed, worktask.OutcomeUnknown, 1, 1)
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Failed, worktask.OutcomeUnknown, 1, 1)
	})
}

// TestD15LookUp: killed after the operation id was saved.
func TestD15LookUp(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.StopUnknown, func(r *rig) {
		r.provider.then(func(ctx context.Context, save func(context.Context, string) error) worktask.Outcome {
			if err := save(ctx, "op-1"); err != nil {
				t.Error(err)
			}
			return worktask.Outcome{Kind: worktask.Ambiguous} // nobody saw the end, but there is an id
		})
		r.provider.lookUp = func(_ context.Context, id string) worktask.Outcome {
			if r.provider.lookups == 1 {
				return worktask.Outcome{Kind: worktask.OperationRuns}
			}
			return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: id}}
		}
		for range 2 {
			action := r.run()
			r.wantAction(action, taskflow.Wait)
			time.Sleep(action.After)
		}
		r.wantAction(r.run(), taskflow.Delete)
		got := r.wantTask(worktask.Completed, "", 3, 1)
		if got.Result.Body != "op-1" || got.Budget.Calls() != 1 || got.Budget.Attempts() != 1 {
			t.Errorf("saved %q with %d calls, %d attempts; want one of each", got.Result.Body, got.Budget.Calls(), got.Budget.Attempts())
		}
	})
}

// TestD17RetryAfter: not earlier than told, and an absurd wait fails at once.
func TestD17RetryAfter(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Rejected, RetryAfter: 90 * time.Second}), answer("because", time.Second))
		action := r.run()
		if action.Kind != taskflow.Wait || action.After != 90*time.Second {
			t.Errorf("action %+v, want a wait of 90s", action)
		}
		if got := r.wantTask(worktask.Pending, "", 1, 1); got.Budget.Attempts() != 0 {
			t.Errorf("a rejected call used %d attempts", got.Budget.Attempts())
		}
		time.Sleep(action.After)
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Completed, "", 2, 2)
	})
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Rejected, RetryAfter: 54524 * time.Second}))
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Failed, worktask.DeadlineOver, 1, 1)
	})
}

// TestD18AlwaysFails: the exact number of calls, and none after the end.
func TestD18AlwaysFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		kind  worktask.OutcomeKind
		calls int
	}{{"refused every time", worktask.Rejected, 8}, {"empty every time", worktask.Retryable, 4}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			virtually(t, worktask.RetryUnknown, func(r *rig) {
				r.provider.then(ends(worktask.Outcome{Kind: c.kind}))
				for !r.task().Status.Ended() {
					time.Sleep(r.run().After)
				}
				r.wantTask(worktask.Failed, worktask.AttemptsExhausted, int64(c.calls), c.calls)
				r.wantAction(r.run(), taskflow.Delete)
				r.wantTask(worktask.Failed, worktask.AttemptsExhausted, int64(c.calls), c.calls)
			})
		})
	}
}

// TestD20DeadlinePassesWhileQueued: no call for a task that is over.
func TestD20DeadlinePassesWhileQueued(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.TaskDeadline)
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Failed, worktask.DeadlineOver, 0, 0)
	})
}

// TestD21CaseM9Cancel: the call is cancelled at the next renewal, and an answer
// that comes all the same is refused.
func TestD21CaseM9Cancel(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("unwanted", 25*time.Second))
		start := time.Now()
		time.AfterFunc(5*time.Second, func() {
			if _, err := r.mem.Apply(context.Background(), r.ref, worktask.Cancel{Now: time.Now()}); err != nil {
				t.Error(err)
			}
		})
		r.wantAction(r.run(), taskflow.Delete)
		if took := time.Since(start); took != r.timers.RenewEvery {
			t.Errorf("the call ended after %s, want at the first renewal", took)
		}
		r.wantTask(worktask.Cancelled, "", 2, 1)
	})
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(deaf("unwanted", 5*time.Second))
		time.AfterFunc(time.Second, func() {
			if _, err := r.mem.Apply(context.Background(), r.ref, worktask.Cancel{Now: time.Now()}); err != nil {
				t.Error(err)
			}
		})
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Cancelled, "", 2, 1)
		if kept, err := r.mem.ListEvidence(context.Background(), r.ref); err != nil || len(kept) != 1 {
			t.Errorf("evidence %v, %v", kept, err)
		}
	})
}

// TestCaseS1LostAcknowledgements: D09 and D10. A write that landed is found by
// reading, and nothing is done twice.
func TestCaseS1LostAcknowledgements(t *testing.T) {
	t.Parallel()
	for _, write := range []string{"claim", "begin", "renew", "complete"} {
		t.Run(write, func(t *testing.T) {
			t.Parallel()
			virtually(t, worktask.StopUnknown, func(r *rig) {
				r.tasks.on(write, fault{lose: storeerror.ErrWriteUnknown})
				r.provider.then(answer("because", 15*time.Second))
				r.wantAction(r.run(), taskflow.Delete)
				r.wantTask(worktask.Completed, "", 1, 1)
				if n := strings.Count(r.tasks.writes(), write); n != 1 {
					t.Errorf("%s was written %d times", write, n)
				}
			})
		})
	}
	for _, write := range []string{"claim", "complete"} {
		t.Run("the SDK's second try of "+write+" is refused", func(t *testing.T) {
			t.Parallel()
			virtually(t, worktask.RetryUnknown, func(r *rig) {
				r.tasks.on(write, fault{lose: &taskflow.ConditionError{Transition: write}})
				r.provider.then(answer("because", time.Second))
				r.wantAction(r.run(), taskflow.Delete)
				r.wantTask(worktask.Completed, "", 1, 1)
			})
		})
	}
	t.Run("release", func(t *testing.T) {
		t.Parallel()
		virtually(t, worktask.RetryUnknown, func(r *rig) {
			r.tasks.on("release", fault{lose: storeerror.ErrWriteUnknown})
			r.provider.then(ends(worktask.Outcome{Kind: worktask.Rejected}))
			r.wantAction(r.run(), taskflow.Wait)
			if got := r.task(); got.Budget.AttemptsLeft != r.timers.Attempts {
				t.Errorf("attempts left %d, want %d: one attempt given back once", got.Budget.AttemptsLeft, r.timers.Attempts)
			}
		})
	})
}

// TestClaimLostThenCancelled: the id on the item is mine, the task is not.
func TestClaimLostThenCancelled(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("never", time.Second))
		r.tasks.on("claim", fault{lose: storeerror.ErrWriteUnknown})
		cancelled := r.worker(nil)
		cancelled.Writer.Tasks = cancelAfterClaim{r}
		r.wantAction(r.runOn(cancelled), taskflow.Delete)
		r.wantTask(worktask.Cancelled, "", 2, 0)
	})
}

type cancelAfterClaim struct{ r *rig }

func (c cancelAfterClaim) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	if _, err := c.r.mem.Apply(ctx, ref, worktask.Cancel{Now: time.Now()}); err != nil {
		return worktask.Task{}, err
	}
	return c.r.tasks.Get(ctx, ref)
}

func (c cancelAfterClaim) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	return c.r.tasks.Apply(ctx, ref, tr)
}

// TestCaseW5RenewalFails: nobody tells the work that the lease is going, so the
// watchdog does, whether renewals fail or hang.
func TestCaseW5RenewalFails(t *testing.T) {
	t.Parallel()
	refusing := make([]fault, 20)
	for i := range refusing {
		refusing[i] = fault{drop: errors.New("network is down")}
	}
	hanging := make([]fault, 20)
	for i := range hanging {
		hanging[i] = fault{before: func() { time.Sleep(9 * time.Second) }, drop: errors.New("no answer")}
	}
	for name, faults := range map[string][]fault{"fails": refusing, "hangs": hanging} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtually(t, worktask.RetryUnknown, func(r *rig) {
				r.tasks.on("renew", faults...)
				start := time.Now()
				r.provider.then(answer("late", 70*time.Second), answer("because", time.Second))
				action := r.run()
				// The call ends with the lease; a renewal under way is waited for.
				if took := time.Since(start); took < 25*time.Second || took > r.timers.Lease {
					t.Errorf("the attempt ended after %s, want between 25s and the lease's end", took)
				}
				r.wantAction(action, taskflow.Wait)
				time.Sleep(action.After)
				r.wantAction(r.run(), taskflow.Delete)
				r.wantTask(worktask.Completed, "", 2, 2)
			})
		})
	}
}

// TestCaseW8FinalWriteHasItsOwnContext: the call ends by the function's time,
// and the unknown outcome is on the task before the process is stopped.
func TestCaseW8FinalWriteHasItsOwnContext(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("never", time.Hour))
		ctx, cancel := context.WithTimeout(context.Background(), r.timers.WorkerLimit)
		defer cancel()
		w := r.worker(nil)
		start := time.Now()
		action := w.Run(ctx, taskflow.Delivery{
			Ref: r.ref, ReceiveCount: 1, FunctionEnds: start.Add(r.timers.WorkerLimit), Hold: func(context.Context) {},
		})
		r.wantAction(action, taskflow.Wait)
		if took := time.Since(start); took > r.timers.CallLimit {
			t.Errorf("the attempt took %s, the call limit is %s", took, r.timers.CallLimit)
		}
		r.wantTask(worktask.Pending, "", 1, 1)
	})
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("never", time.Hour))
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(3*time.Second, cancel) // the runtime takes the context away
		r.wantAction(r.worker(nil).Run(ctx, taskflow.Delivery{
			Ref: r.ref, ReceiveCount: 1, FunctionEnds: time.Now().Add(r.timers.WorkerLimit), Hold: func(context.Context) {},
		}), taskflow.Wait)
		r.wantTask(worktask.Pending, "", 1, 1)
	})
}

func TestTooLittleFunctionTimeIsNotClaimed(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		w := r.worker(nil)
		action := w.Run(context.Background(), taskflow.Delivery{Ref: r.ref, FunctionEnds: time.Now().Add(r.timers.WorkerReserve), Hold: func(context.Context) {}})
		r.wantAction(action, taskflow.Back)
		r.wantTask(worktask.Pending, "", 0, 0)
	})
}

// TestCaseS7TwoClocks: a fast clock takes over early, which is safe; a step of
// the wall clock between two renewals changes nothing.
func TestCaseS7TwoClocks(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("first", 25*time.Second), answer("second", 25*time.Second))
		fast := r.worker(func() time.Duration { return 40 * time.Second })
		var slow sync.WaitGroup
		slow.Go(func() { r.run() })
		time.Sleep(time.Second)
		r.wantAction(r.runOn(fast), taskflow.Delete)
		slow.Wait()
		if got := r.wantTask(worktask.Completed, "", 2, 2); got.Result.Body != "second" {
			t.Errorf("saved %q", got.Result.Body)
		}
	})
	for _, step := range []time.Duration{-120 * time.Second, 120 * time.Second} {
		virtually(t, worktask.RetryUnknown, func(r *rig) {
			start := time.Now()
			stepped := r.worker(func() time.Duration {
				if time.Since(start) > 5*time.Second {
					return step
				}
				return 0
			})
			r.provider.then(answer("because", 60*time.Second))
			r.wantAction(r.runOn(stepped), taskflow.Delete)
			r.wantTask(worktask.Completed, "", 1, 1)
			if n := strings.Count(r.tasks.writes(), "renew"); n < 5 {
				t.Errorf("%d renewals in a minute after a step of %s", n, step)
			}
		})
	}
}

// TestCaseW4NothingOutlivesTheHandler: synctest fails the test when a goroutine
// of the attempt is left behind.
func TestCaseW4NothingOutlivesTheHandler(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("because", 15*time.Second))
		r.run()
		before := r.tasks.writes()
		time.Sleep(10 * time.Minute) // frozen and thawed
		if after := r.tasks.writes(); after != before {
			t.Errorf("after the handler returned: %q", strings.TrimPrefix(after, before))
		}
	})
}

func TestPrepareFails(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.prepare = errors.New("store is down")
		r.wantAction(r.run(), taskflow.Wait)
		if got := r.wantTask(worktask.Pending, "", 1, 0); got.Budget.AttemptsLeft != r.timers.Attempts {
			t.Errorf("attempts left %d although nothing was sent", got.Budget.AttemptsLeft)
		}
	})
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.prepare = &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: errors.New("gone")}
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Failed, worktask.DocumentUnreadable, 1, 0)
	})
}

func TestLargeResultGoesToObjectStorage(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		large := strings.Repeat("x", taskflow.InlineResultLimit+1)
		r.provider.then(answer(large, 0))
		r.wantAction(r.run(), taskflow.Delete)
		got := r.wantTask(worktask.Completed, "", 1, 1)
		if got.Result.Body != "" || !strings.HasSuffix(got.Result.ObjectKey, got.AssignmentID) {
			t.Errorf("result %+v: the key must contain the assignment id", got.Result)
		}
		body, err := r.mem.GetObject(context.Background(), got.Result.ObjectKey)
		if err != nil || string(body) != large {
			t.Errorf("object of %d bytes, %v", len(body), err)
		}
	})
}

// TestCaseW1ReceiveCountIsNoBudget: a message that was refused for want of
// concurrency forty times has used nothing, and one that was dead-lettered
// leaves a task that the dispatcher still finds.
func TestCaseW1ReceiveCountIsNoBudget(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Rejected}), answer("because", time.Second))
		w := r.worker(nil)
		w.Run(context.Background(), taskflow.Delivery{
			Ref: r.ref, ReceiveCount: 40, FunctionEnds: time.Now().Add(r.timers.WorkerLimit), Hold: func(context.Context) {},
		})
		if got := r.task().Budget; got.AttemptsLeft != r.timers.Attempts || got.CallsLeft != r.timers.Calls-1 {
			t.Errorf("budget after one rejected call: %+v", got)
		}
		time.Sleep(r.timers.HandoffGrace + time.Minute) // the message is in the dead-letter queue
		if s := r.dispatcher().Dispatch(context.Background()); s.Published != 1 {
			t.Fatalf("the dispatcher did not find the task: %+v", s)
		}
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Completed, "", 2, 2)
		// D19: the dead-lettered copy is redriven after the end.
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Completed, "", 2, 2)
	})
}

// TestD22UnknownTask: a message whose task is gone is kept for the dead-letter
// queue, and nothing is created.
func TestD22UnknownTask(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		w := r.worker(nil)
		gone := r.ref
		gone.ID = "01JDX000000000000000000000"
		r.wantAction(w.Run(context.Background(), taskflow.Delivery{
			Ref: gone, ReceiveCount: 1, FunctionEnds: time.Now().Add(r.timers.WorkerLimit), Hold: func(context.Context) {},
		}), taskflow.Back)
		if n := len(r.mem.Snapshot().Tasks); n != 1 {
			t.Errorf("%d tasks in the store", n)
		}
	})
}
