package conversation

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

var accepted = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)

func newTask() worktask.Task {
	input := reply.Input{Message: "01KB7Q1G00MESSAGE000000001", PromptVersion: 1}
	return worktask.NewTask(TaskRef("acme", "01KB7Q0000C0NVERSAT1000001", "01KB7Q1G01TASK000000000001"), reply.Kind, "alice",
		input.Encode(), "request-1", worktask.RetryUnknown, accepted, worktask.DefaultTimers())
}

// Why an attempt is not the first: a release leaves its mode, a dead worker
// leaves nothing.
func TestPreviousAttempt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status          worktask.Status
		version         int64
		released        worktask.ReleaseMode
		releasedVersion int64
		want            string
	}{
		"never claimed":                     {worktask.Pending, 0, "", 0, ""},
		"first attempt":                     {worktask.Running, 1, "", 0, ""},
		"takeover":                          {worktask.Running, 2, "", 0, PreviousWorkerLost},
		"waits after a rejection":           {worktask.Pending, 1, worktask.ReleaseRejected, 1, PreviousRejected},
		"works after a rejection":           {worktask.Running, 2, worktask.ReleaseRejected, 1, PreviousRejected},
		"waits after a failed call":         {worktask.Pending, 1, worktask.ReleaseFailed, 1, PreviousRejected},
		"waits after an unknown end":        {worktask.Pending, 1, worktask.ReleaseUnknown, 1, PreviousUnknown},
		"works after an unknown end":        {worktask.Running, 2, worktask.ReleaseUnknown, 1, PreviousUnknown},
		"works after a lost operation":      {worktask.Running, 2, worktask.ReleaseLookupLost, 1, PreviousUnknown},
		"the operation goes on":             {worktask.Pending, 1, worktask.ReleaseLookup, 1, ""},
		"looked at again":                   {worktask.Running, 2, worktask.ReleaseLookup, 1, ""},
		"takeover after an older rejection": {worktask.Running, 3, worktask.ReleaseRejected, 1, PreviousWorkerLost},
		"ended":                             {worktask.Completed, 2, worktask.ReleaseRejected, 1, ""},
		"cancelled while waiting":           {worktask.Cancelled, 2, worktask.ReleaseRejected, 1, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := newTask()
			task.Status, task.AssignmentVersion, task.Released, task.ReleasedVersion = tt.status, tt.version, tt.released, tt.releasedVersion
			v, err := viewOf(task, details{})
			if err != nil || v.PreviousAttempt != tt.want {
				t.Errorf("previous attempt %q, %v, want %q", v.PreviousAttempt, err, tt.want)
			}
		})
	}
}

func TestViewFollowsTheTask(t *testing.T) {
	t.Parallel()
	task := newTask()
	claim := worktask.Claim{AssignmentID: "worker-1", Now: accepted, LeaseUntil: accepted.Add(30 * time.Second)}
	task = claim.Apply(task)
	a, _ := worktask.AssignmentOf(task, "worker-1")
	next := accepted.Add(5 * time.Second)
	task = a.Release(accepted, worktask.ReleaseRejected, next, next.Add(30*time.Second), worktask.Report{Tokens: worktask.Tokens{Input: 7}}).Apply(task)
	v := shown(t, task, details{})
	for _, want := range []string{
		`"status":"pending"`, `"attempts":0,"attempts_left":4,"calls":1,"calls_left":7`, `"next_attempt_at":"2026-11-29T14:00:05.000Z"`,
		`"previous_attempt":"rejected"`, `"calls_known":1,"calls_unknown":0,"input_tokens":7`, `"refused_answers":[]`,
	} {
		if !strings.Contains(v, want) {
			t.Errorf("released task lacks %s: %s", want, v)
		}
	}
	for _, unwanted := range []string{"ended_at", "reply\":{", "failure", "worker-1", "lease"} {
		if strings.Contains(v, unwanted) {
			t.Errorf("released task shows %s: %s", unwanted, v)
		}
	}
	if strings.Contains(shown(t, newTask(), details{}), "next_attempt_at") {
		t.Error("a task that may be claimed at once shows a due time")
	}
}

