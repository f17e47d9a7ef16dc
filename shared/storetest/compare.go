package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// equal compares what a store gave with what it must give, times included.
func equal[T any](what string, got, want T) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
	return nil
}

// wantError asks for an error of a kind.
func wantError(what string, err, kind error) error {
	if !errors.Is(err, kind) {
		return fmt.Errorf("%s: the error is %w, want %w", what, orNone(err), kind)
	}
	return nil
}

// errNone stands where an error was expected and none came.
var errNone = errors.New("none")

func orNone(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

// wantRefused asks for a refused condition that tells what it met, as far as
// the engine tells it.
func (e *Env) wantRefused(what string, err error, tr worktask.Transition, seen *worktask.Task) error {
	refused, ok := errors.AsType[*taskflow.ConditionError](err)
	if !ok {
		return fmt.Errorf("%s: the error is %w, want a refused condition", what, orNone(err))
	}
	if refused.Transition != tr.Name() {
		return fmt.Errorf("%s: the refusal names transition %q, want %q", what, refused.Transition, tr.Name())
	}
	if e.HidesOldItem {
		seen = nil
	}
	return equal(what+": the item that the condition met", refused.Seen, seen)
}

// stored is a task as every store gives it back: UTC, whole milliseconds.
func stored(t worktask.Task) worktask.Task {
	for _, at := range []*time.Time{
		&t.LeaseExpiresAt, &t.AcceptedAt, &t.NextAttemptAt, &t.Deadline, &t.HandoffDueAt, &t.EndedAt,
	} {
		*at = storedTime(*at)
	}
	return t
}

// after is what a write leaves behind: what the engine of transitions says,
// less what the database cannot do.
func (e *Env) after(tr worktask.Transition, before worktask.Task) worktask.Task {
	t := stored(tr.Apply(before))
	if !e.KeepsRemoved {
		return t
	}
	t.CallOpen = t.CallOpen || before.CallOpen
	if t.OperationID == "" {
		t.OperationID = before.OperationID
	}
	if t.WaitsFor == "" {
		t.WaitsFor = before.WaitsFor
	}
	if t.HandoffDueAt.IsZero() {
		t.HandoffDueAt = before.HandoffDueAt
	}
	return t
}

func storedTime(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return time.UnixMilli(at.UnixMilli()).UTC()
}

// faults collects what is wrong, up to a number that a person still reads.
type faults struct {
	errs []error
	more int
}

func (f *faults) add(err error) {
	switch {
	case err == nil:
	case len(f.errs) < 5:
		f.errs = append(f.errs, err)
	default:
		f.more++
	}
}

func (f *faults) err() error {
	if f.more > 0 {
		f.errs = append(f.errs, fmt.Errorf("and %d more", f.more))
	}
	return errors.Join(f.errs...)
}
