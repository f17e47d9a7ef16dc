package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Bounds of a raise. The least is more than any task is ever claimed: each claim
// takes a call of the budget or looks up an operation, at most once a second within
// the deadline. The most leaves room for thousands of restores below 2⁵³, which is
// what a page can count to.
const (
	MinRaise = 100_000
	MaxRaise = 1_000_000_000
)

// raisePage is how many index entries one request reads.
const raisePage = 200

// Raiser raises the assignment versions of all open tasks after a restore; see
// [worktask.Raise] for why. It finds them by the handoff index, in which a task
// stands exactly while it is open.
type Raiser struct {
	Handoffs taskflow.Handoffs
	Writer   taskflow.Writer
	Now      func() time.Time
}

// Raised is what a run did, or would do.
type Raised struct {
	DryRun  bool  `json:"dry_run"`
	By      int64 `json:"by"`
	Raised  int   `json:"raised"`
	Ended   int   `json:"ended"`   // the index is behind: the task has ended
	Missing int   `json:"missing"` // the index names a task that is not there
	Highest int64 `json:"highest"` // assignment version that was found
	// Failed tasks are those that moved or could not be written; run the command again.
	Failed []string `json:"failed"`
}

// Raise goes over every open task once. A run that was interrupted is repeated from
// the beginning: to raise a task twice does no harm. The error is of the index; what
// was done before it is in the result.
func (r Raiser) Raise(ctx context.Context, by int64, dryRun bool) (Raised, error) {
	result := Raised{DryRun: dryRun, By: by, Failed: []string{}}
	if by < MinRaise || by > MaxRaise {
		return result, &InputError{Detail: fmt.Sprintf("raise by %d: give %d to %d", by, MinRaise, MaxRaise)}
	}
	// Later than any handoff is due: every open task.
	until := r.Now().AddDate(10, 0, 0)
	for shard := range taskflow.HandoffShards {
		for cursor := ""; ; {
			page, err := r.Handoffs.DueHandoffs(ctx, shard, until, raisePage, cursor)
			if err != nil {
				return result, fmt.Errorf("read shard %d of the handoff index: %w", shard, err)
			}
			for _, entry := range page.Due {
				r.task(ctx, entry.Ref, &result)
			}
			if cursor = page.Cursor; cursor == "" {
				break
			}
		}
	}
	return result, nil
}

func (r Raiser) task(ctx context.Context, ref worktask.Ref, result *Raised) {
	t, err := r.Writer.Tasks.Get(ctx, ref)
	switch {
	case errors.Is(err, storeerror.ErrNotFound):
		result.Missing++
		return
	case err != nil:
		result.Failed = append(result.Failed, fmt.Sprintf("%s: %v", taskPath(ref), err))
		return
	case t.Status.Ended():
		result.Ended++
		return
	}
	result.Highest = max(result.Highest, t.AssignmentVersion)
	if !result.DryRun {
		if _, err := r.Writer.Write(ctx, ref, worktask.RaiseOf(t, result.By)); err != nil {
			result.Failed = append(result.Failed, fmt.Sprintf("%s: %v", taskPath(ref), err))
			return
		}
	}
	result.Raised++
}

// Print shows a run to a person.
func (r Raised) Print(w io.Writer) error {
	p := &page{w: w}
	verb := "raised"
	if r.DryRun {
		verb = "would be raised (dry run: nothing was written)"
	}
	p.linef("%s %s by %d; the highest assignment version found is %d", count(r.Raised, "open task", "open tasks"), verb, r.By, r.Highest)
	if r.Ended+r.Missing > 0 {
		p.linef("%d of the index have ended and %d are not there: an index that lags corrects itself", r.Ended, r.Missing)
	}
	for _, failed := range r.Failed {
		p.linef("not raised: %s", failed)
	}
	if len(r.Failed) > 0 {
		p.linef("run the command again before anything is started: these can still be completed by workers from before the restore")
	}
	return p.done()
}
