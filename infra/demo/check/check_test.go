package check_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/worktask"
)

var (
	begun  = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	digest = strings.Repeat("ab", 32)
)

// The tasks of a good run: one whose first worker was replaced and came late, one that was stopped and
// whose answer came late, and one whose worker did not hear of its own writes.
const (
	replaced, stopped, deaf = 0, 1, 2
	conversation            = "/v1/conversations/"
)

func ref(id string) worktask.Ref { return worktask.Ref{Workspace: "acme", Scope: "C#C" + id, ID: id} }

func task(id string, status worktask.Status, version int64, calls, known int, endedBy string) check.Task {
	timers := worktask.ShortTimers()
	t := worktask.NewTask(ref(id), "reply", "ada", "{}", "G"+id, worktask.RetryUnknown, begun, timers)
	t.Status, t.AssignmentVersion, t.EndedBy, t.EndedAt, t.HandoffDueAt = status, version, endedBy, begun.Add(5*time.Second), time.Time{}
	t.Budget.AttemptsLeft -= calls
	t.Budget.CallsLeft -= calls
	t.Budget.CallsKnown = known
	if status == worktask.Completed {
		t.Result.Body = `{"text":"because"}`
	}
	return check.Task{Task: t, Conversation: "C" + id, Later: t}
}

func claim(id string, version int64, owner string) journal.Write {
	return journal.Write{Ref: ref(id), Kind: journal.Claim, Caller: "worker-1", Owner: owner, Landed: true, Version: version, Status: worktask.Running}
}

func ends(t check.Task, kind journal.Kind, fence int64) journal.Write {
	return journal.Write{Ref: t.Ref, Kind: kind, Caller: "worker-1", Fence: fence, Landed: true, Version: t.AssignmentVersion, Status: t.Status, Task: t.Task}
}

func refused(id string, kind journal.Kind, fence int64) journal.Write {
	return journal.Write{Ref: ref(id), Kind: kind, Caller: "worker-1", Fence: fence, Refused: true}
}

func line(id, message string, version int64) check.Line {
	return check.Line{Task: id, Process: "worker-1", Message: message, Version: version}
}

func refusal(id string, kind journal.Kind) check.Line {
	return check.Line{
		Task: id, Process: "worker-1", Message: check.LineRefused, Version: 1, Operation: string(kind), Reason: "the task is completed already",
	}
}

func shown(t check.Task) *browser.Task {
	b := &browser.Task{
		ID: t.ID, Conversation: t.Conversation, Status: string(t.Status), AssignmentVersion: t.AssignmentVersion,
		Spend: browser.Spend{
			Calls: t.Budget.Calls(), CallsKnown: t.Budget.CallsKnown, CallsUnknown: t.UnknownCalls(),
			RefusedAnswers: make([]browser.Refused, len(t.Evidence)),
		},
	}
	if t.Result.Present() {
		b.Reply = &browser.Reply{Text: "because"}
	}
	return b
}

func submit(t check.Task, status int, replayed bool, sent string) browser.Answer {
	a := browser.Answer{Method: http.MethodPost, Path: conversation + t.Conversation + "/messages", Key: "K" + t.ID, Sent: sent, Status: status, Replayed: replayed}
	if status < 300 {
		a.Task = &browser.Task{ID: t.ID, Conversation: t.Conversation, Status: "pending"}
	}
	return a
}

func read(t check.Task) browser.Answer {
	return browser.Answer{Method: http.MethodGet, Path: conversation + t.Conversation + "/tasks/" + t.ID, Status: http.StatusOK, Task: shown(t)}
}

func lateStop(t check.Task) browser.Answer {
	return browser.Answer{Method: http.MethodPost, Status: http.StatusConflict, Code: "task_ended", Task: shown(t)}
}

func request(id string, recorded int) check.Request {
	return check.Request{ID: "req-" + id, Task: id, Recorded: recorded, Status: worktask.Running}
}

