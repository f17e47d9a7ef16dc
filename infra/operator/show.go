package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Tasks reads tasks.
type Tasks interface {
	// Get reads one strongly consistently; storeerror.ErrNotFound.
	Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error)
}

// Messages reads what a task answers.
type Messages interface {
	// Message reads one strongly consistently; storeerror.ErrNotFound.
	Message(ctx context.Context, workspace, conversation, id string) (conversation.Message, error)
}

// Evidence reads what is kept of refused answers and of attempts whose end nobody
// saw.
type Evidence interface {
	ListEvidence(ctx context.Context, ref worktask.Ref) ([]worktask.Evidence, error)
	ListAttempts(ctx context.Context, ref worktask.Ref) ([]worktask.AttemptRecord, error)
}

// Shower shows one task.
type Shower struct {
	Tasks    Tasks
	Messages Messages
	Evidence Evidence
	Records  keyed.Records
	Objects  taskflow.Objects
	Judge    Judge
	Now      func() time.Time
}

// Request names what is to be shown: a task, or the idempotency key of the
// call that made it.
type Request struct {
	Task worktask.Ref
	// Key is the idempotency key of the browser. Records are found by their key
	// alone, so a report tells of the record only when it is given.
	Key idempotency.Key
	// Workspace and Caller go with a key when no task is named.
	Workspace string
	Caller    string
	// Text asks for what people wrote, and for who asked.
	Text bool
}

// ErrNoRecord: nothing was made under the key, or its record is purged.
var ErrNoRecord = errors.New("nothing is recorded under this idempotency key for this workspace and caller")

// Show reads a task with what hangs on it. The errors are storeerror.ErrNotFound,
// [ErrNoRecord] and those of the stores.
func (s Shower) Show(ctx context.Context, r Request) (Report, error) {
	ref := r.Task
	var found *idempotency.Record
	if ref.ID == "" {
		record, err := s.recordOf(ctx, r.Workspace, r.Caller, r.Key)
		if err != nil {
			return Report{}, err
		}
		if ref, err = ParseTask(r.Workspace, record.Target); err != nil {
			return Report{}, fmt.Errorf("the record points to %q: %w", record.Target, err)
		}
		found = &record
	}
	t, err := s.Tasks.Get(ctx, ref)
	if err != nil {
		return Report{}, fmt.Errorf("read task: %w", err)
	}
	report := newReport(t, s.Judge, s.Now())
	if err := s.addEvidence(ctx, &report, t); err != nil {
		return Report{}, err
	}
	if err := s.addRecord(ctx, &report, t, r, found); err != nil {
		return Report{}, err
	}
	return report, s.addReply(ctx, &report, t, r.Text)
}

func (s Shower) addEvidence(ctx context.Context, report *Report, t worktask.Task) error {
	list, err := s.Evidence.ListEvidence(ctx, t.Ref)
	if err != nil {
		return fmt.Errorf("read evidence: %w", err)
	}
	attempts, err := s.Evidence.ListAttempts(ctx, t.Ref)
	if err != nil {
		return fmt.Errorf("read attempts: %w", err)
	}
	report.AttemptLog = conversation.AttemptLog(t, attempts)
	for _, e := range list {
		report.Spend.RefusedAnswers = append(report.Spend.RefusedAnswers, RefusedAnswer{
			AssignmentVersion: e.AssignmentVersion, Bytes: e.Bytes, SHA256: e.SHA256,
			InputTokens: e.Tokens.Input, OutputTokens: e.Tokens.Output,
			ProviderRequestID: e.ProviderRequestID, At: Moment(e.At),
		})
	}
	return nil
}

// makers are the operations that make reply tasks.
func makers() []string {
	return []string{conversation.OperationSubmit, conversation.OperationRegenerate, OperationRetry}
}

// recordOf finds the record of a key. A key is unique within an operation, and
// which operation it was is not known to who has only the key.
func (s Shower) recordOf(ctx context.Context, workspace, caller string, key idempotency.Key) (idempotency.Record, error) {
	for _, operation := range makers() {
		record, err := s.Records.Record(ctx, idempotency.Scope{Workspace: workspace, Caller: caller, Operation: operation}, key)
		if errors.Is(err, storeerror.ErrNotFound) {
			continue
		}
		if err != nil {
			return idempotency.Record{}, fmt.Errorf("read idempotency record: %w", err)
		}
		return record, nil
	}
	return idempotency.Record{}, ErrNoRecord
}

