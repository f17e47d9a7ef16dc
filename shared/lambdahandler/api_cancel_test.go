package lambdahandler_test

import (
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

func (th thread) cancel(id string) call { return call{method: post, path: th.task(id) + "/cancel"} }

// Stop while a worker works: the task is cancelled, the version has moved on,
// and the answer that comes later is refused.
func TestCaseM9CancelledYetTheAnswerComes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	a := h.claim(t, th.ref(id), "worker-1")
	res := h.do(t, th.cancel(id)).want(200, "")
	if res.text("status") != "cancelled" || res.json()["assignment_version"] != 2.0 || res.text("ended_at") == "" {
		t.Errorf("cancelled task %s", res.body)
	}
	late := a.Complete(h.clock.Now(), worktask.Result{Body: reply.Result{Text: "late", Provider: "builtin"}.Encode()}, worktask.Report{})
	if _, err := h.store.Apply(t.Context(), th.ref(id), late); err == nil {
		t.Error("an answer after the cancel was saved")
	}
	evidence := worktask.Evidence{
		Ref: th.ref(id), AssignmentVersion: 1, AssignmentID: a.ID(), Bytes: 4,
		SHA256: "5db0f9fd7e0dcb2b5b1cb6c1e6f7f5b5d0cf47a2c0ea4f4a6c1c0e7f2b1a9c3d", Tokens: worktask.Tokens{Input: 3, Output: 1}, At: h.clock.Now(),
	}
	if err := h.store.PutEvidence(t.Context(), evidence); err != nil {
		t.Fatal(err)
	}
	read := h.do(t, call{method: get, path: th.task(id)}).want(200, "").json()
	spend, _ := read["spend"].(map[string]any)
	refused, _ := spend["refused_answers"].([]any)
	if read["reply"] != nil || len(refused) != 1 {
		t.Errorf("task after a late answer: %v", read)
	}
	h.do(t, th.cancel(id)).want(200, "") // from a second tab
}

func TestCaseM9CancelAfterTheSave(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	h.complete(t, th.ref(id), "Everybody.")
	task, _ := h.do(t, th.cancel(id)).want(409, "task_ended").json()["task"].(map[string]any)
	saved, _ := task["reply"].(map[string]any)
	if task["status"] != "completed" || saved["text"] != "Everybody." {
		t.Errorf("task in the refusal: %v", task)
	}
}

// Stop and save in the same instant, many times: one of them wins, and both
// sides learn which.
func TestCaseM9CancelAndSaveAtOnce(t *testing.T) {
	t.Parallel()
	for range 30 {
		h := newHarness(t)
		th := h.thread(t)
		id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
		a := h.claim(t, th.ref(id), "worker-1")
		var group sync.WaitGroup
		var cancelled result
		var saveErr error
		group.Go(func() { cancelled = h.do(t, th.cancel(id)) })
		group.Go(func() {
			tr := a.Complete(h.clock.Now(), worktask.Result{Body: reply.Result{Text: "yes", Provider: "builtin"}.Encode()}, worktask.Report{})
			_, saveErr = h.store.Apply(t.Context(), th.ref(id), tr)
		})
		group.Wait()
		final := h.do(t, call{method: get, path: th.task(id)}).want(200, "").text("status")
		switch {
		case cancelled.status == 200 && saveErr != nil && final == "cancelled":
		case cancelled.status == 409 && saveErr == nil && final == "completed":
		default:
			t.Errorf("cancel %d, save %v, task %s", cancelled.status, saveErr, final)
		}
	}
}

func TestCancelWaitingTask(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	c := th.cancel(id)
	c.body = `{"why":"no"}`
	h.do(t, c).want(400, "field_unknown")
	c.body = "{}"
	h.do(t, c).want(200, "")
	task, err := h.store.Get(t.Context(), th.ref(id))
	if err != nil || !task.HandoffDueAt.IsZero() || task.EndedBy != worktask.EndedByUser {
		t.Errorf("stored task %+v, %v", task, err)
	}
	// The repeat of the submit shows the end; it starts nothing.
	if h.do(t, th.submit("r-1", "Who decides?")).want(200, "").text("status") != "cancelled" {
		t.Error("repeat does not show the end")
	}
	if !h.logs.contains("task cancelled") {
		t.Error("nothing in the log")
	}
}

// The acknowledgement of a cancel is lost: reading shows that it landed.
func TestLostAcknowledgementOfCancel(t *testing.T) {
	t.Parallel()
	l := &losingApply{}
	h := newHarness(t, func(s stores) stores { l.stores = s; return l })
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	res := h.do(t, th.cancel(id)).want(200, "")
	if res.text("status") != "cancelled" || res.json()["assignment_version"] != 1.0 || l.writes != 1 {
		t.Errorf("%d writes, task %s", l.writes, res.body)
	}
}