// good is a run in which every promise was put to the test and held.
func good() check.Observations {
	a := task("A", worktask.Completed, 2, 2, 1, "a2")
	a.Evidence = []worktask.Evidence{{Ref: a.Ref, AssignmentVersion: 1, Bytes: 20, SHA256: digest, Tokens: worktask.Tokens{Output: 5}}}
	b := task("B", worktask.Cancelled, 2, 1, 0, worktask.EndedByUser)
	c := task("C", worktask.Completed, 1, 1, 1, "c1")
	lostClaim, lostSave := claim("C", 1, "c1"), ends(c, journal.Complete, 1)
	lostClaim.Lost, lostSave.Lost = true, true
	return check.Observations{
		Timers:   worktask.ShortTimers(),
		Tasks:    []check.Task{a, b, c},
		Messages: map[string]int{"CA": 1, "CB": 1, "CC": 1},
		Answers: []browser.Answer{
			submit(a, http.StatusAccepted, false, "why?"), submit(a, http.StatusOK, true, "why?"), submit(a, http.StatusUnprocessableEntity, false, "how?"),
			{Method: http.MethodPost, Path: conversation + "CB/messages", Key: "KB", Sent: "what?", Status: http.StatusBadGateway},
			submit(b, http.StatusOK, true, "what?"), submit(c, http.StatusAccepted, false, "who?"),
			read(a), read(a), lateStop(a), read(b), read(c),
		},
		Others: []browser.Answer{{Who: "eve", Method: http.MethodGet, Path: "/v1/x", Status: http.StatusNotFound, Code: "not_found"}},
		Writes: []journal.Write{
			claim("A", 1, "a1"), claim("A", 2, "a2"), refused("A", journal.Complete, 1), ends(a, journal.Complete, 2),
			claim("B", 1, "b1"), ends(b, journal.Cancel, 0), refused("B", journal.Renew, 1), refused("B", journal.Release, 1),
			lostClaim, lostSave,
		},
		Deletions: []journal.Deletion{{Ref: a.Ref, Task: a.Task}},
		Requests:  []check.Request{request("A", 1), request("A", 2), request("B", 1), request("C", 1)},
		Counted:   4,
		Lines: []check.Line{
			line("A", check.LineClaimed, 1), line("A", check.LineTakenOver, 2), refusal("A", journal.Complete), line("B", check.LineClaimed, 1),
			refusal("B", journal.Release), line("C", check.LineClaimed, 1),
		},
		Left: map[string]check.QueueLeft{"the queue": {}},
	}
}

