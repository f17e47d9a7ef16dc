package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

func resultOf(t *testing.T, s *script) Result {
	t.Helper()
	timers, err := worktask.TimersNamed("short")
	if err != nil {
		t.Fatal(err)
	}
	tally := newTally(timers)
	tally.add(s.events)
	return Result{
		options: Options{Seed: 7}, timers: timers, tally: tally, faults: map[what]int{
			{KillBefore, drills.Worker, drills.Complete}: 2, {KillAfter, drills.API, drills.Accept}: 1, {kind: Duplicate, role: drills.Worker}: 3,
			{kind: Copy, role: drills.Worker}: 4,
		},
		presses: []*press{
			{task: &browser.Task{ID: "1", Status: "completed", Spend: browser.Spend{Calls: 2, CallsUnknown: 1}}},
			{task: &browser.Task{ID: "2", Status: "failed", Failure: &browser.Failure{Reason: "deadline"}}},
			{}, // was never answered
		},
		History: history.History{Events: s.events},
	}
}

func TestTheTable(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.write(time.Second, "worker-1", history.Claim, worktask.Running, lease)
	s.kill(2*time.Second, "worker-1")
	s.write(6*time.Second, "worker-2", history.Claim, worktask.Running, lease)
	r := resultOf(t, s)
	r.Report.Verdicts = []check.Verdict{{Promise: check.P1, Title: "one", Cases: 3}}
	for _, want := range []string{
		"tasks                                    1  completed 1, failed 1", "killed at a request                      3  before complete 2, after accept 1",
		"messages duplicated                      7  copy in the queue 4, delivered twice at once 3", "processes killed                         1  worker 1",
		"failures                                 1  deadline 1", "provider calls recorded                  2  0 sent by the provider's own log, 1 with unknown outcome",
		"1   4.00   4.00       4.00  ✓ aim: p99 at most 8s", "P1       one      3  ✓ kept", "every promise held: 1 tasks",
	} {
		if !strings.Contains(r.Table(), want) {
			t.Errorf("the table has no %q:\n%s", want, r.Table())
		}
	}
}

func TestTheTableNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newScript()
	s.write(time.Second, "worker-1", history.Claim, worktask.Running, lease)
	s.kill(2*time.Second, "worker-1")
	s.write(12*time.Second, "worker-2", history.Claim, worktask.Running, lease)
	r := resultOf(t, s)
	r.Deviations = []string{"key k was not answered"}
	r.Report.Verdicts = []check.Verdict{
		{Promise: check.P2, Title: "two", Cases: 1, Findings: []check.Finding{{Promise: check.P2, Task: task, Events: []int64{2}, Text: "is broken"}}},
		{Promise: check.P9, Title: "nine"},
	}
	if r.Good() || len(r.Failing()) != 1 {
		t.Errorf("good %t, failing %v", r.Good(), r.Failing())
	}
	for _, want := range []string{
		"✗ aim: p99 at most 8s", "✗ key k was not answered", "✗ P2 task acme/C#1/task: is broken (#2)", "✗ broken", "– not seen", "NOT as it must be (1 deviations, 1 findings)",
	} {
		if !strings.Contains(r.Table(), want) {
			t.Errorf("the table has no %q:\n%s", want, r.Table())
		}
	}
}

func TestTheStoryOfATask(t *testing.T) {
	t.Parallel()
	s := newScript()
	asked := s.add(0, history.Event{Actor: "ada", Kind: history.RequestSent, Request: &history.Request{Operation: "submit", Key: "k"}})
	s.add(time.Second, history.Event{Actor: "ada", Kind: history.RequestAnswered, Op: asked, Task: task, Answer: &history.Answer{Status: 202}})
	s.add(time.Second, history.Event{Actor: "ben", Kind: history.RequestSent, Request: &history.Request{Operation: "submit", Key: "other"}})
	s.write(time.Second, "worker-1", history.Claim, worktask.Running, lease)
	s.add(2*time.Second, history.Event{Actor: "worker-1", Kind: history.ProcessFrozen})
	s.add(4*time.Second, history.Event{Actor: "worker-1", Kind: history.ProcessThawed})
	s.kill(5*time.Second, "worker-3") // has nothing to do with it
	s.write(6*time.Second, "worker-1", history.Complete, worktask.Completed, 0)
	h := history.History{Events: s.events}
	part := Part(h, task)
	for i, e := range part.Events {
		if e.Seq != int64(i)+1 || e.Actor == "ben" || e.Actor == "worker-3" {
			t.Errorf("event %d of the part is %d, of %s", i+1, e.Seq, e.Actor)
		}
		if e.Kind == history.RequestAnswered && part.Events[e.Op-1].Kind != history.RequestSent {
			t.Errorf("the answer belongs to a %s", part.Events[e.Op-1].Kind)
		}
	}
	story := Story(h, task)
	for _, want := range []string{"ada presses Send", "takes the task", "stands still for 2.0 s", "+6.000 s"} {
		if !strings.Contains(story, want) {
			t.Errorf("the story has no %q:\n%s", want, story)
		}
	}
	if got := Part(h, "acme/C#1/none"); len(got.Events) != 0 {
		t.Errorf("the part of no task has %d events", len(got.Events))
	}
}
