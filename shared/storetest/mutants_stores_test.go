package storetest_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/storetest"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// whole replaces whole methods of a store.
func whole(name, found string, replace func(s storetest.Store) storetest.Store) mutant {
	return mutant{name, found, func() storetest.Store { return replace(memstore.New(memstore.Options{})) }}
}

func storeMutants() []mutant {
	return []mutant{
		whole("updates that create", "Transition/bump", func(s storetest.Store) storetest.Store { return &applying{s, createAbsent} }),
		whole("claims that are not atomic", "Races/oneOfManyClaims", func(s storetest.Store) storetest.Store { return &applying{s, newRacer().apply} }),
		whole("answers of the item before", "Transition/claim", func(s storetest.Store) storetest.Store { return &applying{s, answerBefore} }),
		whole("refusals that change the task", "Transition/claim", func(s storetest.Store) storetest.Store { return &applying{s, bumpRefused} }),
		{"refusals that hide the item", "Transition/claim", func() storetest.Store { return memstore.New(memstore.Options{HideOldItem: true}) }},
		whole("workspaces that are one", "Tasks/otherWorkspaceSeesNothing", func(s storetest.Store) storetest.Store { return oneWorkspace{s} }),
		whole("index of pending tasks only", "Races/oneOfManyClaims", func(s storetest.Store) storetest.Store { return pendingIndex{s} }),
		whole("index of one page", "Handoffs/CaseH5PagesToTheEnd", func(s storetest.Store) storetest.Store { return onePage{s} }),
		whole("index that is an instant late", "Handoffs/dueMeansNowOrEarlier", func(s storetest.Store) storetest.Store { return lateIndex{s} }),
		whole("accept without the record", "Create/acceptOnceUnderConcurrentSubmits", func(s storetest.Store) storetest.Store { return &forgetful{Store: s} }),
		whole("accept by halves", "Create/takenMessageWritesNothing", func(s storetest.Store) storetest.Store { return halves{s} }),
		whole("every refusal a duplicate", "Create/takenTaskWritesNothing", func(s storetest.Store) storetest.Store { return duplicates{s} }),
		whole("purge time a millisecond early", "Records/CaseI7PurgeTimeDecidesInTheWrite", func(s storetest.Store) storetest.Store { return shiftedRecords{s, time.Millisecond} }),
		whole("purge time a millisecond late", "Records/CaseI7PurgeTimeDecidesInTheWrite", func(s storetest.Store) storetest.Store { return shiftedRecords{s, -time.Millisecond} }),
		whole("purge time that frees nothing", "Records/CaseI7PurgeTimeDecidesInTheWrite", func(s storetest.Store) storetest.Store { return shiftedRecords{s, -time.Hour} }),
		whole("log that overlaps", "Log/pagesHaveEachEntryOnce", func(s storetest.Store) storetest.Store { return overlapping{s} }),
		whole("log without a limit of bytes", "Log/pageStopsNearItsBytes", func(s storetest.Store) storetest.Store { return endlessPages{s} }),
		whole("texts that are not checked", "Documents/damagedTextIsNotHandedOut", func(s storetest.Store) storetest.Store { return trusting{s} }),
		whole("deletion without a tombstone", "Deletion/noVersionAfterTheTombstone", func(s storetest.Store) storetest.Store { return noTombstone{s} }),
		whole("delete, then insert", "Deletion/noWriterAfterTheFence", func(s storetest.Store) storetest.Store { return noFence{s} }),
		whole("erasure that takes what is not fenced", "Deletion/noWriterAfterTheFence", func(s storetest.Store) storetest.Store { return eager{s} }),
		whole("uploads without a record", "Uploads/announcedOnce", func(s storetest.Store) storetest.Store { return &unrecorded{Store: s} }),
		whole("evidence that is overwritten", "Evidence/firstIsKept", func(s storetest.Store) storetest.Store { return lastEvidence{s, &sync.Map{}} }),
		whole("earlier turns of any end", "Conversations/earlierIsCompletedOnly", func(s storetest.Store) storetest.Store { return anyEarlier{s} }),
	}
}

