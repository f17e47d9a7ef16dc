package explore

import (
	"fmt"

	"github.com/replyonce/replyonce/shared/worktask"
)

// safe decides on one write that has landed. It knows nothing of the engine's
// conditions and says in its own words what no write may do.
func safe(before, after worktask.Task, tr worktask.Transition) error {
	for _, rule := range []func(before, after worktask.Task, tr worktask.Transition) error{
		ended, oneResult, versionSteps, dueTime, budget, money, inTime, fenced, leases,
	} {
		if err := rule(before, after, tr); err != nil {
			return fmt.Errorf("%s: %w", tr.Name(), err)
		}
	}
	return nil
}

// ended: nothing is written to a task that has ended.
func ended(before, after worktask.Task, _ worktask.Transition) error {
	if before.Status.Ended() {
		return fmt.Errorf("the task was %s already and is %s now", before.Status, after.Status)
	}
	return nil
}

// oneResult decides P1.
func oneResult(before, after worktask.Task, tr worktask.Transition) error {
	_, completes := tr.(worktask.Completion)
	switch {
	case before.Result.Present() && after.Result != before.Result:
		return fmt.Errorf("P1: a saved result has changed")
	case after.Result.Present() && (!completes || after.Status != worktask.Completed):
		return fmt.Errorf("P1: a result without a completion")
	case after.Status == worktask.Completed && !after.Result.Present():
		return fmt.Errorf("P1: a completion without a result")
	}
	return nil
}

// versionSteps decides P3.
func versionSteps(before, after worktask.Task, tr worktask.Transition) error {
	want := before.AssignmentVersion
	switch tr.(type) {
	case worktask.Claim, worktask.LookupClaim, worktask.Cancel:
		want++
	}
	if after.AssignmentVersion != want {
		return fmt.Errorf("P3: the version goes from %d to %d", before.AssignmentVersion, after.AssignmentVersion)
	}
	return nil
}

// dueTime: a due time exactly while the task is open, moved by nobody who has
// not seen it.
func dueTime(before, after worktask.Task, tr worktask.Transition) error {
	if open := !after.Status.Ended(); after.HandoffDueAt.IsZero() == open {
		return fmt.Errorf("due time: %s and due %v", after.Status, after.HandoffDueAt)
	}
	bump, bumps := tr.(worktask.Bump)
	if bumps && !bump.Seen.Equal(before.HandoffDueAt) {
		return fmt.Errorf("due time: it was %v and its mover had seen %v", before.HandoffDueAt, bump.Seen)
	}
	return nil
}

// budget decides P6: what is left never grows, but for an attempt that a
// rejection gives back.
func budget(before, after worktask.Task, tr worktask.Transition) error {
	b, a := before.Budget, after.Budget
	attempts, calls := b.AttemptsLeft, b.CallsLeft
	switch tr := tr.(type) {
	case worktask.Claim:
		attempts, calls = attempts-1, calls-1
	case worktask.Release:
		if tr.Mode() == worktask.ReleaseRejected && !tr.Assignment().LookupOnly() {
			attempts++
		}
	}
	switch {
	case a.AttemptsLeft != attempts || a.CallsLeft != calls:
		return fmt.Errorf("P6: attempts left %d to %d, calls left %d to %d", b.AttemptsLeft, a.AttemptsLeft, b.CallsLeft, a.CallsLeft)
	case a.AttemptsLeft < 0 || a.CallsLeft < 0 || a.AttemptsLeft > a.AttemptLimit:
		return fmt.Errorf("P6: attempts left %d, calls left %d", a.AttemptsLeft, a.CallsLeft)
	case a.CallsKnown < b.CallsKnown || a.CallsKnown > a.Calls():
		return fmt.Errorf("P14: known calls %d to %d of %d", b.CallsKnown, a.CallsKnown, a.Calls())
	}
	return known(b, a, tr)
}

