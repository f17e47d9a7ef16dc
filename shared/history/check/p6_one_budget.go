package check

import (
	"fmt"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// oneBudget decides P6: there is one budget on the task, over all layers
// (attempts, calls, repeats after an unknown outcome, the deadline), and repeats
// of the browser, redelivery, takeover and redrive never refill it. Waiting is
// not an attempt.
//
// Each landed write is held against the item before it. A claim takes one
// attempt, one call and, where money is counted, what a call costs at most, and
// finds all of them, time before the deadline, and under the
// policy "stop" no open call. A release that was documented as a rejection gives
// its attempt back, once for the claim that paid it. Nothing else moves the
// counts, and limits, policy and deadline stay as accepted. "attempts_exhausted"
// is said only of a budget that is. A call is made only while the calls before it
// that nobody saw the end of are no more than may be repeated. What anybody sees
// of the calls that are left never grows.
func oneBudget(r *record, j *judgement) {
	for _, t := range r.tasks {
		for _, s := range t.steps {
			if s.before == nil {
				continue
			}
			j.decided()
			for _, check := range []func(history.Write, history.Item, history.Item) string{termsKept, countsMoved, moneyMoved, claimCovered, exhaustionTrue} {
				if why := check(s.write, *s.before, s.after); why != "" {
					j.broken(t.ref, at(s.seq), "%s by %s %s", s.write.Transition, s.actor, why)
				}
			}
		}
		repeatsBounded(t, j)
		callsLeftSeen(t, j)
	}
}

// termsKept: what accept has set.
func termsKept(_ history.Write, before, after history.Item) string {
	switch {
	case after.AttemptLimit != before.AttemptLimit, after.CallLimit != before.CallLimit, after.UnknownRepeats != before.UnknownRepeats:
		return "changed the limits of the budget"
	case after.MoneyLimit != before.MoneyLimit, after.CallMoney != before.CallMoney:
		return "changed what the task may cost"
	case after.Deadline != before.Deadline:
		return "moved the deadline"
	case after.OnUnknown != before.OnUnknown:
		return "changed the policy for unknown outcomes"
	}
	return ""
}

// countsMoved: the table of what each write pays or gives back.
func countsMoved(w history.Write, before, after history.Item) string {
	attempts, calls := 0, 0
	switch {
	case w.Transition == history.Claim:
		attempts, calls = -1, -1
	case w.Transition == history.Release && w.Mode == string(worktask.ReleaseRejected) && !w.LookupOnly:
		attempts = 1
	}
	switch {
	case after.CallsLeft-before.CallsLeft != calls:
		return counted("calls", before.CallsLeft, after.CallsLeft)
	case after.AttemptsLeft-before.AttemptsLeft != attempts:
		return counted("attempts", before.AttemptsLeft, after.AttemptsLeft)
	}
	return ""
}

// moneyMoved: the same for money. A claim takes what a call costs at most; the end
// of a call gives back what it did not use, all of it when nothing was executed.
func moneyMoved(w history.Write, before, after history.Item) string {
	back := int64(0)
	switch {
	case before.MoneyLimit == 0:
	case w.Transition == history.Claim:
		back = -before.CallMoney
	case w.Transition == history.Release && w.Mode == string(worktask.ReleaseRejected):
		back = before.CallMoney
	case knownEnd(w) && w.CostKnown:
		back = before.CallMoney - w.Cost
	}
	if after.MoneyLeft-before.MoneyLeft != back {
		return fmt.Sprintf("moved the money that is left from %d to %d, which is not by %d", before.MoneyLeft, after.MoneyLeft, back)
	}
	return ""
}

// claimCovered: what a claim must find.
func claimCovered(w history.Write, before, _ history.Item) string {
	if !w.Claims() {
		return ""
	}
	switch {
	case before.Deadline <= w.Now:
		return "took the task after its deadline"
	case w.Transition == history.LookupClaim:
		return ""
	case before.AttemptsLeft <= 0:
		return "took the task without an attempt left"
	case before.CallsLeft <= 0:
		return "took the task without a call left"
	case before.MoneyLimit > 0 && before.MoneyLeft < before.CallMoney:
		return "took the task without the money for a call"
	case before.OnUnknown == string(worktask.StopUnknown) && before.CallOpen:
		return "took a task whose call may have been made, which its policy forbids to repeat"
	}
	return ""
}

// exhaustionTrue: a task that is given up for its budget has none left.
func exhaustionTrue(w history.Write, before, _ history.Item) string {
	if w.Reason == string(worktask.AttemptsExhausted) && before.AttemptsLeft > 0 && before.CallsLeft > 0 {
		return "gave the task up as exhausted with attempts and calls left"
	}
	if w.Transition == history.End && w.Reason == string(worktask.BudgetExhausted) && before.MoneyLeft >= before.CallMoney {
		return "gave the task up for its money with enough for a call"
	}
	return ""
}

// repeatsBounded looks at the calls that workers made.
func repeatsBounded(t *task, j *judgement) {
	for _, call := range t.sent {
		for _, s := range t.steps {
			if s.write.Transition != history.Claim || s.write.AssignmentID != call.Call.AssignmentID {
				continue
			}
			if s.after.OnUnknown == string(worktask.StopUnknown) {
				continue // a call that was not begun was not made; one that was is never repeated, see claimCovered
			}
			unknown := s.after.Calls() - s.after.CallsKnown - 1 // this call is not over
			if unknown > s.after.UnknownRepeats {
				j.broken(t.ref, at(s.seq, call.Seq), "%s made a call after %d calls with unknown outcome; %d may be repeated",
					call.Actor, unknown, s.after.UnknownRepeats)
			}
		}
	}
}

// callsLeftSeen: the count only ever falls, for whoever looks.
func callsLeftSeen(t *task, j *judgement) {
	var least *sight
	inOrder(t.sights, func(s sight) {
		if least == nil || s.item.CallsLeft < least.item.CallsLeft {
			least = &s
		}
	}, func(s sight) {
		if least != nil && s.item.CallsLeft > least.item.CallsLeft {
			j.broken(t.ref, at(least.end, s.end), "%d calls were left and later %d", least.item.CallsLeft, s.item.CallsLeft)
		}
	})
	var shownLeast *shown
	inOrder(t.shownViews(), func(v shown) {
		if shownLeast == nil || v.view.CallsLeft < shownLeast.view.CallsLeft {
			shownLeast = &v
		}
	}, func(v shown) {
		if shownLeast != nil && v.view.CallsLeft > shownLeast.view.CallsLeft {
			j.broken(t.ref, at(shownLeast.end, v.end), "a caller was shown %d calls left and later %d", shownLeast.view.CallsLeft, v.view.CallsLeft)
		}
	})
}
