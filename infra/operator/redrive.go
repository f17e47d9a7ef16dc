package operator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// DeadLetters is the queue of messages that were delivered too often.
type DeadLetters interface {
	Receive(ctx context.Context, most int, hold time.Duration) ([]DeadLetter, error)
	Delete(ctx context.Context, letter DeadLetter) error
	Release(ctx context.Context, letter DeadLetter) error
}

// Redriver empties the dead-letter queue as far as that is right. SQS has a move
// of its own; it would bring back the messages of tasks that have ended, each of
// which costs a worker's read, and those that no worker can read, which come
// back here after twenty deliveries.
type Redriver struct {
	Letters DeadLetters
	Tasks   Tasks
	Queue   taskflow.Queue
	Now     func() time.Time
	// Hold is how long a received message stays hidden; it bounds a run, because
	// after it messages that are kept come around again.
	Hold time.Duration
	// Text shows bodies of messages that are not ours.
	Text bool
}

// What is done with a dead letter.
const (
	ActionSend   = "send"   // back to the main queue: the task is open
	ActionDelete = "delete" // the task has ended
	ActionKeep   = "keep"   // a person has to look
)

// Redriven is what was, or would be, done with one dead letter.
type Redriven struct {
	MessageID    string `json:"message_id"`
	Action       string `json:"action"`
	Reason       string `json:"reason"`
	Workspace    string `json:"workspace,omitzero"`
	Path         string `json:"path,omitzero"`
	Status       string `json:"status,omitzero"`
	ReceiveCount int    `json:"receive_count"`
	SentAt       Moment `json:"sent_at,omitzero"`
	Bytes        int    `json:"bytes,omitzero"`  // of a message that is not ours
	SHA256       string `json:"sha256,omitzero"` // of the same
	Body         string `json:"body,omitzero"`   // only when asked for
	Error        string `json:"error,omitzero"`  // the action failed; the message is still there
}

// Redrive is what a run did.
type Redrive struct {
	DryRun   bool       `json:"dry_run"`
	Messages []Redriven `json:"messages"`
	Sent     int        `json:"sent"`
	Deleted  int        `json:"deleted"`
	Kept     int        `json:"kept"`
	Failed   int        `json:"failed"`
	Complete bool       `json:"complete"` // the queue was seen to its end
}

// Redrive looks at no more than most messages, and acts on them unless it is a
// dry run. Whatever happens no message is lost: a message is deleted only when
// its task has ended or when its copy is on the main queue, and everything else
// is released at the end. The error is of the queue; what was done before it is
// in the result.
func (r Redriver) Redrive(ctx context.Context, most int, dryRun bool) (Redrive, error) {
	run := &redriveRun{Redriver: r, seen: map[string]bool{}, kept: map[string]DeadLetter{}, result: Redrive{DryRun: dryRun, Messages: []Redriven{}}}
	err := run.receive(ctx, most)
	return run.result, errors.Join(err, run.release(ctx))
}

// redriveRun is one run.
type redriveRun struct {
	Redriver
	seen   map[string]bool
	kept   map[string]DeadLetter // by message id: to be released
	result Redrive
}

func (r *redriveRun) receive(ctx context.Context, most int) error {
	ends := r.Now().Add(r.Hold)
	for left := most; left > 0 && r.Now().Before(ends); {
		letters, err := r.Letters.Receive(ctx, left, r.Hold)
		if err != nil {
			return err
		}
		fresh := r.fresh(letters)
		r.handle(ctx, fresh)
		left -= len(fresh)
		if len(fresh) == 0 {
			// Nothing is there, or nothing but what this run has seen already.
			r.result.Complete = true
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("redrive: %w", context.Cause(ctx))
		}
	}
	return nil
}

// fresh leaves out what has come around again; it is kept like before, under its
// newest receipt handle.
func (r *redriveRun) fresh(letters []DeadLetter) []DeadLetter {
	var fresh []DeadLetter
	for _, letter := range letters {
		if r.seen[letter.ID] {
			r.kept[letter.ID] = letter
			continue
		}
		r.seen[letter.ID] = true
		fresh = append(fresh, letter)
	}
	return fresh
}