// money decides P6 for money: a call's claim takes what it costs at most, and
// only the end of a call gives something back, once, and never more than that.
func money(before, after worktask.Task, tr worktask.Transition) error {
	b, a := before.Money, after.Money
	back := a.Left - b.Left
	least, most := int64(0), int64(0)
	switch tr := tr.(type) {
	case worktask.Claim:
		least, most = -b.Call, -b.Call
	case worktask.Completion:
		most = b.Call
	case worktask.Failure:
		if tr.Known() {
			most = b.Call
		}
	case worktask.Release:
		switch tr.Mode() {
		case worktask.ReleaseRejected:
			least, most = b.Call, b.Call
		case worktask.ReleaseFailed:
			most = b.Call
		case worktask.ReleaseUnknown, worktask.ReleaseLookup, worktask.ReleaseLookupLost:
		}
	}
	switch {
	case a.Limit != b.Limit || a.Call != b.Call:
		return fmt.Errorf("P6: the limit of the money has changed")
	case back < least || back > most:
		return fmt.Errorf("P6: money left %d to %d", b.Left, a.Left)
	case a.Left < 0 || a.Left > a.Limit:
		return fmt.Errorf("P6: money left %d of %d", a.Left, a.Limit)
	}
	return nil
}

// known: a call whose end nobody saw stays unknown.
func known(before, after worktask.Budget, tr worktask.Transition) error {
	if after.CallsKnown == before.CallsKnown {
		return nil
	}
	release, releases := tr.(worktask.Release)
	if releases && !release.CallKnown() {
		return fmt.Errorf("P14: a call with an unknown end counts as known")
	}
	return nil
}

// inTime: nobody takes a task that is over by the taker's clock.
func inTime(before, _ worktask.Task, tr worktask.Transition) error {
	if claim, claims := tr.(worktask.Claim); claims && !claim.Now.Before(before.Deadline) {
		return fmt.Errorf("P6: claimed at %v, the deadline was %v", claim.Now, before.Deadline)
	}
	return nil
}

// fenced decides P2 and P10.
func fenced(before, _ worktask.Task, tr worktask.Transition) error {
	f, isFenced := tr.(interface {
		Assignment() worktask.Assignment
	})
	if !isFenced {
		return nil
	}
	switch {
	case before.Status != worktask.Running:
		return fmt.Errorf("P10: the task was %s", before.Status)
	case before.AssignmentVersion != f.Assignment().Version() || before.AssignmentID != f.Assignment().ID():
		return fmt.Errorf("P10: version %d wrote under version %d", f.Assignment().Version(), before.AssignmentVersion)
	}
	return nil
}

// leases: no worker writes after its lease, none takes or ends a task under
// another's lease and margin, and no lease gets shorter, each by its own clock.
func leases(before, after worktask.Task, tr worktask.Transition) error {
	late := false
	switch tr := tr.(type) {
	case interface {
		worktask.Transition
		Assignment() worktask.Assignment
	}:
		late = false
		if f, ok := tr.(clocked); ok {
			late = !f.Now().Before(before.LeaseExpiresAt)
		}
	case worktask.Claim:
		late = before.Status == worktask.Running && tr.Now.Before(before.LeaseExpiresAt.Add(tr.Margin))
	case worktask.LookupClaim:
		late = before.Status == worktask.Running && tr.Now.Before(before.LeaseExpiresAt.Add(tr.Margin))
	case worktask.End:
		late = before.Status == worktask.Running && tr.Now.Before(before.LeaseExpiresAt.Add(tr.Margin))
	}
	switch {
	case late:
		return fmt.Errorf("P2: written at the wrong side of the lease, which ends at %v", before.LeaseExpiresAt)
	case before.AssignmentVersion == after.AssignmentVersion && after.LeaseExpiresAt.Before(before.LeaseExpiresAt):
		return fmt.Errorf("lease: it got shorter")
	}
	return nil
}

// requested decides P8 and P14 when a request reaches the provider.
func requested(s *state) error {
	switch {
	case s.task.Money.Counted() && int64(s.provider.charged()) > s.task.Money.Taken():
		return fmt.Errorf("P6: the provider asks for %d, and %d were taken", s.provider.charged(), s.task.Money.Taken())
	case s.provider.sent > s.task.Budget.Calls():
		return fmt.Errorf("P8: request %d, and %d calls are recorded", s.provider.sent, s.task.Budget.Calls())
	case s.task.OnUnknown == worktask.StopUnknown && s.provider.unseen() > 1:
		return fmt.Errorf("P6: a request after one whose end nobody saw, under the policy stop")
	case s.provider.unseen() > s.task.Budget.UnknownRepeats+1:
		return fmt.Errorf("P6: %d requests whose end nobody saw", s.provider.unseen())
	}
	return nil
}

// deletable decides P7.
func deletable(t worktask.Task) error {
	if !t.Status.Ended() && t.HandoffDueAt.IsZero() {
		return fmt.Errorf("P7: a message was deleted, the task is %s and has no due time", t.Status)
	}
	return nil
}
