package operator_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func request(ref worktask.Ref) operator.RetryRequest {
	return operator.RetryRequest{Task: ref, By: "arn:aws:iam::1:user/nina", Why: "the provider was down, is back"}
}

func (r *rig) retry(in operator.RetryRequest) operator.Retry {
	r.t.Helper()
	made, err := r.retrier().Retry(r.t.Context(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	return made
}

func (r *rig) refOf(made operator.Retry) worktask.Ref {
	return conversation.TaskRef(made.Workspace, r.conversation, made.TaskID)
}

// The new task is the caller's, has the whole budget, says who decided it, and
// brings the reply; the failed one stays as it ended.
func TestRetryIsANewTaskAndChangesNoEndedOne(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	failed, _ := r.ended(declined())
	before := r.task(failed)
	r.visible(r.main())
	r.clock.advance(time.Hour)
	made := r.retry(request(failed))
	if made.Replayed || !made.Published || made.TaskID == failed.ID {
		t.Fatalf("%+v", made)
	}
	if sent := r.visible(r.main()); len(sent) != 1 {
		t.Errorf("%d handoffs", len(sent))
	}
	fresh := r.task(r.refOf(made))
	if fresh.Caller != before.Caller || fresh.OnUnknown != before.OnUnknown || fresh.Status != worktask.Pending {
		t.Errorf("%+v", fresh)
	}
	if fresh.Budget != worktask.NewBudget(4, 8, 1) || fresh.Deadline.Sub(fresh.AcceptedAt) != r.product.Timers.TaskDeadline || !fresh.HandoffDueAt.Before(fresh.Deadline) {
		t.Errorf("budget %+v, deadline %s", fresh.Budget, fresh.Deadline)
	}
	r.script.then(ends(answered()))
	r.deliver(r.refOf(made))
	view, err := r.product.Conversations.Task(t.Context(), r.alice, r.conversation, made.TaskID)
	if err != nil || view.Status != "completed" || view.Reply.Text != secretReply {
		t.Errorf("the caller sees %+v, %v", view, err)
	}
	if after := r.task(failed); after != before {
		t.Errorf("the failed task is %+v, was %+v", after, before)
	}
}

// Who, when and why are on the new task, and workers read past them.
func TestRetryIsRecorded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	failed, _ := r.ended(declined())
	made := r.retry(request(failed))
	fresh, old := r.task(r.refOf(made)), r.task(failed)
	input, err := reply.DecodeInput(fresh.Input)
	former, formerErr := reply.DecodeInput(old.Input)
	if err != nil || formerErr != nil || input != former {
		t.Errorf("a worker reads %+v, %v; of the failed task %+v, %v", input, err, former, formerErr)
	}
	report := show(t, r.shower(), operator.Request{Task: r.refOf(made)})
	want := operator.Decision{
		Of: failed.ID, By: "arn:aws:iam::1:user/nina", Why: "the provider was down, is back", At: operator.Moment(fresh.AcceptedAt),
		Key: string(operator.DefaultRetryKey(failed.ID)),
	}
	if report.Retry == nil || *report.Retry != want || made.Decision != want {
		t.Errorf("shown %+v, told %+v, want %+v", report.Retry, made.Decision, want)
	}
	if i := report.Idempotency; i == nil || !i.MadeThisTask || i.Operation != operator.OperationRetry {
		t.Errorf("idempotency %+v", i)
	}
	if text := everything(t, report); !strings.Contains(text, "nina") || !strings.Contains(text, "is back") {
		t.Errorf("not printed:\n%s", text)
	}
	if report := show(t, r.shower(), operator.Request{Task: failed}); report.Retry != nil {
		t.Errorf("the failed task has a decision: %+v", report.Retry)
	}
}

// Two operators decide the same at once: one task.
func TestRetryIsMadeOncePerFailedTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	failed, _ := r.ended(declined())
	retrier := r.retrier()
	made, errs := make([]operator.Retry, 8), make([]error, 8)
	var group sync.WaitGroup
	for i := range made {
		group.Go(func() {
			in := request(failed)
			if i%2 == 1 {
				in.By, in.Why = "somebody else", "another reason"
			}
			made[i], errs[i] = retrier.Retry(context.WithoutCancel(t.Context()), in)
		})
	}
	group.Wait()
	first := 0
	for i := range made {
		if errs[i] != nil || made[i].TaskID != made[0].TaskID || made[i].Decision != made[0].Decision {
			t.Errorf("%+v, %v", made[i], errs[i])
		}
		if !made[i].Replayed {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d made it", first)
	}
	second := request(failed)
	second.Key = "once-more"
	if again := r.retry(second); again.Replayed || again.TaskID == made[0].TaskID {
		t.Errorf("under a key of its own: %+v", again)
	}
}

func TestRetryWithAnotherModel(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	failed, _ := r.ended(declined())
	in, model := request(failed), "m-2"
	in.Model = &model
	input, err := reply.DecodeInput(r.task(r.refOf(r.retry(in))).Input)
	if err != nil || input.Model != model {
		t.Errorf("%+v, %v", input, err)
	}
	if _, err := r.retrier().Retry(t.Context(), request(failed)); err == nil || !asMismatch(err) {
		t.Errorf("the same key for something else: %v", err)
	}
}

func asMismatch(err error) bool {
	_, ok := errors.AsType[*idempotency.MismatchError](err)
	return ok
}

func TestRetryAfterTheReplayWindow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	failed, _ := r.ended(declined())
	made := r.retry(request(failed))
	r.clock.advance(25 * time.Hour)
	_, err := r.retrier().Retry(t.Context(), request(failed))
	if over, ok := errors.AsType[*idempotency.WindowOverError](err); !ok || over.Location != made.Path {
		t.Errorf("%v", err)
	}
}