// addRecord tells of the idempotency record, as far as it can be found.
func (s Shower) addRecord(ctx context.Context, report *Report, t worktask.Task, r Request, found *idempotency.Record) error {
	key := r.Key
	if decision := report.Retry; decision != nil && key == "" {
		key = idempotency.Key(decision.Key)
	}
	if key == "" {
		return nil
	}
	if found == nil {
		record, err := s.recordOf(ctx, t.Workspace, t.Caller, key)
		if errors.Is(err, ErrNoRecord) {
			report.Idempotency = &IdempotencyReport{Key: string(key)}
			return nil
		}
		if err != nil {
			return err
		}
		found = &record
	}
	report.Idempotency = &IdempotencyReport{
		Key: string(key), Found: true, Operation: found.Scope.Operation, MadeThisTask: found.Target == report.Path, Target: found.Target,
		CreatedAt: Moment(found.CreatedAt), ReplayUntil: Moment(found.ReplayUntil), PurgeAfter: Moment(found.PurgeAfter),
		ReplayOver: !s.Now().Before(found.ReplayUntil),
	}
	return nil
}

// addReply tells of question and reply. A damaged or missing one is part of the
// report: it may be what the operator is looking for.
func (s Shower) addReply(ctx context.Context, report *Report, t worktask.Task, text bool) error {
	if t.Kind != reply.Kind {
		return nil
	}
	if err := s.addMessage(ctx, report, t, text); err != nil {
		return err
	}
	if !t.Result.Present() || !text {
		return nil
	}
	service := conversation.Service{Writer: taskflow.Writer{Tasks: readOnly{s.Tasks}}, Evidence: noEvidence{}, Objects: s.Objects}
	view, err := service.Task(ctx, identity.Caller{ID: t.Caller, Workspace: t.Workspace}, conversationOf(t.Ref), t.ID)
	switch {
	case errors.Is(err, storeerror.ErrCorrupt):
		report.Reply.Problem = "the saved reply cannot be read: " + err.Error()
	case err != nil:
		return fmt.Errorf("read reply: %w", err)
	default:
		report.Reply.CutShort, report.Reply.Text = view.Reply.CutShort, view.Reply.Text
		report.Reply.Provider, report.Reply.Model = view.Reply.Provider, view.Reply.Model
	}
	return nil
}

func (s Shower) addMessage(ctx context.Context, report *Report, t worktask.Task, text bool) error {
	in, err := reply.DecodeInput(t.Input)
	if err != nil {
		report.Message = &MessageReport{Problem: err.Error()}
		return nil //nolint:nilerr // the problem is part of the report
	}
	report.Message = &MessageReport{ID: in.Message}
	m, err := s.Messages.Message(ctx, t.Workspace, conversationOf(t.Ref), in.Message)
	if errors.Is(err, storeerror.ErrNotFound) {
		report.Message.Problem = "the message is not there"
		return nil
	}
	if err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	report.Message.Bytes, report.Message.Document, report.Message.DocumentVersion = len(m.Text), m.Document, m.Version
	report.Message.History = len(m.History)
	if text {
		report.Message.Text, report.Message.Caller = m.Text, t.Caller
	}
	return nil
}

// readOnly is a store of tasks for a reader.
type readOnly struct{ Tasks }

var errReadOnly = errors.New("an operator's look changes nothing")

// Apply implements taskflow.Tasks.
func (readOnly) Apply(context.Context, worktask.Ref, worktask.Transition) (worktask.Task, error) {
	return worktask.Task{}, errReadOnly
}

// noEvidence leaves out what is read elsewhere.
type noEvidence struct{}

func (noEvidence) PutEvidence(context.Context, worktask.Evidence) error { return errReadOnly }

func (noEvidence) ListEvidence(context.Context, worktask.Ref) ([]worktask.Evidence, error) {
	return nil, nil
}

func (noEvidence) PutAttempt(context.Context, worktask.AttemptRecord) error { return errReadOnly }

func (noEvidence) ListAttempts(context.Context, worktask.Ref) ([]worktask.AttemptRecord, error) {
	return nil, nil
}
