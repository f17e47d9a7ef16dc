package check

import (
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/worktask"
)

// endsInTime is P5.
func endsInTime(o Observations, v *verdict) string {
	for _, t := range o.Tasks {
		latest := t.Deadline.Add(o.Timers.RecoveryInterval())
		switch {
		case !t.Status.Ended():
			v.breaks("task %s is still %s", Short(t.ID), t.Status)
		case t.EndedAt.After(latest):
			v.breaks("task %s ended %s after its deadline", Short(t.ID), t.EndedAt.Sub(t.Deadline))
		}
	}
	v.tested(len(o.Tasks), "no task")
	return plural(len(o.Tasks), "task") + " ended"
}

// withinBudget is P6: what is left follows from what was claimed, whatever was sent again, delivered
// again or taken over, and it never goes below nothing.
func withinBudget(o Observations, v *verdict) string {
	calls, unknown := 0, 0
	for _, t := range o.Tasks {
		paid, givenBack := 0, 0
		for _, w := range o.writesOf(t.ID) {
			if w.Kind == journal.Claim && w.Landed {
				paid++
			}
		}
		for _, l := range o.linesOf(t.ID, LineReleased) {
			if worktask.ReleaseMode(l.Reason) == worktask.ReleaseRejected {
				givenBack++
			}
		}
		b := t.Budget
		switch {
		case b.Calls() != paid:
			v.breaks("task %s: %s, and %s recorded", Short(t.ID), plural(paid, "claim"), plural(b.Calls(), "call"))
		case b.Attempts() != paid-givenBack:
			v.breaks("task %s: %s, %d given back, and %s used", Short(t.ID), plural(paid, "claim"), givenBack, plural(b.Attempts(), "attempt"))
		case b.AttemptsLeft < 0 || b.CallsLeft < 0:
			v.breaks("task %s: %d attempts and %d calls left", Short(t.ID), b.AttemptsLeft, b.CallsLeft)
		case b.AttemptLimit != o.Timers.Attempts || b.CallLimit != o.Timers.Calls:
			v.breaks("task %s has limits of %d attempts and %d calls", Short(t.ID), b.AttemptLimit, b.CallLimit)
		case t.UnknownCalls() > b.UnknownRepeats+1:
			v.breaks("task %s: %d calls with an unknown end, %d may be repeated", Short(t.ID), t.UnknownCalls(), b.UnknownRepeats)
		}
		calls += b.Calls()
		unknown += t.UnknownCalls()
	}
	v.tested(unknown, "no call with an unknown end")
	return fmt.Sprintf("%s, %d with an unknown end", plural(calls, "call"), unknown)
}

// recordedBefore is P8: when the n-th request for a task arrives, n calls are on the task, which runs.
func recordedBefore(o Observations, v *verdict) string {
	arrived := map[string]int{}
	for _, r := range o.Requests {
		arrived[r.Task]++
		switch {
		case r.Task == "":
			v.breaks("provider request %s belongs to no task", r.ID)
		case r.Recorded < arrived[r.Task]:
			v.breaks("task %s: request %d arrived when %s recorded", Short(r.Task), arrived[r.Task], plural(r.Recorded, "call"))
		case r.Status != worktask.Running:
			v.breaks("task %s: request %d arrived when it was %s", Short(r.Task), arrived[r.Task], r.Status)
		}
	}
	v.tested(len(o.Requests), "no request to the provider")
	return plural(len(o.Requests), "request")
}

// lostResolved is P9: a task whose worker did not hear of its own writes was worked on once.
func lostResolved(o Observations, v *verdict) string {
	lost := 0
	for _, t := range o.Tasks {
		n := 0
		for _, w := range o.writesOf(t.ID) {
			if w.Lost && w.Landed {
				n++
			}
		}
		lost += n
		if n > 0 && (t.Status != worktask.Completed || t.AssignmentVersion != 1 || t.Budget.Calls() != 1 || o.requestsOf(t.ID) != 1) {
			v.breaks("task %s: %s lost, then %s, version %d, %s recorded and %s at the provider", Short(t.ID), plural(n, "acknowledgement"),
				t.Status, t.AssignmentVersion, plural(t.Budget.Calls(), "call"), plural(o.requestsOf(t.ID), "request"))
		}
	}
	v.tested(lost, "no acknowledgement was lost")
	return plural(lost, "lost acknowledgement")
}

// spendShown is P14: the task's counts against the provider's, and what the API shows against the task.
func spendShown(o Observations, v *verdict) string {
	requests, refused := 0, 0
	for _, t := range o.Tasks {
		n, calls, unknown := o.requestsOf(t.ID), t.Budget.Calls(), t.UnknownCalls()
		requests += n
		switch {
		case calls < n:
			v.breaks("task %s shows %s, the provider counted %d", Short(t.ID), plural(calls, "call"), n)
		case calls-n > unknown:
			v.breaks("task %s shows %s, the provider counted %d, and only %d have an unknown end", Short(t.ID), plural(calls, "call"), n, unknown)
		}
		refused += len(t.Evidence)
		evidenceKept(o, t, v)
		lastShown(o, t, v)
	}
	if requests != o.Counted {
		v.breaks("the provider counted %s, %d of them for the tasks", plural(o.Counted, "request"), requests)
	}
	v.tested(requests, "no request to the provider")
	v.tested(refused, "no answer was refused")
	return fmt.Sprintf("%s at the provider, %s on the tasks", plural(requests, "request"), plural(refused, "refused answer"))
}

// evidenceKept asks that every completion which the store refused has left evidence, whole.
func evidenceKept(o Observations, t Task, v *verdict) {
	kept := map[int64]worktask.Evidence{}
	for _, e := range t.Evidence {
		kept[e.AssignmentVersion] = e
		if digest, err := hex.DecodeString(e.SHA256); err != nil || len(digest) != 32 || e.Bytes <= 0 || e.Tokens.Output <= 0 {
			v.breaks("task %s: the evidence of version %d is not whole", Short(t.ID), e.AssignmentVersion)
		}
	}
	for _, w := range o.writesOf(t.ID) {
		if _, found := kept[w.Fence]; w.Kind == journal.Complete && w.Refused && !found {
			v.breaks("task %s: nothing is kept of the answer that version %d brought and the store refused", Short(t.ID), w.Fence)
		}
	}
}

// lastShown compares the last whole read of the task with the item.
func lastShown(o Observations, t Task, v *verdict) {
	var last *browser.Answer
	for _, a := range o.answersAbout(t.ID) {
		if a.Method == http.MethodGet && a.Status == http.StatusOK {
			last = &a
		}
	}
	if last == nil {
		v.breaks("task %s was never read", Short(t.ID))
		return
	}
	shown := last.Task.Spend
	if shown.Calls != t.Budget.Calls() || shown.CallsKnown != t.Budget.CallsKnown || shown.CallsUnknown != t.UnknownCalls() ||
		len(shown.RefusedAnswers) != len(t.Evidence) {
		v.breaks("task %s: the API shows %+v, which is not what is stored", Short(t.ID), shown)
	}
}