func createAbsent(ctx context.Context, s storetest.Store, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	if _, err := s.Get(ctx, ref); errors.Is(err, storeerror.ErrNotFound) {
		t := worktask.Task{Ref: ref, Status: worktask.Pending, HandoffDueAt: distant()}
		record := idempotency.Record{Scope: idempotency.Scope{Workspace: ref.Workspace}, Key: idempotency.Key("made " + ref.ID)}
		if err := s.AcceptTask(ctx, record, t); err != nil {
			return worktask.Task{}, err //nolint:wrapcheck // the suite sees it
		}
	}
	return s.Apply(ctx, ref, tr) //nolint:wrapcheck // as above
}

// racer looks before it writes, and lets the first two look together.
type racer struct {
	mu    sync.Mutex
	seats int
	both  sync.WaitGroup
}

func newRacer() *racer {
	r := &racer{seats: 2}
	r.both.Add(2)
	return r
}

func (r *racer) apply(ctx context.Context, s storetest.Store, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	seen, err := s.Get(ctx, ref)
	r.mu.Lock()
	seated := r.seats > 0
	r.seats--
	r.mu.Unlock()
	if seated {
		r.both.Done()
		r.both.Wait()
	}
	if err != nil || tr.Permitted(seen) != nil {
		return s.Apply(ctx, ref, tr) //nolint:wrapcheck // the suite sees it
	}
	unchecked := bent{Transition: tr, permitted: func(worktask.Task) error { return nil }}
	return s.Apply(ctx, ref, unchecked) //nolint:wrapcheck // as above
}

func answerBefore(ctx context.Context, s storetest.Store, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	before, _ := s.Get(ctx, ref)
	after, err := s.Apply(ctx, ref, tr)
	if err != nil {
		return after, err //nolint:wrapcheck // the suite sees it
	}
	return before, nil
}

func bumpRefused(ctx context.Context, s storetest.Store, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	after, err := s.Apply(ctx, ref, tr)
	if refused, ok := errors.AsType[*taskflow.ConditionError](err); ok && refused.Seen != nil {
		_, _ = s.Apply(ctx, ref, worktask.Bump{Seen: refused.Seen.HandoffDueAt, Due: distant()}) // refused on ended tasks
	}
	return after, err //nolint:wrapcheck // the suite sees it
}

type oneWorkspace struct{ storetest.Store }

func (s oneWorkspace) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	if t, err := s.Store.Get(ctx, ref); err == nil {
		return t, nil
	}
	ref.Workspace = ref.Workspace[:len(ref.Workspace)-1]
	return s.Store.Get(ctx, ref) //nolint:wrapcheck // the suite sees it
}

type pendingIndex struct{ storetest.Store }

func (s pendingIndex) DueHandoffs(ctx context.Context, shard int, now time.Time, limit int, cursor string) (taskflow.DuePage, error) {
	page, err := s.Store.DueHandoffs(ctx, shard, now, limit, cursor)
	var pending []taskflow.DueHandoff
	for _, d := range page.Due {
		if t, err := s.Get(ctx, d.Ref); err == nil && t.Status == worktask.Pending {
			pending = append(pending, d)
		}
	}
	page.Due = pending
	return page, err //nolint:wrapcheck // the suite sees it
}

type onePage struct{ storetest.Store }

func (s onePage) DueHandoffs(ctx context.Context, shard int, now time.Time, limit int, cursor string) (taskflow.DuePage, error) {
	page, err := s.Store.DueHandoffs(ctx, shard, now, limit, cursor)
	page.Cursor = ""
	return page, err //nolint:wrapcheck // the suite sees it
}

type lateIndex struct{ storetest.Store }

func (s lateIndex) DueHandoffs(ctx context.Context, shard int, now time.Time, limit int, cursor string) (taskflow.DuePage, error) {
	return s.Store.DueHandoffs(ctx, shard, now.Add(-time.Millisecond), limit, cursor) //nolint:wrapcheck // the suite sees it
}

