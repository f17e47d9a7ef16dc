package lambdahandler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/prices"
	"github.com/replyonce/replyonce/shared/worktask"
)

func (th thread) spend() call {
	return call{method: get, path: "/v1/conversations/" + th.conversation + "/spend"}
}

// finish brings a task to its end with a call that used so many tokens.
func (h *harness) finish(t *testing.T, ref worktask.Ref, worker string, report worktask.Report) {
	t.Helper()
	a := h.claim(t, ref, worker)
	h.apply(t, ref, a.Complete(h.clock.Now(), worktask.Result{Body: `{"text":"yes","provider":"builtin"}`}, report))
}

func TestSpendOfAConversation(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.api.Conversations.Prices = prices.Table{"*": {InputPerMillion: 2_000_000, OutputPerMillion: 10_000_000}}
	h.api.Conversations.Currency = "EUR"
	th := h.thread(t)
	empty := h.do(t, th.spend()).want(200, "")
	if want := `"tasks":0,"calls":0,"calls_known":0,"calls_unknown":0,"input_tokens":0,"output_tokens":0,"money":null,"complete":true}`; !strings.HasSuffix(empty.body, want) {
		t.Errorf("nothing asked: %s", empty.body)
	}
	for i := range 3 {
		key := fmt.Sprintf("r-%d", i)
		id := h.do(t, th.submit(key, "Who decides?")).want(202, "").text("id")
		h.finish(t, th.ref(id), "worker-"+key, worktask.Report{Tokens: worktask.Tokens{Input: 100, Output: 7}})
		if task := h.do(t, call{method: get, path: th.task(id)}).want(200, "").body; !strings.Contains(task, `"money":{"currency":"EUR","spent_micros":270}`) {
			t.Errorf("task %s", task)
		}
	}
	want := `"tasks":3,"calls":3,"calls_known":3,"calls_unknown":0,"input_tokens":300,"output_tokens":21,"money":{"currency":"EUR","spent_micros":810},"complete":true}`
	if got := h.do(t, th.spend()).want(200, "").body; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	foreign := th.spend()
	foreign.caller = "mallory"
	h.do(t, foreign).want(404, "not_found")
}

// One call whose end nobody saw makes the sum unknown; what is taken from the
// limits has it at its worst price.
func TestSpendThatIsNotKnown(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.api.Conversations.Prices = prices.Table{"*": {InputPerMillion: 2_000_000}}
	h.api.Conversations.Currency, h.api.Conversations.Money = "EUR", worktask.NewMoney(2500, 1000)
	th := h.thread(t)
	for _, key := range []string{"r-1", "r-2"} {
		id := h.do(t, th.submit(key, "Who decides?")).want(202, "").text("id")
		now := h.clock.Now()
		claim := worktask.Claim{AssignmentID: key, Now: now, LeaseUntil: now.Add(h.timers.Lease), Money: true}
		a, _ := worktask.AssignmentOf(h.apply(t, th.ref(id), claim), key)
		if key == "r-1" {
			h.apply(t, th.ref(id), a.Fail(now, worktask.OutcomeUnknown, false, worktask.Report{}))
			continue
		}
		h.apply(t, th.ref(id), a.Complete(now, worktask.Result{Body: `{"text":"yes","provider":"builtin"}`}, worktask.Report{
			Tokens: worktask.Tokens{Input: 100}, Cost: worktask.Cost{Known: true, Micros: 200},
		}))
	}
	want := `"calls_unknown":1,"input_tokens":100,"output_tokens":0,"money":{"currency":"EUR","spent_micros":null,"limit":{"taken_micros":1200,"limit_micros":5000}},"complete":true}`
	if got := h.do(t, th.spend()).want(200, "").body; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// slowLog is a store whose pages take long and never end.
type slowLog struct {
	stores
	read func()
}

func (s slowLog) Log(ctx context.Context, workspace, id, _ string, limit, maxBytes int) (conversation.Page, error) {
	s.read()
	page, err := s.stores.Log(ctx, workspace, id, "", limit, maxBytes)
	page.Before = "more"
	return page, err
}

// Sums take no longer than a caller waits, and say that they are not whole.
func TestSpendIsTimeBoxed(t *testing.T) {
	t.Parallel()
	reads := 0
	var h *harness
	h = newHarness(t, func(s stores) stores {
		return slowLog{s, func() { reads++; h.clock.add(time.Second) }}
	})
	th := h.thread(t)
	h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	if got := h.do(t, th.spend()).want(200, "").body; !strings.HasSuffix(got, `"complete":false}`) || reads != 3 {
		t.Errorf("after %d reads: %s", reads, got)
	}
}
