package check_test

import (
	"bytes"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

// scenarios are runs of the real flow in which something goes wrong.
func scenarios() map[string]func(*rig) {
	return map[string]func(*rig){
		"plain":    func(r *rig) { r.run("worker-1", after(25*time.Second, "answer")) },
		"frozen":   frozen(after(50*time.Second, "late")),
		"failing":  frozen(ending(50*time.Second, worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.Declined})),
		"slept":    slept,
		"deadline": deadline,
		"lost acknowledgements": func(r *rig) {
			for _, write := range []string{history.Claim, history.Renew, history.Complete} {
				r.on("worker-1", write, fault{lose: true})
			}
			r.run("worker-1", after(15*time.Second, "answer"))
		},
		"unavailable": func(r *rig) {
			r.on("worker-1", history.Complete, fault{drop: true}, fault{drop: true})
			r.run("worker-1", after(time.Second, "answer"))
		},
		"rejected, then answered": func(r *rig) {
			r.run("worker-1", ending(time.Second, worktask.Outcome{Kind: worktask.Rejected, RetryAfter: 2 * time.Second}))
			r.run("worker-2", after(time.Second, "too early"))
			time.Sleep(3 * time.Second)
			r.run("worker-2", after(time.Second, "answer"))
		},
		"cancelled while it runs": cancelledLate,
		"cancelled under a sweep": cancelledUnderSweep,
	}
}

// frozen: the first worker cannot renew, is replaced, and ends its call while
// the second one works.
func frozen(first scripted) func(*rig) {
	return func(r *rig) {
		for range 20 {
			r.on("worker-1", history.Renew, fault{drop: true})
		}
		var workers sync.WaitGroup
		workers.Go(func() { r.run("worker-1", first) })
		time.Sleep(35 * time.Second)
		workers.Go(func() { r.run("worker-2", after(25*time.Second, "answer")) })
		workers.Wait()
	}
}

// slept: the lease is over and nobody has taken over; then somebody does.
func slept(r *rig) {
	for range 20 {
		r.on("worker-1", history.Renew, fault{drop: true})
	}
	r.run("worker-1", after(40*time.Second, "late"))
	r.run("worker-2", after(time.Second, "answer"))
}

// deadline: no worker is there, and the dispatcher ends the task.
func deadline(r *rig) {
	for range 12 {
		r.sweep()
		time.Sleep(r.timers.DispatchEvery)
	}
	r.drained()
}

func cancelledLate(r *rig) {
	var workers sync.WaitGroup
	workers.Go(func() { r.run("worker-1", after(8*time.Second, "late")) })
	time.Sleep(2 * time.Second)
	r.cancel()
	workers.Wait()
}

// cancelledUnderSweep: the dispatcher has read the task when the cancel lands.
func cancelledUnderSweep(r *rig) {
	r.on("dispatcher", history.Bump, fault{before: r.cancel})
	time.Sleep(time.Minute)
	r.sweep()
	time.Sleep(time.Minute)
	r.sweep()
	r.drained()
}

func TestTheRealFlowKeepsItsPromises(t *testing.T) {
	t.Parallel()
	for name, scenario := range scenarios() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := play(t, nil, scenario)
			report := decide(t, h)
			if !report.Good() {
				t.Errorf("findings: %v", report.Findings())
			}
			sameFromFile(t, h, report)
			if report := decide(t, withoutStore(h)); !report.Good() {
				t.Errorf("without the store's side: %v", report.Findings())
			}
		})
	}
}

// sameFromFile: a record that was written to a file and read back gets the same
// verdicts.
func sameFromFile(t *testing.T, h history.History, want check.Report) {
	t.Helper()
	var file bytes.Buffer
	if _, err := h.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	again, err := history.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if got := decide(t, again); !reflect.DeepEqual(got, want) {
		t.Errorf("from the file: %v, directly: %v", got, want)
	}
}

// withoutStore is the record that senders alone can make.
func withoutStore(h history.History) history.History {
	out := history.History{Header: h.Header}
	seq := map[int64]int64{}
	for _, e := range h.Events {
		if e.Kind == history.Stored || e.Kind == history.Created {
			continue
		}
		seq[e.Seq] = int64(len(out.Events)) + 1
		e.Seq, e.Op = seq[e.Seq], seq[e.Op]
		out.Events = append(out.Events, e)
	}
	return out
}

