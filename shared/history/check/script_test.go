package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

// script makes a history by hand. Writes do to the task what the engine says,
// without asking whether they are permitted.
type script struct {
	t      testing.TB
	timers worktask.Timers
	now    time.Time
	r      *history.Recorder
	tasks  map[worktask.Ref]worktask.Task
	ref    worktask.Ref // of the task that everything is about
	store  bool         // record the store's side
}

var (
	start     = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	firstTask = worktask.Ref{Workspace: "acme", Scope: "C#01", ID: "T1"}
)

func newScript(tb testing.TB) *script {
	tb.Helper()
	s := &script{t: tb, timers: worktask.DefaultTimers(), now: start, tasks: map[worktask.Ref]worktask.Task{}, ref: firstTask, store: true}
	s.r = history.NewRecorder(func() time.Time { return s.now }, history.Header{Name: tb.Name(), Limits: history.LimitsOf(s.timers)})
	return s
}

func (s *script) wait(d time.Duration) { s.now = s.now.Add(d) }

func (s *script) event(actor string, e history.Event) int64 {
	e.Actor = actor
	return s.r.Record(e)
}

func (s *script) task() worktask.Task { return s.tasks[s.ref] }

func (s *script) item() *history.Item {
	item := history.ItemOf(s.task())
	return &item
}

// accept makes the task under the key.
func (s *script) accept(key string, change ...func(*worktask.Task)) {
	s.acceptUnder(s.record(key, "f"), change...)
}

func (s *script) record(key, fingerprint string) history.Record {
	return history.Record{
		Workspace: s.ref.Workspace, Caller: "alice", Operation: "submit", Key: key, Fingerprint: fingerprint, Target: "/tasks/" + s.ref.ID,
		CreatedAt: history.MillisOf(s.now), ReplayUntil: history.MillisOf(s.now.Add(s.timers.ReplayWindow)),
		PurgeAfter: history.MillisOf(s.now.Add(s.timers.PurgeAfter)),
	}
}

func (s *script) acceptUnder(record history.Record, change ...func(*worktask.Task)) {
	t := worktask.NewTask(s.ref, "reply", "alice", "{}", "req", worktask.RetryUnknown, s.now, s.timers)
	for _, c := range change {
		c(&t)
	}
	s.tasks[s.ref] = t
	creation := history.Creation{What: history.CreatesMessage, Record: record, Item: s.item()}
	ref := history.RefOf(s.ref)
	sent := s.event("api", history.Event{Kind: history.CreateSent, Task: ref, Creation: &creation})
	if s.store {
		s.event("store", history.Event{Kind: history.Created, Op: sent, Task: ref, Creation: &creation})
	}
	s.event("api", history.Event{Kind: history.CreateDone, Op: sent, Task: ref, Outcome: history.Landed})
}

func (s *script) describe(tr worktask.Transition) *history.Write {
	s.t.Helper()
	w, err := history.WriteOf(tr)
	if err != nil {
		s.t.Fatal(err)
	}
	return &w
}

// write lands and is acknowledged; change spoils what it leaves.
func (s *script) write(actor string, tr worktask.Transition, change ...func(*worktask.Task)) {
	s.t.Helper()
	sent := s.send(actor, tr)
	s.land(sent, tr, change...)
	s.event(actor, history.Event{Kind: history.WriteDone, Op: sent, Task: history.RefOf(s.ref), Outcome: history.Landed, Item: s.item()})
}

func (s *script) send(actor string, tr worktask.Transition) int64 {
	s.t.Helper()
	return s.event(actor, history.Event{Kind: history.WriteSent, Task: history.RefOf(s.ref), Write: s.describe(tr)})
}

func (s *script) land(sent int64, tr worktask.Transition, change ...func(*worktask.Task)) {
	s.t.Helper()
	before := s.item()
	t := tr.Apply(s.task())
	for _, c := range change {
		c(&t)
	}
	s.tasks[s.ref] = t
	if s.store {
		s.event("store", history.Event{
			Kind: history.Stored, Op: sent, Task: history.RefOf(s.ref), Write: s.describe(tr), Before: before, After: s.item(),
		})
	}
}

// refuse: the condition did not hold, and the sender is told what was seen.
func (s *script) refuse(actor string, tr worktask.Transition) {
	s.t.Helper()
	sent := s.send(actor, tr)
	s.event(actor, history.Event{Kind: history.WriteDone, Op: sent, Task: history.RefOf(s.ref), Outcome: history.RefusedBy, Item: s.item()})
}

// lose: the write lands or not, and its sender does not know.
func (s *script) lose(actor string, tr worktask.Transition, landed bool) {
	s.t.Helper()
	sent := s.send(actor, tr)
	if landed {
		s.land(sent, tr)
	}
	s.event(actor, history.Event{Kind: history.WriteDone, Op: sent, Task: history.RefOf(s.ref), Outcome: history.Lost})
}

// read shows the task; change makes the reader see something else.
func (s *script) read(actor string, change ...func(*history.Item)) {
	item := s.item()
	for _, c := range change {
		c(item)
	}
	sent := s.event(actor, history.Event{Kind: history.ReadSent, Task: history.RefOf(s.ref)})
	s.event(actor, history.Event{Kind: history.ReadDone, Op: sent, Task: history.RefOf(s.ref), Outcome: history.Landed, Item: item})
}

// claim takes the task and returns the assignment.
func (s *script) claim(actor, id string) worktask.Assignment {
	s.t.Helper()
	s.write(actor, s.claimOf(id))
	return s.assignment(id)
}

