package worktask

// Budget is what may still be spent on a task, counted in one place for all
// layers: repeats of the browser, redelivery, takeovers and redrives find the
// numbers as they are and never refill them.
//
// The counts are what is left, because a conditional write can compare a stored
// number with a constant but cannot add two stored numbers.
type Budget struct {
	AttemptLimit int // claims that may be made in all, rejected ones given back
	CallLimit    int // requests to the provider in all; never given back
	AttemptsLeft int
	CallsLeft    int
	// CallsKnown is how many calls ended visibly: answered, refused or failed.
	CallsKnown int
	// UnknownRepeats is how often a call may be repeated after a call whose
	// end nobody saw.
	UnknownRepeats int
}

// NewBudget is the budget of a task at accept.
func NewBudget(attempts, calls, unknownRepeats int) Budget {
	return Budget{
		AttemptLimit: attempts, CallLimit: calls, AttemptsLeft: attempts, CallsLeft: calls, UnknownRepeats: unknownRepeats,
	}
}

// Attempts is how many attempts count as used.
func (b Budget) Attempts() int { return b.AttemptLimit - b.AttemptsLeft }

// Calls is how many calls are recorded: never fewer than the provider saw, more
// only by calls that were recorded and never sent.
func (b Budget) Calls() int { return b.CallLimit - b.CallsLeft }

// UnknownCalls is how many recorded calls have an end that nobody saw. A call
// that is still being made, or that a saved operation id still stands for, is
// not among them.
func (t Task) UnknownCalls() int {
	unknown := t.Budget.Calls() - t.Budget.CallsKnown
	if t.Status == Running || (t.OperationID != "" && !t.Status.Ended()) {
		unknown--
	}
	return max(unknown, 0)
}

// MayRepeatUnknown reports whether a call may be made although earlier calls
// have an unknown end.
func (t Task) MayRepeatUnknown() bool { return t.UnknownCalls() <= t.Budget.UnknownRepeats }
