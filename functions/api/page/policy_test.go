package page_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPagePolicyIsPartOfTheBody: nothing chosen is nothing sent; what was chosen
// is in the stored body, and in that of every repeat.
func TestPagePolicyIsPartOfTheBody(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.openRoom(api)
	b.ask("Who decides?")
	b.untilState("waiting")
	b.wantText("#on-unknown-now", "ask again")

	b.do(chromedp.Click("#on-unknown summary"), chromedp.Click(`#on-unknown input[value="stop"]`))
	b.wantText("#on-unknown-now", "stop and tell me")
	api.fail(http.MethodPost, messagesPath, 1, gatewayTimeout)
	b.ask("And who pays?")
	b.until(`document.querySelectorAll('.card[data-state="waiting"]').length === 2`)

	sent := api.sent(http.MethodPost, messagesPath)
	if len(sent) != 3 {
		t.Fatalf("%d submits, want one, and one with a repeat", len(sent))
	}
	if strings.Contains(sent[0].body, "on_unknown") {
		t.Errorf("nothing was chosen and %s was sent", sent[0].body)
	}
	if !strings.Contains(sent[1].body, `"on_unknown":"stop"`) || sent[2].body != sent[1].body || sent[2].key != sent[1].key {
		t.Errorf("sent %s, and again %s", sent[1].body, sent[2].body)
	}
}

// TestPageShowsAttemptsWhoseEndNobodySaw: they stand behind the disclosure, in
// words.
func TestPageShowsAttemptsWhoseEndNobodySaw(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	b.ask("Who decides?")
	b.untilState("waiting")
	api.setTask(func(k *task) {
		completed("Everybody.")(k)
		k.more = object{"attempt_log": []object{
			{"assignment_version": 1, "outcome": "worker_lost", "ended_at": "2026-11-29T14:00:32.000Z"},
			{
				"assignment_version": 2, "outcome": "unknown", "cause": "the connection was lost", "provider": "openai",
				"provider_request_id": "req-7", "ended_at": "2026-11-29T14:01:00.000Z",
			},
		}}
	})
	b.untilState("saved")
	b.do(chromedp.Click(`.card[data-state="saved"] summary`))
	facts := eval[string](b, `[...document.querySelectorAll('.fact')].map((fact) => fact.textContent).join('\n')`)
	for _, want := range []string{"assignment 1: its worker stopped answering", "assignment 2: the connection was lost", "openai request req-7"} {
		if !strings.Contains(facts, want) {
			t.Errorf("%q is not among the facts:\n%s", want, facts)
		}
	}
}

// TestPageShowsWhatAConversationCost: nothing is asked until somebody wants to
// know; what is not known is not shown as nothing.
func TestPageShowsWhatAConversationCost(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	b.ask("Who decides?")
	b.untilState("waiting")
	asked := func() int { return len(api.sent(http.MethodGet, spendPath)) }
	if asked() != 0 {
		t.Error("sums were asked for that nobody wanted")
	}
	b.do(chromedp.Click("#spend summary"))
	b.until(`document.querySelectorAll('#spend .fact').length === 5`)
	facts := eval[string](b, `document.querySelector('#spend-facts').textContent`)
	for _, want := range []string{"3 calls, 1 with unknown outcome", "5,120 in, 911 out", "not known", "at most €0.03821 of €0.15", "older replies are not in these sums"} {
		if !strings.Contains(facts, want) {
			t.Errorf("%q is not among %q", want, facts)
		}
	}
	before := asked()
	api.setTask(completed("Everybody."))
	b.untilState("saved")
	b.until(`document.querySelectorAll('#spend .fact').length === 5`)
	if asked() <= before {
		t.Error("the sums of before stay when a task has ended")
	}
}