// handle decides and acts on a batch in parallel.
func (r *redriveRun) handle(ctx context.Context, letters []DeadLetter) {
	done := make([]Redriven, len(letters))
	var group sync.WaitGroup
	for i, letter := range letters {
		group.Go(func() { done[i] = r.one(ctx, letter) })
	}
	group.Wait()
	for i, d := range done {
		r.result.Messages = append(r.result.Messages, d)
		switch {
		case d.Error != "":
			r.result.Failed++
		case d.Action == ActionSend:
			r.result.Sent++
		case d.Action == ActionDelete:
			r.result.Deleted++
		default:
			r.result.Kept++
		}
		if d.Error != "" || d.Action == ActionKeep || r.result.DryRun {
			r.kept[letters[i].ID] = letters[i]
		}
	}
}

func (r *redriveRun) one(ctx context.Context, letter DeadLetter) Redriven {
	d, ref := r.decide(ctx, letter)
	if r.result.DryRun || d.Error != "" {
		return d
	}
	if err := r.act(ctx, d.Action, letter, ref); err != nil {
		d.Error = err.Error()
	}
	return d
}

func (r *redriveRun) decide(ctx context.Context, letter DeadLetter) (Redriven, worktask.Ref) {
	d := Redriven{MessageID: letter.ID, Action: ActionKeep, ReceiveCount: letter.ReceiveCount, SentAt: Moment(letter.SentAt)}
	ref, err := sqsqueue.Decode(letter.Body)
	if err != nil {
		return r.foreign(d, letter, err), worktask.Ref{}
	}
	d.Workspace, d.Path = ref.Workspace, taskPath(ref)
	t, err := r.Tasks.Get(ctx, ref)
	switch {
	case errors.Is(err, storeerror.ErrNotFound):
		d.Reason = "it names no task that is there"
	case err != nil:
		d.Reason, d.Error = "its task could not be read", err.Error()
	case t.Status.Ended():
		d.Action, d.Reason, d.Status = ActionDelete, "its task has ended", string(t.Status)
	default:
		d.Action, d.Reason, d.Status = ActionSend, "its task is open", string(t.Status)
	}
	return d, ref
}

// foreign describes a message that no worker of ours can read, without what is
// in it: it may be anything.
func (r *redriveRun) foreign(d Redriven, letter DeadLetter, err error) Redriven {
	d.Reason = "it is no message of this service"
	if refused, ok := errors.AsType[*sqsqueue.MessageError](err); ok {
		d.Reason = refused.Detail // without the cause, which quotes the message
	}
	sum := sha256.Sum256([]byte(letter.Body))
	d.Bytes, d.SHA256 = len(letter.Body), hex.EncodeToString(sum[:])
	if r.Text {
		d.Body = letter.Body
	}
	return d
}

// act sends before it deletes. A crash in between leaves two messages for one
// task, of which the second is refused by the claim; the other order could
// leave none.
func (r *redriveRun) act(ctx context.Context, action string, letter DeadLetter, ref worktask.Ref) error {
	switch action {
	case ActionSend:
		if err := r.Queue.Publish(ctx, ref); err != nil {
			return err
		}
		if err := r.Letters.Delete(ctx, letter); err != nil {
			return fmt.Errorf("sent, and still in the dead-letter queue: %w", err)
		}
	case ActionDelete:
		return r.Letters.Delete(ctx, letter)
	}
	return nil
}

// releaseLimit bounds the release of what is kept, which happens also when the
// run was interrupted.
const releaseLimit = 30 * time.Second

// release shows what is kept again. It waits until the end of the run, or the
// run would receive the same messages over and over.
func (r *redriveRun) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	kept := slices.Collect(maps.Values(r.kept))
	errs := make([]error, len(kept))
	slots := make(chan struct{}, maxReceive)
	var group sync.WaitGroup
	for i, letter := range kept {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			errs[i] = r.Letters.Release(ctx, letter)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("messages stay hidden for up to %s: %w", r.Hold, err)
	}
	return nil
}
