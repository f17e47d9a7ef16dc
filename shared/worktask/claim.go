package worktask

import "time"

// Claim takes the task, or takes it over from a worker whose lease ended at
// least Margin ago, and pays one attempt, one call and, where the task counts it,
// the money of a call. The call is paid here,
// before it is made: a worker that dies in between has recorded a call that was
// never sent, which is the safe side of the count and costs no extra write.
type Claim struct {
	AssignmentID string
	Now          time.Time
	LeaseUntil   time.Time
	Margin       time.Duration // clock skew that takeover waits for
	Reserve      time.Duration // lease that must be left to use an own claim found later
	// Money: the claim takes the money of a call too. A claim reads nothing first
	// and an update cannot take what is not there, so its writer says what it
	// expects; ErrMoneyForm tells that the task was accepted otherwise.
	Money bool
	// Ready is what the claimer has seen ready that a task may wait for; empty:
	// nothing. Only a task that waits for nothing else is claimed.
	Ready string
}

// Name implements Transition.
func (c Claim) Name() string { return "claim" }

// Permitted implements Transition. An own claim whose first try arrives late is
// refused by ErrSameAssignment, or it would pay twice.
func (c Claim) Permitted(t Task) error {
	switch err := claimRefusal(t, c.AssignmentID, c.Now, c.Margin); {
	case err != nil:
		return err
	case overBudget(t):
		return ErrOver
	case !t.claimableAt(c.Now, c.Margin):
		return ErrTooEarly
	case t.WaitsFor != "" && t.WaitsFor != c.Ready:
		return ErrWaits
	case t.OperationID != "":
		return ErrOperationSaved
	case c.Money != t.Money.Counted():
		return ErrMoneyForm
	}
	return nil
}

// Apply implements Transition.
func (c Claim) Apply(t Task) Task {
	t = assign(t, c.AssignmentID, c.LeaseUntil)
	t.Budget.AttemptsLeft--
	t.Budget.CallsLeft--
	t.Money = t.Money.plus(-t.Money.Call)
	t.WaitsFor = ""
	return t
}

// Mine implements Transition. The id alone is not enough:
//
//	A: claims, the acknowledgement is lost.    user: cancels.
//	A: reads its own id on a cancelled task and must not call.
func (c Claim) Mine(t Task, now time.Time) bool {
	return ownClaim(t, c.AssignmentID, now, c.Reserve)
}

// LookupClaim takes a task whose provider operation is saved, to look it up and
// nothing else. It pays nothing and is bounded by the deadline.
type LookupClaim struct {
	AssignmentID string
	Now          time.Time
	LeaseUntil   time.Time
	Margin       time.Duration
	Reserve      time.Duration
}

// Name implements Transition.
func (c LookupClaim) Name() string { return "claim_lookup" }

// Permitted implements Transition.
func (c LookupClaim) Permitted(t Task) error {
	switch err := claimRefusal(t, c.AssignmentID, c.Now, c.Margin); {
	case err != nil:
		return err
	case !t.claimableAt(c.Now, c.Margin):
		return ErrTooEarly
	case t.OperationID == "":
		return ErrNoOperation
	}
	return nil
}

// Apply implements Transition.
func (c LookupClaim) Apply(t Task) Task { return assign(t, c.AssignmentID, c.LeaseUntil) }

// Mine implements Transition.
func (c LookupClaim) Mine(t Task, now time.Time) bool {
	return ownClaim(t, c.AssignmentID, now, c.Reserve)
}

// claimRefusal is what both claims have in common: an end, an own claim, a
// lease that holds and a deadline that is over come before everything else.
func claimRefusal(t Task, id string, now time.Time, margin time.Duration) error {
	if err := endedError(t); err != nil {
		return err
	}
	switch {
	case t.AssignmentID == id:
		return ErrSameAssignment
	case t.Status == Running && !t.leaseOverFor(now, margin):
		return ErrLeaseHeld
	case millis(t.Deadline) <= millis(now):
		return ErrOver
	}
	return nil
}

func assign(t Task, id string, until time.Time) Task {
	t.Status = Running
	t.AssignmentVersion++
	t.AssignmentID = id
	t.LeaseExpiresAt = until
	return t
}

func ownClaim(t Task, id string, now time.Time, reserve time.Duration) bool {
	return t.Status == Running && t.AssignmentID == id && t.LeaseValid(now.Add(reserve))
}

// overBudget reports whether the budget forbids another call. A saved operation
// suspends it: looking up is free and may still bring the answer that was paid.
func overBudget(t Task) bool {
	return t.OperationID == "" &&
		(t.Budget.AttemptsLeft <= 0 || t.Budget.CallsLeft <= 0 || !t.Money.Covers() || (t.OnUnknown == StopUnknown && t.CallOpen))
}