func TestViewOfEnds(t *testing.T) {
	t.Parallel()
	failed := worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: accepted.Add(10 * time.Minute)}.Apply(newTask())
	if v := shown(t, failed, details{}); !strings.Contains(v, `"failure":{"reason":"deadline"}`) || !strings.Contains(v, `"ended_at":"2026-11-29T14:10:00.000Z"`) {
		t.Errorf("failed task %s", v)
	}
	completed := newTask()
	completed.Status = worktask.Completed
	d := details{
		result:   &reply.Result{Text: "Everybody.", Provider: "builtin"},
		evidence: []worktask.Evidence{{AssignmentVersion: 1, Bytes: 4, SHA256: "ab", Tokens: worktask.Tokens{Output: 2}, At: accepted}},
	}
	v := shown(t, completed, d)
	for _, want := range []string{
		`"reply":{"text":"Everybody.","cut_short":false,"provider":"builtin","model":"","language_model":false}`,
		`"refused_answers":[{"assignment_version":1,"bytes":4,"sha256":"ab","input_tokens":0,"output_tokens":2,"at":"2026-11-29T14:00:00.000Z"}]`,
	} {
		if !strings.Contains(v, want) {
			t.Errorf("completed task lacks %s: %s", want, v)
		}
	}
}

// The last worker of a task that was ended over its head has no successor that
// could have kept a record; the task shows it. One that gave the task back is
// not lost.
func TestAttemptLog(t *testing.T) {
	t.Parallel()
	ends := accepted.Add(30 * time.Second)
	running := worktask.Claim{AssignmentID: "worker-1", Now: accepted, LeaseUntil: ends}.Apply(newTask())
	end := worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: accepted.Add(10 * time.Minute)}
	record := worktask.AttemptRecord{
		AssignmentVersion: 1, Outcome: worktask.AttemptUnknown, Provider: "openai", ProviderRequestID: "p-1", BegunAt: accepted, EndedAt: ends, Cause: "no answer in time",
	}
	lost := `"attempt_log":[{"assignment_version":1,"outcome":"worker_lost","ended_at":"2026-11-29T14:00:30.000Z"}]`
	kept := `"attempt_log":[{"assignment_version":1,"outcome":"unknown","provider":"openai","provider_request_id":"p-1",` +
		`"begun_at":"2026-11-29T14:00:00.000Z","ended_at":"2026-11-29T14:00:30.000Z","cause":"no answer in time"}]`
	a, _ := worktask.AssignmentOf(running, "worker-1")
	released := a.Release(accepted, worktask.ReleaseUnknown, ends, ends, worktask.Report{}).Apply(running)
	for name, tt := range map[string]struct {
		task    worktask.Task
		records []worktask.AttemptRecord
		want    string
	}{
		"ended over its worker's head": {end.Apply(running), nil, lost},
		"with a record of its own":     {end.Apply(running), []worktask.AttemptRecord{record}, kept},
		"ended after a release":        {end.Apply(released), []worktask.AttemptRecord{record}, kept},
		"never claimed":                {end.Apply(newTask()), nil, ""},
		"still running":                {running, nil, ""},
	} {
		v := shown(t, tt.task, details{attempts: tt.records})
		if tt.want == "" && strings.Contains(v, "attempt_log") || !strings.Contains(v, tt.want) {
			t.Errorf("%s: %s, want %s", name, v, tt.want)
		}
	}
}

// A lost worker saves no call by itself: its operation must have brought the reply.
func TestCallsSaved(t *testing.T) {
	t.Parallel()
	lost := func(operations ...string) details {
		var d details
		for i, id := range operations {
			d.attempts = append(d.attempts, worktask.AttemptRecord{
				AssignmentVersion: int64(i + 1), Outcome: worktask.AttemptWorkerLost, OperationID: id,
			})
		}
		return d
	}
	for name, c := range map[string]struct {
		status    worktask.Status
		operation string // on the task
		details   details
		want      int
	}{
		"nobody lost":                 {worktask.Completed, "op-1", details{}, 0},
		"lost before an operation":    {worktask.Completed, "", lost(""), 0},
		"looked up":                   {worktask.Completed, "op-1", lost("op-1"), 1},
		"two lost at one operation":   {worktask.Completed, "op-1", lost("op-1", "op-1"), 1},
		"the operation was lost, too": {worktask.Completed, "", lost("op-1"), 0},
		"begun anew":                  {worktask.Completed, "op-2", lost("op-1"), 0},
		"looked up without a reply":   {worktask.Failed, "op-1", lost("op-1"), 0},
		"is being looked up":          {worktask.Running, "op-1", lost("op-1"), 0},
	} {
		task := newTask()
		task.Status, task.OperationID = c.status, c.operation
		if got := spendOf(task, c.details).CallsSaved; got != c.want {
			t.Errorf("%s: %d calls saved, want %d", name, got, c.want)
		}
	}
}

func TestViewOfDamagedInput(t *testing.T) {
	t.Parallel()
	task := newTask()
	task.Input = "{"
	if _, err := viewOf(task, details{}); err == nil {
		t.Error("a task without a message was shown")
	}
}

func shown(t *testing.T, task worktask.Task, d details) string {
	t.Helper()
	v, err := viewOf(task, d)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