// forgetful makes a new key of every key.
type forgetful struct {
	storetest.Store
	mu sync.Mutex
	n  int
}

func (s *forgetful) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	s.mu.Lock()
	s.n++
	if s.n > 1 {
		record.Key += idempotency.Key(rune('a' + s.n))
	}
	s.mu.Unlock()
	return s.Store.AcceptMessage(ctx, record, m, t) //nolint:wrapcheck // the suite sees it
}

type halves struct{ storetest.Store }

func (s halves) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	err := s.Store.AcceptMessage(ctx, record, m, t)
	if err != nil {
		record.Key += "-half"
		_ = s.AcceptTask(ctx, record, t) // the half that can be written
	}
	return err //nolint:wrapcheck // the suite sees it
}

type duplicates struct{ storetest.Store }

func (s duplicates) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	if err := s.Store.AcceptTask(ctx, record, t); err != nil {
		return storeerror.ErrRecordExists
	}
	return nil
}

// shiftedRecords compares purge times with another instant than the request's,
// and reads records as if it did not.
type shiftedRecords struct {
	storetest.Store
	by time.Duration
}

func (s shiftedRecords) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	record.CreatedAt = record.CreatedAt.Add(s.by)
	return s.Store.AcceptTask(ctx, record, t) //nolint:wrapcheck // the suite sees it
}

func (s shiftedRecords) Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
	record, err := s.Store.Record(ctx, scope, key)
	record.CreatedAt = record.CreatedAt.Add(-s.by)
	return record, err //nolint:wrapcheck // the suite sees it
}

type overlapping struct{ storetest.Store }

func (s overlapping) Log(ctx context.Context, workspace, id, before string, limit, maxBytes int) (conversation.Page, error) {
	page, err := s.Store.Log(ctx, workspace, id, before, limit, maxBytes)
	if err != nil || page.Before == "" || limit < 4 {
		return page, err //nolint:wrapcheck // the suite sees it
	}
	short, err := s.Store.Log(ctx, workspace, id, before, limit-1, maxBytes)
	page.Before = short.Before
	return page, err //nolint:wrapcheck // as above
}

type endlessPages struct{ storetest.Store }

func (s endlessPages) Log(ctx context.Context, workspace, id, before string, limit, _ int) (conversation.Page, error) {
	return s.Store.Log(ctx, workspace, id, before, limit, 1<<30) //nolint:wrapcheck // the suite sees it
}

type trusting struct{ storetest.Store }

func (s trusting) TextOf(ctx context.Context, v document.Version) (document.Version, error) {
	return s.Text(ctx, v.Workspace, v.Document, v.Number)
}

func (s trusting) Text(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	v, err := s.Store.Text(ctx, workspace, id, number)
	if errors.Is(err, storeerror.ErrCorrupt) {
		v, err = s.Version(ctx, workspace, id, number)
	}
	return v, err //nolint:wrapcheck // the suite sees it
}

type lastEvidence struct {
	storetest.Store
	last *sync.Map
}

func (s lastEvidence) PutEvidence(ctx context.Context, e worktask.Evidence) error {
	s.last.Store(e.Ref, e)
	return s.Store.PutEvidence(ctx, e) //nolint:wrapcheck // the suite sees it
}

func (s lastEvidence) ListEvidence(ctx context.Context, ref worktask.Ref) ([]worktask.Evidence, error) {
	all, err := s.Store.ListEvidence(ctx, ref)
	if last, ok := s.last.Load(ref); ok && len(all) > 0 {
		all[len(all)-1] = last.(worktask.Evidence) //nolint:forcetypeassert // only evidence is stored
	}
	return all, err //nolint:wrapcheck // the suite sees it
}

type anyEarlier struct{ storetest.Store }

func (s anyEarlier) Earlier(ctx context.Context, workspace, id string, tasks []string) ([]worktask.Task, error) {
	var all []worktask.Task
	for _, task := range tasks {
		if t, err := s.Get(ctx, conversation.TaskRef(workspace, id, task)); err == nil {
			all = append(all, t)
		}
	}
	return all, nil
}