func brokenOf(o check.Observations) []string {
	var ids []string
	for _, p := range check.Promises(o) {
		if !p.Held() {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

func TestAGoodRunKeepsEveryPromise(t *testing.T) {
	t.Parallel()
	promises := check.Promises(good())
	for _, p := range promises {
		if !p.Held() {
			t.Errorf("%s: %v", p.ID, p.Broken)
		}
		if p.Seen == "" || p.Text == "" {
			t.Errorf("%s says neither what it is nor what was seen: %+v", p.ID, p)
		}
	}
	if len(promises) != 12 {
		t.Errorf("%d promises", len(promises))
	}
}

// breakage is one thing that must not be seen, and the promises that it breaks, among others perhaps.
type breakage struct {
	name   string
	breaks string // ids, with spaces between
	change func(*check.Observations)
}

// change edits a task in all places that show its end.
func change(o *check.Observations, i int, edit func(*worktask.Task)) {
	edit(&o.Tasks[i].Task)
	edit(&o.Tasks[i].Later)
	for w := range o.Writes {
		if o.Writes[w].Ref == o.Tasks[i].Ref && o.Writes[w].Status.Ended() {
			edit(&o.Writes[w].Task)
		}
	}
}

var breakages = []breakage{
	{"two completions land", "P1", func(o *check.Observations) { o.Writes = append(o.Writes, ends(o.Tasks[replaced], journal.Complete, 2)) }},
	{"a completed task without a reply", "P1", func(o *check.Observations) {
		change(o, replaced, func(t *worktask.Task) { t.Result = worktask.Result{} })
	}},
	{"a cancelled task with a reply", "P1", func(o *check.Observations) {
		change(o, stopped, func(t *worktask.Task) { t.Result.Body = "{}" })
	}},
	{"a completion that nobody saw", "P1", func(o *check.Observations) {
		o.Writes = slices.DeleteFunc(o.Writes, func(w journal.Write) bool { return w.Ref.ID == "A" && w.Landed && w.Kind == journal.Complete })
	}},
	{"two different replies shown", "P1", func(o *check.Observations) {
		other := read(o.Tasks[replaced])
		other.Task.Reply = &browser.Reply{Text: "something else"}
		o.Answers = append(o.Answers, other)
	}},
	{"a reply that is gone again", "P1", func(o *check.Observations) {
		other := read(o.Tasks[replaced])
		other.Task.Reply = nil
		o.Answers = append(o.Answers, other)
	}},
	{"a reply of a cancelled task", "P1", func(o *check.Observations) {
		other := read(o.Tasks[stopped])
		other.Task.Reply = &browser.Reply{Text: "because"}
		o.Answers = append(o.Answers, other)
	}},

	{"the first worker's completion lands", "P2", func(o *check.Observations) {
		o.Writes[2], o.Writes[3] = refused("A", journal.Complete, 2), ends(o.Tasks[replaced], journal.Complete, 1)
	}},
	{"completed by another assignment", "P2", func(o *check.Observations) { change(o, replaced, func(t *worktask.Task) { t.EndedBy = "a1" }) }},
	{"completed at a version that nobody claimed", "P2 P3", func(o *check.Observations) { o.Writes = slices.Delete(o.Writes, 1, 2) }},
	{"a refusal that its worker does not explain", "P2", func(o *check.Observations) {
		o.Lines = slices.DeleteFunc(o.Lines, func(l check.Line) bool { return l.Operation == string(journal.Complete) })
	}},
	{"a refusal of another assignment explained", "P2", func(o *check.Observations) { o.Lines[2].Version = 2 }},
	{"a refusal without a reason", "P2", func(o *check.Observations) { o.Lines[2].Reason = "" }},

	{"a version that was skipped", "P3", func(o *check.Observations) {
		change(o, replaced, func(t *worktask.Task) { t.AssignmentVersion = 3 })
		o.Writes[1].Version, o.Writes[3].Version, o.Writes[3].Fence, o.Lines[1].Version = 3, 3, 3, 3
	}},
	{"two workers with one version", "P3", func(o *check.Observations) {
		o.Lines = append(o.Lines, line("A", check.LineTakenOver, 2))
		o.Writes = append(o.Writes, claim("A", 2, "a3"))
	}},
	{"a claim above the last version", "P3", func(o *check.Observations) { o.Lines = append(o.Lines, line("A", check.LineTakenOver, 3)) }},
	{"a version that a renewal has moved", "P3", func(o *check.Observations) {
		o.Writes = append(o.Writes, journal.Write{Ref: ref("A"), Kind: journal.Renew, Fence: 1, Landed: true, Version: 2, Status: worktask.Running})
	}},
	{"a cancel that moved nothing", "P3", func(o *check.Observations) { change(o, stopped, func(t *worktask.Task) { t.AssignmentVersion = 1 }) }},

	{"one key, two tasks", "P4", func(o *check.Observations) { o.Answers[1].Task.ID = "B" }},
	{"one key accepted twice", "P4", func(o *check.Observations) { o.Answers[1].Replayed = false }},
	{"another text accepted", "P4", func(o *check.Observations) { o.Answers[2].Status = http.StatusAccepted }},
	{"a message that no key accounts for", "P4", func(o *check.Observations) { o.Messages["CA"] = 2 }},
	{"a key that leads nowhere", "P4", func(o *check.Observations) { o.Answers[4].Status, o.Answers[4].Task = http.StatusBadGateway, nil }},

	{"a task that has not ended", "P5 P7", func(o *check.Observations) {
		change(o, stopped, func(t *worktask.Task) { t.Status = worktask.Running })
	}},
	{"a task that ended too late", "P5", func(o *check.Observations) {
		late := o.Timers.TaskDeadline + o.Timers.RecoveryInterval() + time.Millisecond
		change(o, stopped, func(t *worktask.Task) { t.EndedAt = begun.Add(late) })
	}},

	{"a budget that was refilled", "P6 P14", func(o *check.Observations) { change(o, replaced, func(t *worktask.Task) { t.Budget.CallsLeft++ }) }},
	{"an attempt given back for nothing", "P6", func(o *check.Observations) { change(o, replaced, func(t *worktask.Task) { t.Budget.AttemptsLeft++ }) }},
	{"a larger limit", "P6", func(o *check.Observations) {
		change(o, replaced, func(t *worktask.Task) {
			t.Budget.CallLimit, t.Budget.CallsLeft = t.Budget.CallLimit+1, t.Budget.CallsLeft+1
		})
	}},
	{"too many repeats after unknown ends", "P6", func(o *check.Observations) {
		change(o, replaced, func(t *worktask.Task) {
			t.Budget.CallsKnown, t.Budget.UnknownRepeats = 0, 0
		})
	}},

	{"a message of a lost task deleted", "P7", func(o *check.Observations) { o.Deletions[0].Task = worktask.Task{Status: worktask.Running} }},
	{"a deletion whose task cannot be read", "P7", func(o *check.Observations) { o.Deletions[0].Err = errors.New("gone") }},
	{"a message that is left", "P7", func(o *check.Observations) { o.Left["the queue"] = check.QueueLeft{InFlight: 1} }},
	{"an ended task that is due", "P7", func(o *check.Observations) { change(o, stopped, func(t *worktask.Task) { t.HandoffDueAt = begun }) }},

	{"a request before its record", "P8", func(o *check.Observations) { o.Requests[1].Recorded = 1 }},
	{"a request for a task that does not run", "P8", func(o *check.Observations) { o.Requests[2].Status = worktask.Pending }},
	{"a request for no task", "P8 P14", func(o *check.Observations) { o.Requests[2].Task = "" }},

	{"worked again after a lost acknowledgement", "P9", func(o *check.Observations) { o.Requests = append(o.Requests, request("C", 1)) }},

	{"ended twice", "P10", func(o *check.Observations) { o.Writes = append(o.Writes, ends(o.Tasks[stopped], journal.Fail, 1)) }},
	{"changed after its end", "P10", func(o *check.Observations) { o.Tasks[replaced].Result.Body = `{"text":"late"}` }},
	{"a late Stop that was shown another end", "P10", func(o *check.Observations) { o.Answers[8].Task.Status = "cancelled" }},
	{"an end that cannot be read", "P10", func(o *check.Observations) { o.Writes[3].Err = errors.New("gone") }},

	{"a stranger who can read", "P11", func(o *check.Observations) { o.Others[0].Status = http.StatusOK }},
	{"a stranger who was let in by mistake", "P11", func(o *check.Observations) { o.Others[0].Code = "" }},
	{"a stranger who changed something", "P11", func(o *check.Observations) { o.Tasks[replaced].Later.Status = worktask.Cancelled }},

	{"fewer calls than the provider counted", "P14", func(o *check.Observations) {
		o.Requests = append(o.Requests, request("A", 3))
	}},
	{"more calls than unknown ends explain", "P14", func(o *check.Observations) { o.Requests = slices.Delete(o.Requests, 3, 4) }},
	{"a request that only the provider counted", "P14", func(o *check.Observations) { o.Counted++ }},
	{"a refused answer without evidence", "P14", func(o *check.Observations) { o.Tasks[replaced].Evidence = nil }},
	{"evidence without a size", "P14", func(o *check.Observations) { o.Tasks[replaced].Evidence[0].Bytes = 0 }},
	{"evidence without a hash", "P14", func(o *check.Observations) { o.Tasks[replaced].Evidence[0].SHA256 = "ab" }},
	{"a spend that the API hides", "P14", func(o *check.Observations) { o.Answers[7].Task.Spend.CallsUnknown = 0 }},
	{"a task that was never read", "P14", func(o *check.Observations) { o.Answers = slices.Delete(o.Answers, 10, 11) }},
}

func TestWhatMustNotBeSeenBreaksItsPromise(t *testing.T) {
	t.Parallel()
	for _, b := range breakages {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			o := good()
			b.change(&o)
			broken := brokenOf(o)
			for _, id := range strings.Fields(b.breaks) {
				if !slices.Contains(broken, id) {
					t.Errorf("%s is said to hold; broken: %v", id, broken)
				}
			}
		})
	}
}

// TestNothingSeenProvesNothing: no promise holds by not having been put to the test.
func TestNothingSeenProvesNothing(t *testing.T) {
	t.Parallel()
	for _, p := range check.Promises(check.Observations{Timers: worktask.ShortTimers()}) {
		if p.Held() {
			t.Errorf("%s holds although nothing was seen", p.ID)
		}
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	if got := check.Short("01JDT0000000000000000ABCDE"); got != "…0ABCDE" {
		t.Errorf("got %q", got)
	}
	if got := check.Short("short"); got != "short" {
		t.Errorf("got %q", got)
	}
}
