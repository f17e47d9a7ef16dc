package lambdahandler_test

import (
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/worktask"
)

// withPolicy is a request with the policy in its body.
func (th thread) withPolicy(key, policy string) call {
	body := strings.TrimSuffix(th.body("Who decides?"), "}") + `,"on_unknown":` + policy + `}`
	return call{method: post, path: th.messages(), key: key, body: body}
}

func (h *harness) allow(byDefault worktask.UnknownPolicy, allowed ...worktask.UnknownPolicy) {
	h.api.Conversations.OnUnknown, h.api.Conversations.OnUnknownAllowed = byDefault, allowed
}

func TestPolicyOfARequest(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	res := h.do(t, th.withPolicy("r-1", `"stop"`)).want(202, "")
	if res.text("on_unknown") != "stop" {
		t.Errorf("accepted with %s", res.body)
	}
	if res = h.do(t, th.withPolicy("r-2", "null")).want(202, ""); res.text("on_unknown") != "retry" {
		t.Errorf("accepted with %s", res.body)
	}
	again := call{method: post, path: th.messages() + "/" + res.text("message") + "/regenerate", key: "g-1", body: `{"on_unknown":"stop"}`}
	if res = h.do(t, again).want(202, ""); res.text("on_unknown") != "stop" {
		t.Errorf("regenerated with %s", res.body)
	}
	h.do(t, again).want(200, "").wantReplayed("g-1", "true")
	again.body = ""
	h.do(t, again).want(422, "idempotency_key_reused")
}

// What was sent is the request; what the deployment puts in the place of nothing
// is not, for it may change between two sends.
func TestPolicyIsPartOfTheRequestAsItWasSent(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	h.do(t, th.withPolicy("r-1", `"retry"`)).want(422, "idempotency_key_reused")
	h.do(t, th.withPolicy("r-1", `"stop"`)).want(422, "idempotency_key_reused")
	h.do(t, th.withPolicy("r-1", "null")).want(200, "").wantReplayed("r-1", "true")
	h.allow(worktask.StopUnknown, worktask.UnknownPolicies()...)
	repeat := h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true")
	if repeat.text("on_unknown") != "retry" {
		t.Errorf("an accepted task has changed its policy: %s", repeat.body)
	}
	h.wantLog(t, th, 1, 1)
}

func TestPolicyThatIsRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	for _, value := range []string{`"guess"`, `""`, `"Stop"`} {
		res := h.do(t, th.withPolicy("r-1", value)).want(400, "field_invalid")
		if res.text("field") != "on_unknown" || !strings.Contains(res.text("detail"), `"retry" or "stop"`) {
			t.Errorf("%s: %s", value, res.body)
		}
	}
	h.do(t, th.withPolicy("r-1", "1")).want(400, "field_invalid")
	h.allow(worktask.StopUnknown)
	res := h.do(t, th.withPolicy("r-1", `"retry"`)).want(400, "field_invalid")
	if detail := res.text("detail"); !strings.Contains(detail, `may be "stop" here`) || strings.Contains(detail, "retry") {
		t.Errorf("the refusal does not tell what is allowed: %s", res.body)
	}
	h.wantLog(t, th, 0, 0)
	if got := h.do(t, call{method: get, path: "/config.json"}).want(200, "").body; !strings.Contains(got, `"on_unknown":{"default":"stop","allowed":["stop"]}`) {
		t.Errorf("the page is told %s", got)
	}
}

// The operator forbids what an accepted request asked for: its repeat gets its
// task, and only a new request is refused.
func TestRepeatOutlivesAPolicyThatIsForbiddenSince(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	first := h.do(t, th.withPolicy("r-1", `"retry"`)).want(202, "")
	h.allow(worktask.StopUnknown)
	if id := h.do(t, th.withPolicy("r-1", `"retry"`)).want(200, "").wantReplayed("r-1", "true").text("id"); id != first.text("id") {
		t.Errorf("the repeat got task %s, want %s", id, first.text("id"))
	}
	h.do(t, th.withPolicy("r-2", `"retry"`)).want(400, "field_invalid")
}
