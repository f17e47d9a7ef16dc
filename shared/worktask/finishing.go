package worktask

import "time"

// Report is what a worker saw of a call, written together with what follows.
type Report struct {
	Tokens            Tokens
	ProviderRequestID string
	Cost              Cost // of the call; no decision but the money's reads it
}

// Completion saves the result.
type Completion struct {
	fence
	result Result
	report Report
}

// Complete saves the result and ends the task, if the assignment is still the
// current one, its lease holds and no result is there.
func (a Assignment) Complete(now time.Time, result Result, report Report) Completion {
	return Completion{fence{a, now}, result, report}
}

// Result is what is to be saved.
func (c Completion) Result() Result { return c.result }

// Report is what was seen of the call.
func (c Completion) Report() Report { return c.report }

// MoneyBack is what the call did not use of what its claim has taken.
func (c Completion) MoneyBack() int64 { return c.assignment.moneyBack(true, c.report.Cost) }

// Name implements Transition.
func (c Completion) Name() string { return "complete" }

// Permitted implements Transition.
func (c Completion) Permitted(t Task) error {
	if err := c.check(t); err != nil {
		return err
	}
	if t.Result.Present() {
		return ErrResultPresent
	}
	return nil
}

// Apply implements Transition.
func (c Completion) Apply(t Task) Task {
	t.Result = c.result
	t.Budget.CallsKnown++
	t.CallOpen = false
	t.Money = t.Money.plus(c.MoneyBack())
	t = reported(t, c.report)
	return ended(t, Completed, c.assignment.id, c.now)
}

// Mine implements Transition: the task is completed and this claim did it.
func (c Completion) Mine(t Task, _ time.Time) bool {
	return t.Status == Completed && t.EndedBy == c.assignment.id
}

// Failure ends the task with a reason.
type Failure struct {
	fence
	reason Reason
	known  bool
	report Report
}

// Fail ends the task. known says whether the end of the call was seen; an
// unknown end stays counted as unknown. A late failure is refused like a late
// success, so it erases nothing.
func (a Assignment) Fail(now time.Time, reason Reason, known bool, report Report) Failure {
	return Failure{fence{a, now}, reason, known, report}
}

// Reason is why the task fails.
func (f Failure) Reason() Reason { return f.reason }

// Known reports whether the end of the call was seen.
func (f Failure) Known() bool { return f.known }

// Report is what was seen of the call.
func (f Failure) Report() Report { return f.report }

// MoneyBack is what the call did not use of what its claim has taken. An unknown
// end gives nothing back.
func (f Failure) MoneyBack() int64 {
	if !f.known {
		return 0
	}
	return f.assignment.moneyBack(true, f.report.Cost)
}

// Name implements Transition.
func (f Failure) Name() string { return "fail" }

// Permitted implements Transition.
func (f Failure) Permitted(t Task) error { return f.check(t) }

// Apply implements Transition.
func (f Failure) Apply(t Task) Task {
	if f.known {
		t.Budget.CallsKnown++
	}
	t.FailureReason = f.reason
	t.Money = t.Money.plus(f.MoneyBack())
	t = reported(t, f.report)
	return ended(t, Failed, f.assignment.id, f.now)
}

// Mine implements Transition.
func (f Failure) Mine(t Task, _ time.Time) bool {
	return t.Status == Failed && t.EndedBy == f.assignment.id
}

func reported(t Task, r Report) Task {
	t.Tokens = t.Tokens.Add(r.Tokens)
	if r.ProviderRequestID != "" {
		t.ProviderRequestID = r.ProviderRequestID
	}
	return t
}