func TestRetryRefusesWhatIsNotFailed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	completed, _ := r.ended(answered())
	pending, _ := r.submit()
	cancelled, _ := r.submit()
	if _, err := r.product.Conversations.Cancel(t.Context(), r.alice, r.conversation, cancelled.ID); err != nil {
		t.Fatal(err)
	}
	for want, ref := range map[worktask.Status]worktask.Ref{
		worktask.Completed: completed, worktask.Pending: pending, worktask.Cancelled: cancelled,
	} {
		before := r.task(ref)
		_, err := r.retrier().Retry(t.Context(), request(ref))
		if refused, ok := errors.AsType[*operator.NotFailedError](err); !ok || refused.Status != want {
			t.Errorf("%s: %v", want, err)
		}
		if r.task(ref) != before {
			t.Errorf("%s: the task has changed", want)
		}
	}
	missing := pending
	missing.ID = noSuchTask
	if _, err := r.retrier().Retry(t.Context(), request(missing)); !errors.Is(err, storeerror.ErrNotFound) {
		t.Errorf("no task: %v", err)
	}
}

func TestRetryNeedsWhoAndWhy(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	failed, _ := r.ended(declined())
	for name, change := range map[string]func(*operator.RetryRequest){
		"nobody":     func(in *operator.RetryRequest) { in.By = "" },
		"no reason":  func(in *operator.RetryRequest) { in.Why = " " },
		"two lines":  func(in *operator.RetryRequest) { in.Why = "a\nb" },
		"a novel":    func(in *operator.RetryRequest) { in.Why = strings.Repeat("x", 501) },
		"no unicode": func(in *operator.RetryRequest) { in.By = "\xff" },
	} {
		in := request(failed)
		change(&in)
		if _, err := r.retrier().Retry(t.Context(), in); !asField(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func asField(err error) bool {
	_, ok := errors.AsType[*inputcheck.FieldError](err)
	return ok
}

// The queue is down: the task is there, and the dispatcher will publish it.
func TestRetryWithoutQueue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	failed, _ := r.ended(declined())
	retrier := r.retrier()
	retrier.Queue = brokenQueue{errors.New("no queue")}
	made, err := retrier.Retry(t.Context(), request(failed))
	if err != nil || made.Published || made.PublishError == "" {
		t.Fatalf("%+v, %v", made, err)
	}
	r.clock.advance(time.Minute)
	if sweep := r.product.Dispatcher.Dispatch(t.Context()); sweep.Published != 1 {
		t.Errorf("%+v", sweep)
	}
}
