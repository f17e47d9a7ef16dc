package worktask

// Money is what a task may still cost, in millionths of the deployment's
// currency, counted like attempts and calls: the task stores what is left. A
// claim takes what one call costs at most; a call that was documented not to be
// executed gives all of it back, one whose end was seen gives back what it did
// not use, and one whose end nobody saw keeps it. So what was taken is never less
// than what the provider can ask for, and never more than the limit.
//
// The zero value counts nothing and is not stored.
type Money struct {
	Limit int64 // at accept
	Left  int64 // not taken
	Call  int64 // what one call costs at most; the same for all calls of the task
}

// NewMoney is the money of a task at accept; a limit of zero counts none.
func NewMoney(limit, call int64) Money {
	if limit <= 0 {
		return Money{}
	}
	return Money{Limit: limit, Left: limit, Call: call}
}

// Counted reports whether the task counts money at all.
func (m Money) Counted() bool { return m.Limit > 0 }

// Covers reports whether another call may be made.
func (m Money) Covers() bool { return !m.Counted() || m.Left >= m.Call }

// Taken is what calls have cost, those with an unknown end at most.
func (m Money) Taken() int64 { return m.Limit - m.Left }

func (m Money) plus(n int64) Money {
	if m.Counted() {
		m.Left += n
	}
	return m
}

// Cost is what a call has cost, as far as anybody can tell.
type Cost struct {
	Known  bool
	Micros int64 // millionths of the currency
}

// moneyBack is what the end of a call gives back. The claim has taken what a
// call costs at most; a call that is not known to have cost less keeps that.
func (a Assignment) moneyBack(executed bool, cost Cost) int64 {
	switch {
	case !executed:
		return a.callMoney
	case cost.Known && a.callMoney > 0:
		// Below zero where a price or an answer went beyond what was taken for the
		// worst case: the task then shows what it cost, and makes no further call.
		return a.callMoney - cost.Micros
	}
	return 0
}