// imitation is a broken transition in the place of a right one.
type imitation struct {
	worktask.Transition
	permitted func(worktask.Task) error
	apply     func(worktask.Task) worktask.Task
}

func (i imitation) Original() worktask.Transition { return i.Transition }

func (i imitation) Permitted(t worktask.Task) error {
	if i.permitted != nil {
		return i.permitted(t)
	}
	return i.Transition.Permitted(t)
}

func (i imitation) Apply(t worktask.Task) worktask.Task {
	t = i.Transition.Apply(t)
	if i.apply != nil {
		return i.apply(t)
	}
	return t
}

// breaking is a mutant that breaks one write.
func breaking(write string, broken func(worktask.Transition) imitation) mutate {
	return func(tr worktask.Transition) worktask.Transition {
		if tr.Name() != write {
			return tr
		}
		b := broken(tr)
		b.Transition = tr
		return b
	}
}

func leaving(apply func(worktask.Task) worktask.Task) func(worktask.Transition) imitation {
	return func(worktask.Transition) imitation { return imitation{apply: apply} }
}

// always permits, but for the states given.
func permitting(not ...worktask.Status) func(worktask.Transition) imitation {
	return func(tr worktask.Transition) imitation {
		return imitation{permitted: func(t worktask.Task) error {
			for _, s := range not {
				if t.Status == s {
					return tr.Permitted(t)
				}
			}
			return nil
		}}
	}
}

func TestBrokenStoresAreCaught(t *testing.T) {
	t.Parallel()
	ends := []worktask.Status{worktask.Completed, worktask.Failed, worktask.Cancelled}
	all := scenarios()
	for _, m := range []struct {
		name     string
		mutate   mutate
		scenario string
		breaks   check.Promise
	}{
		{"completion without version", breaking(history.Complete, permitting(ends...)), "frozen", check.P2},
		{"completion without lease", breaking(history.Complete, permitting(ends...)), "slept", check.P2},
		{"any attempt completes", breaking(history.Complete, permitting()), "frozen", check.P1},
		{"failure without fence", breaking(history.Fail, permitting(ends...)), "failing", check.P10},
		{"completion after a cancel", breaking(history.Complete, permitting()), "cancelled while it runs", check.EndFinal},
		{"cancel does not move the version", breaking(history.Cancel, leaving(func(t worktask.Task) worktask.Task {
			t.AssignmentVersion--
			return t
		})), "cancelled while it runs", check.P3},
		{"due time removed at claim", breaking(history.Claim, leaving(func(t worktask.Task) worktask.Task {
			t.HandoffDueAt = time.Time{}
			return t
		})), "plain", check.DueTime},
		{"unconditional bump", breaking(history.Bump, permitting()), "cancelled under a sweep", check.DueTime},
		{"takeover refills the budget", breaking(history.Claim, leaving(func(t worktask.Task) worktask.Task {
			t.Budget.AttemptsLeft = t.Budget.AttemptLimit - 1
			return t
		})), "frozen", check.P6},
		{"release gives the call back", breaking(history.Release, leaving(func(t worktask.Task) worktask.Task {
			t.Budget.CallsLeft++
			return t
		})), "rejected, then answered", check.P6},
		{"retry that forgets its spend", breaking(history.Release, leaving(func(t worktask.Task) worktask.Task {
			t.Budget.CallsKnown = 0
			return t
		})), "rejected, then answered", check.P14},
		{"nobody ends what is over", breaking(history.End, func(worktask.Transition) imitation {
			return imitation{permitted: func(worktask.Task) error { return worktask.ErrNotOver }}
		}), "deadline", check.P5},
		{"claim before its time", breaking(history.Claim, permitting(ends...)), "rejected, then answered", check.Linearizable},
		{"renewal to a shorter lease", breaking(history.Renew, leaving(func(t worktask.Task) worktask.Task {
			t.LeaseExpiresAt = t.LeaseExpiresAt.Add(-5 * time.Second)
			return t
		})), "plain", check.Linearizable},
	} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			h := play(t, m.mutate, all[m.scenario])
			if report := decide(t, withoutStore(h)); len(report.Broken()) == 0 {
				t.Errorf("not caught without the store's side")
			}
			report := decide(t, h)
			if report.Of(m.breaks).Status() != check.Broken {
				var text strings.Builder
				_ = report.Print(&text)
				t.Errorf("%s is not broken:\n%s", m.breaks, text.String())
			}
		})
	}
}