func (s *script) claimOf(id string) worktask.Claim {
	return worktask.Claim{
		AssignmentID: id, Now: s.now, LeaseUntil: s.now.Add(s.timers.Lease), Margin: s.timers.SkewMargin, Reserve: s.timers.LeaseReserve,
	}
}

func (s *script) assignment(id string) worktask.Assignment {
	s.t.Helper()
	a, ok := worktask.AssignmentOf(s.task(), id)
	if !ok {
		s.t.Fatalf("%s does not hold the task", id)
	}
	return a
}

// call is a request, from the worker and at the provider.
func (s *script) call(actor string, id string) {
	call := history.Call{AssignmentID: id}
	s.event(actor, history.Event{Kind: history.CallSent, Task: history.RefOf(s.ref), Call: &call})
	s.event("provider", history.Event{Kind: history.CallReceived, Task: history.RefOf(s.ref), Call: &history.Call{RequestID: id}})
}

func (s *script) deliver(actor string) int64 {
	return s.event(actor, history.Event{Kind: history.Delivered, Task: history.RefOf(s.ref), Message: &history.Message{ReceiveCount: 1}})
}

func (s *script) handled(actor string, delivered int64, action string) {
	s.event(actor, history.Event{Kind: history.Handled, Op: delivered, Task: history.RefOf(s.ref), Message: &history.Message{Action: action}})
}

func (s *script) evidence(actor string, a worktask.Assignment, body string) {
	e := history.Evidence{AssignmentID: a.ID(), AssignmentVersion: a.Version(), SHA256: history.Hash(body), Bytes: int64(len(body))}
	sent := s.event(actor, history.Event{Kind: history.EvidenceSent, Task: history.RefOf(s.ref), Evidence: &e})
	s.event(actor, history.Event{Kind: history.EvidenceDone, Op: sent, Task: history.RefOf(s.ref), Outcome: history.Landed})
}

// answerOf is the answer that shows the task as it is.
func (s *script) answerOf(status int) history.Answer {
	t := s.task()
	view := history.View{
		Status: string(t.Status), AssignmentVersion: t.AssignmentVersion, AttemptsLeft: t.Budget.AttemptsLeft,
		Calls: t.Budget.Calls(), CallsLeft: t.Budget.CallsLeft, CallsKnown: t.Budget.CallsKnown, CallsUnknown: t.UnknownCalls(),
		Failure: string(t.FailureReason),
	}
	if t.Result.Present() {
		view.ReplySHA256 = history.Hash("text of " + t.Result.Body)
	}
	return history.Answer{Status: status, Location: "/tasks/" + t.ID, View: &view}
}

// ask is a request and its answer.
func (s *script) ask(req history.Request, answer history.Answer) {
	ref := history.RefOf(s.ref)
	asked := ref
	if req.Key != "" {
		asked = ""
	}
	sent := s.event(req.Caller, history.Event{Kind: history.RequestSent, Task: asked, Request: &req})
	answered := history.Event{Kind: history.RequestAnswered, Op: sent, Answer: &answer}
	if answer.View != nil {
		answered.Task = ref
	}
	s.event(req.Caller, answered)
}

func submit(key, fingerprint string) history.Request {
	return history.Request{Workspace: "acme", Caller: "alice", Operation: "submit", Key: key, Fingerprint: fingerprint}
}

func reading() history.Request {
	return history.Request{Workspace: "acme", Caller: "alice", Operation: history.OperationRead}
}

func replayed(a history.Answer) history.Answer {
	a.Replayed = true
	return a
}

// sweep is a full run of the dispatcher.
func (s *script) sweep() { s.partialSweep(true, 0) }

func (s *script) partialSweep(complete bool, failed int) {
	begun := s.event("dispatcher", history.Event{Kind: history.SweepBegun})
	s.event("dispatcher", history.Event{Kind: history.SweepDone, Op: begun, Sweep: &history.Sweep{Complete: complete, Failed: failed}})
}

func (s *script) drained() { s.event("driver", history.Event{Kind: history.Drained}) }

func (s *script) check(o check.Options) check.Report {
	s.t.Helper()
	report, err := check.Check(s.r.History(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

// want fails unless exactly these promises are broken, and nothing is undecided.
func (s *script) want(report check.Report, promises ...check.Promise) {
	s.t.Helper()
	if slices.Equal(report.Broken(), promises) && len(report.Undecided()) == 0 {
		return
	}
	var text strings.Builder
	if err := report.Print(&text); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range s.r.History().Events {
		fmt.Fprintf(&text, "#%d %s %s %s\n", e.Seq, e.Actor, e.Kind, e.Outcome)
	}
	s.t.Errorf("broken %v, undecided %v, want broken %v\n%s", report.Broken(), report.Undecided(), promises, text.String())
}

// acceptLost makes the task, and its acknowledgement is lost.
func (s *script) acceptLost(record history.Record) {
	s.tasks[s.ref] = worktask.NewTask(s.ref, "reply", "alice", "{}", "req", worktask.RetryUnknown, s.now, s.timers)
	creation := history.Creation{What: history.CreatesMessage, Record: record, Item: s.item()}
	ref := history.RefOf(s.ref)
	sent := s.event("api", history.Event{Kind: history.CreateSent, Task: ref, Creation: &creation})
	s.event("store", history.Event{Kind: history.Created, Op: sent, Task: ref, Creation: &creation})
	s.event("api", history.Event{Kind: history.CreateDone, Op: sent, Task: ref, Outcome: history.Lost})
}
