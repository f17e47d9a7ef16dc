package lambdahandler_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/callerlimit"
)

// A caller that sends too fast is told to wait, and loses nothing: the repeat of
// an accepted submit that was refused meets its task after the wait.
func TestCallerThatSendsTooFastLosesNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	h.api.Limit = callerlimit.New(1, h.clock.Now) // three creating calls at once
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	h.do(t, th.submit("r-2", "And who else?")).want(202, "")
	h.do(t, th.submit("r-1", "Who decides?")).want(200, "")
	refused := h.do(t, th.submit("r-1", "Who decides?")).want(429, "throttled")
	wait, err := strconv.Atoi(refused.headers["Retry-After"])
	if err != nil || wait != 10 {
		t.Fatalf("Retry-After %q, %v", refused.headers["Retry-After"], err)
	}
	h.do(t, th.submit("r-3", "A new one?")).want(429, "throttled")

	other := th.submit("r-1", "Who decides?")
	other.caller = "bob"
	if got := h.do(t, other); got.status == 429 {
		t.Error("another caller has to wait")
	}
	h.do(t, call{method: get, path: "/config.json"}).want(200, "") // is for everybody

	h.clock.add(time.Duration(wait) * time.Second)
	if got := h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true").text("id"); got != id {
		t.Errorf("after the wait the repeat met task %s, want %s", got, id)
	}
	h.api.Limit = nil
	h.wantLog(t, th, 2, 2) // those that were refused wrote nothing
}

// Reads weigh a tenth of what creates something.
func TestReadsWeighLittle(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.api.Limit = callerlimit.New(1, h.clock.Now)
	for i := range 30 {
		if got := h.do(t, call{method: get, path: "/v1/conversations"}); got.status != 200 {
			t.Fatalf("read %d: %d", i, got.status)
		}
	}
	h.do(t, call{method: get, path: "/v1/conversations"}).want(429, "throttled")
}
