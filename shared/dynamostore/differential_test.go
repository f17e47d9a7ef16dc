package dynamostore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/dynamostore/dynamotest"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storetest"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Random lives of a task, on the database and in memory at once: the same
// writes must land, the same be refused, and the same task be left behind. The
// suite tries every write on every state that somebody thought of; this tries
// what nobody did.
func TestRandomLivesAreTheSameInMemory(t *testing.T) {
	t.Parallel()
	client := dynamotest.Client(startKumo(t), nil)
	database := dynamostore.New(client, dynamotest.NewTable(t, client), dynamostore.Options{})
	rapid.Check(t, func(r *rapid.T) {
		l := newLife(t.Context(), database, memstore.New(memstore.Options{HideOldItem: true}))
		l.accept(r)
		for range rapid.IntRange(1, 25).Draw(r, "writes") {
			l.write(r)
		}
	})
}

// life is one task and the claims that were made of it.
type life struct {
	ctx    context.Context //nolint:containedctx // lives for one check
	both   [2]storetest.Store
	now    time.Time
	ref    worktask.Ref
	claims []string
	rights []worktask.Assignment
}

func newLife(ctx context.Context, database, memory storetest.Store) *life {
	id := ulid.Make().String()
	return &life{
		ctx: ctx, both: [2]storetest.Store{database, memory}, now: start,
		ref: conversation.TaskRef("acme", id, id),
	}
}

func (l *life) accept(r *rapid.T) {
	policy := rapid.SampledFrom([]worktask.UnknownPolicy{worktask.RetryUnknown, worktask.StopUnknown}).Draw(r, "policy")
	t := worktask.NewTask(l.ref, "reply", "alice", "{}", "gateway-1", policy, l.now, worktask.ShortTimers())
	if rapid.Bool().Draw(r, "money") {
		t.Money = worktask.NewMoney(int64(rapid.IntRange(1, 50).Draw(r, "limit")), int64(rapid.IntRange(0, 12).Draw(r, "call")))
	}
	record := newRecord()
	record.Key = idempotency.Key(l.ref.ID)
	for _, s := range l.both {
		if err := s.AcceptTask(l.ctx, record, t); err != nil {
			r.Fatal(err)
		}
	}
}

// write makes the clock go and one random write.
func (l *life) write(r *rapid.T) {
	step := rapid.SampledFrom([]time.Duration{0, 0, time.Millisecond, 700 * time.Millisecond, 3 * time.Second, 3500 * time.Millisecond, 20 * time.Second})
	l.now = l.now.Add(step.Draw(r, "step") + 300*time.Microsecond)
	tr := l.draw(r)
	tasks, refused := l.apply(r, tr)
	if refused[0] != refused[1] {
		r.Fatalf("%s at %s: refused by the database: %t, in memory: %t", tr.Name(), l.now, refused[0], refused[1])
	}
	if diff := cmp.Diff(tasks[1], tasks[0]); diff != "" {
		r.Fatalf("after %s (-memory +database):\n%s", tr.Name(), diff)
	}
	if n := len(l.claims); !refused[0] && n > len(l.rights) {
		if a, ok := worktask.AssignmentOf(tasks[0], l.claims[n-1]); ok {
			l.rights = append(l.rights, a)
		}
	}
	l.claims = l.claims[:len(l.rights)]
}

func (l *life) apply(r *rapid.T, tr worktask.Transition) (tasks [2]worktask.Task, refused [2]bool) {
	for i, s := range l.both {
		answer, err := s.Apply(l.ctx, l.ref, tr)
		_, refused[i] = errors.AsType[*taskflow.ConditionError](err)
		if err != nil && !refused[i] {
			r.Fatal(err)
		}
		if tasks[i], err = s.Get(l.ctx, l.ref); err != nil {
			r.Fatal(err)
		}
		if !refused[i] && answer != tasks[i] {
			r.Fatalf("%s answers %+v, and the task is %+v", tr.Name(), answer, tasks[i])
		}
	}
	return tasks, refused
}

