package worktask

import "time"

// Beginning records, under StopUnknown, that the request is about to be sent.
type Beginning struct{ fence }

// Begin is written just before the request under StopUnknown. After it a dead
// worker's call counts as possibly made and nobody repeats it.
func (a Assignment) Begin(now time.Time) Beginning { return Beginning{fence{a, now}} }

// Name implements Transition.
func (b Beginning) Name() string { return "begin" }

// Permitted implements Transition.
func (b Beginning) Permitted(t Task) error {
	if err := b.check(t); err != nil {
		return err
	}
	if t.CallOpen {
		return ErrCallOpen
	}
	return nil
}

// Apply implements Transition.
func (b Beginning) Apply(t Task) Task {
	t.CallOpen = true
	return t
}

// Mine implements Transition.
func (b Beginning) Mine(t Task, _ time.Time) bool { return b.holds(t) && t.CallOpen }

// Renewal extends the lease.
type Renewal struct {
	fence
	until time.Time
}

// Renew asks for a lease that ends at until, later than the stored one. A
// renewal that is delivered late must neither shorten the lease nor revive an
// expired one.
func (a Assignment) Renew(now, until time.Time) Renewal { return Renewal{fence{a, now}, until} }

// Until is the lease's new end.
func (r Renewal) Until() time.Time { return r.until }

// Name implements Transition.
func (r Renewal) Name() string { return "renew" }

// Permitted implements Transition.
func (r Renewal) Permitted(t Task) error {
	if err := r.check(t); err != nil {
		return err
	}
	if millis(t.LeaseExpiresAt) >= millis(r.until) {
		return ErrLeaseOrder
	}
	return nil
}

// Apply implements Transition.
func (r Renewal) Apply(t Task) Task {
	t.LeaseExpiresAt = r.until
	return t
}

// Mine implements Transition: a lease that already ends later serves as well.
func (r Renewal) Mine(t Task, _ time.Time) bool {
	return r.holds(t) && millis(t.LeaseExpiresAt) >= millis(r.until)
}

// OperationSave stores the provider's operation id.
type OperationSave struct {
	fence
	operationID string
}

// SaveOperation stores the id under which the provider keeps the operation,
// before its answer is awaited: whoever claims next looks it up.
func (a Assignment) SaveOperation(now time.Time, operationID string) OperationSave {
	return OperationSave{fence{a, now}, operationID}
}

// OperationID is the provider's id.
func (s OperationSave) OperationID() string { return s.operationID }

// Name implements Transition.
func (s OperationSave) Name() string { return "save_operation" }

// Permitted implements Transition.
func (s OperationSave) Permitted(t Task) error { return s.check(t) }

// Apply implements Transition.
func (s OperationSave) Apply(t Task) Task {
	t.OperationID = s.operationID
	return t
}

// Mine implements Transition.
func (s OperationSave) Mine(t Task, _ time.Time) bool {
	return s.holds(t) && t.OperationID == s.operationID
}
