package coverage

// Unreachable tells why a cell cannot be reached, if it cannot.
func (c Cell) Unreachable() (reason string, unreachable bool) {
	switch {
	case c.Column == Absent && needsAssignment[c.Row]:
		return "only a claim of a stored task gives an assignment, and nothing deletes a task", true
	case c.Column == Absent && c.Row == RepeatSubmit:
		return "record and task are one write, and nothing deletes a task (the answer 410 is tested with the use cases)", true
	case c.Column == MineValid && (c.Row == DispatcherHit || c.Row == CancelRequest || c.Row == RepeatSubmit):
		return "dispatchers and users hold no assignment; every lease is another's", true
	}
	return "", false
}

// needsAssignment are the events of a worker that a claim has let through.
var needsAssignment = map[Row]bool{
	BeforeRequest: true, Heartbeat: true, Answer: true, RejectedRetry: true, RejectedLast: true, FailedRetry: true,
	AmbiguousRetry: true, AmbiguousLast: true, PermanentFailure: true, LookupAgain: true, SaveID: true, Watchdog: true,
}