// draw makes a write: a claim, one by a worker that has, or had, the task, or
// one by somebody else.
func (l *life) draw(r *rapid.T) worktask.Transition {
	timers := worktask.ShortTimers()
	kinds := []string{"claim", "claim", "lookup", "end", "cancel", "bump", "bump"}
	if len(l.rights) > 0 {
		kinds = append(kinds, "worker", "worker", "worker", "worker", "worker", "worker")
	}
	switch rapid.SampledFrom(kinds).Draw(r, "write") {
	case "claim":
		return worktask.Claim{
			AssignmentID: l.claimID(r), Now: l.now, LeaseUntil: l.now.Add(timers.Lease),
			Margin: timers.SkewMargin, Reserve: timers.LeaseReserve,
			Money: l.countsMoney(r) != (rapid.IntRange(0, 9).Draw(r, "other form") == 0),
		}
	case "lookup":
		return worktask.LookupClaim{
			AssignmentID: l.claimID(r), Now: l.now, LeaseUntil: l.now.Add(timers.Lease),
			Margin: timers.SkewMargin, Reserve: timers.LeaseReserve,
		}
	case "end":
		reasons := []worktask.Reason{worktask.DeadlineOver, worktask.AttemptsExhausted, worktask.OutcomeUnknown, worktask.BudgetExhausted}
		return worktask.End{
			Reason: rapid.SampledFrom(reasons).Draw(r, "reason"), By: worktask.EndedByDispatcher,
			Now: l.now, Margin: timers.SkewMargin,
		}
	case "cancel":
		if rapid.IntRange(0, 9).Draw(r, "cancel") > 0 {
			return l.bump(r) // lives that are all cancelled at once are short
		}
		return worktask.Cancel{Now: l.now}
	case "bump":
		return l.bump(r)
	default:
		return l.byWorker(r, rapid.SampledFrom(l.rights).Draw(r, "right"), timers)
	}
}

// claimID is a new id, or that of an earlier claim that arrives once more.
func (l *life) claimID(r *rapid.T) string {
	if len(l.claims) > 0 && rapid.IntRange(0, 4).Draw(r, "again") == 0 {
		return rapid.SampledFrom(l.claims).Draw(r, "claim")
	}
	l.claims = append(l.claims, fmt.Sprintf("a%d", len(l.claims)+1))
	return l.claims[len(l.claims)-1]
}

func (l *life) countsMoney(r *rapid.T) bool {
	t, err := l.both[1].Get(l.ctx, l.ref)
	if err != nil {
		r.Fatal(err)
	}
	return t.Money.Counted()
}

func (l *life) bump(r *rapid.T) worktask.Transition {
	t, err := l.both[1].Get(l.ctx, l.ref)
	if err != nil {
		r.Fatal(err)
	}
	seen := t.HandoffDueAt
	if seen.IsZero() || rapid.IntRange(0, 3).Draw(r, "stale") == 0 {
		seen = l.now
	}
	return worktask.Bump{Seen: seen, Due: l.now.Add(3 * time.Second)}
}

func (l *life) byWorker(r *rapid.T, a worktask.Assignment, timers worktask.Timers) worktask.Transition {
	seen := worktask.Report{Tokens: worktask.Tokens{
		Input: int64(rapid.IntRange(0, 3).Draw(r, "input")), Output: int64(rapid.IntRange(0, 3).Draw(r, "output")),
	}, ProviderRequestID: rapid.SampledFrom([]string{"", "p1", "p2"}).Draw(r, "provider")}
	seen.Cost = worktask.Cost{Known: rapid.Bool().Draw(r, "cost known"), Micros: int64(rapid.IntRange(0, 13).Draw(r, "cost"))}
	switch rapid.SampledFrom([]string{"begin", "renew", "renew", "operation", "complete", "fail", "release", "release", "release"}).Draw(r, "work") {
	case "begin":
		return a.Begin(l.now)
	case "renew":
		return a.Renew(l.now, l.now.Add(time.Duration(rapid.IntRange(0, 4).Draw(r, "seconds"))*time.Second))
	case "operation":
		return a.SaveOperation(l.now, rapid.SampledFrom([]string{"op-1", "op-2"}).Draw(r, "operation"))
	case "complete":
		return a.Complete(l.now, worktask.Result{Body: rapid.StringN(1, 20, -1).Draw(r, "body")}, seen)
	case "fail":
		return a.Fail(l.now, rapid.SampledFrom(worktask.Reasons()).Draw(r, "reason"), rapid.Bool().Draw(r, "known"), seen)
	default:
		modes := []worktask.ReleaseMode{
			worktask.ReleaseRejected, worktask.ReleaseUnknown, worktask.ReleaseLookup, worktask.ReleaseLookupLost, worktask.ReleaseFailed,
		}
		next := l.now.Add(time.Duration(rapid.IntRange(0, 3).Draw(r, "delay")) * time.Second)
		return a.Release(l.now, rapid.SampledFrom(modes).Draw(r, "mode"), next, next.Add(timers.HandoffGrace), seen)
	}
}
