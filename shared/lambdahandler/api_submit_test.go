package lambdahandler_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

func TestSubmitAcceptsOnceAndRepeats(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	first := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").wantReplayed("r-1", "false")
	id := first.text("id")
	if want := "/prod" + th.task(id); first.headers["Location"] != want {
		t.Errorf("Location %q, want %q", first.headers["Location"], want)
	}
	if first.headers["Retry-After"] != "1" || first.text("status") != "pending" {
		t.Errorf("accepted task: %v %s", first.headers, first.body)
	}
	if message := first.text("message"); message >= id {
		t.Errorf("message %s is not older than its task %s", message, id)
	}
	repeat := h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true")
	if repeat.text("id") != id || repeat.headers["Idempotency-Expires"] != first.headers["Idempotency-Expires"] {
		t.Errorf("repeat answered %v %s, first was task %s", repeat.headers, repeat.body, id)
	}
	h.wantLog(t, th, 1, 1)
	if h.queue.count() != 1 || h.metrics.of(telemetry.Accepted) != 1 || h.metrics.of(telemetry.Replayed) != 1 {
		t.Errorf("%d published, %d accepted, %d replayed, want 1 each", h.queue.count(), h.metrics.of(telemetry.Accepted), h.metrics.of(telemetry.Replayed))
	}
	if h.logs.contains("Who decides?") {
		t.Error("the log has the text of a message")
	}
}

func TestRepeatShowsTheTaskAsItIsNow(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	h.claim(t, th.ref(id), "worker-1")
	repeat := h.do(t, th.submit("r-1", "Who decides?")).want(200, "")
	if repeat.text("status") != "running" {
		t.Errorf("repeat shows %s", repeat.body)
	}
}

func TestFiftySubmitsAtOnceMakeOneTask(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	var mu sync.Mutex
	statuses, ids := map[int]int{}, map[string]int{}
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			res := h.do(t, th.submit("r-1", "Who decides?"))
			mu.Lock()
			defer mu.Unlock()
			statuses[res.status]++
			ids[res.text("id")]++
		})
	}
	group.Wait()
	if statuses[202] != 1 || statuses[200] != 49 || len(ids) != 1 {
		t.Errorf("statuses %v, tasks %v, want one 202, 49 replays, one task", statuses, ids)
	}
	h.wantLog(t, th, 1, 1)
	if h.queue.count() != 1 {
		t.Errorf("%d handoffs published, want 1", h.queue.count())
	}
}

// Three spellings of the same request: another case of the header's name, and an
// event whose single-value map is null.
func TestCaseA1HeaderCaseAndNullMaps(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	lower := th.submit("", "Who decides?")
	lower.headers = map[string]string{"idempotency-key": "r-1"}
	multiOnly := th.submit("r-1", "Who decides?")
	multiOnly.edit = func(e *events.APIGatewayProxyRequest) { e.Headers = nil }
	singleOnly := th.submit("r-1", "Who decides?")
	singleOnly.edit = func(e *events.APIGatewayProxyRequest) { e.MultiValueHeaders = nil }

	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	for name, c := range map[string]call{"lower case": lower, "multi-value map only": multiOnly, "single-value map only": singleOnly} {
		if got := h.do(t, c).want(200, "").wantReplayed("r-1", "true").text("id"); got != id {
			t.Errorf("%s: task %s, want %s", name, got, id)
		}
	}
	h.wantLog(t, th, 1, 1)
}

func TestCaseA1TwoKeysAreRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	tests := map[string]func(*events.APIGatewayProxyRequest){
		"two values": func(e *events.APIGatewayProxyRequest) {
			e.MultiValueHeaders["Idempotency-Key"] = []string{"r-1", "r-2"}
		},
		"two spellings": func(e *events.APIGatewayProxyRequest) {
			e.MultiValueHeaders["idempotency-key"] = []string{"r-2"}
		},
		"maps disagree": func(e *events.APIGatewayProxyRequest) { e.Headers["Idempotency-Key"] = "r-2" },
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			c := th.submit("r-1", "Who decides?")
			c.edit = edit
			h.do(t, c).want(400, "idempotency_key_malformed").wantReplayed("", "false")
		})
	}
	h.wantLog(t, th, 0, 0)
}

func TestKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	tests := map[string]struct{ key, code string }{
		"missing":           {"", "idempotency_key_missing"},
		"blank":             {"   ", "idempotency_key_missing"},
		"empty string":      {`""`, "idempotency_key_missing"},
		"white space":       {"a b", "idempotency_key_malformed"},
		"over-long":         {strings.Repeat("k", 256), "idempotency_key_malformed"},
		"no ASCII":          {"clé", "idempotency_key_malformed"},
		"control":           {"a\tb", "idempotency_key_malformed"},
		"unclosed quote":    {`"r-1`, "idempotency_key_malformed"},
		"joined by a proxy": {"r-1, r-2", "idempotency_key_malformed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h.do(t, th.submit(tt.key, "Who decides?")).want(400, tt.code)
		})
	}
	h.wantLog(t, th, 0, 0)
	h.do(t, th.submit(strings.Repeat("k", 255), "Who decides?")).want(202, "")
	h.do(t, th.submit(`"quoted"`, "Who decides?")).want(202, "").wantReplayed("quoted", "false")
	h.do(t, th.submit("quoted", "Who decides?")).want(200, "").wantReplayed("quoted", "true")
}

func TestCaseI1KeyOrderAndUnicodeForm(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	send := func(key, body string) result {
		return h.do(t, call{method: post, path: th.messages(), key: key, body: body})
	}
	send("r-1", th.body("hi")).want(202, "")
	send("r-1", `{ "version":1, "history":[],`+"\n\t"+`"document":"`+th.document+`", "text":"\u0068i" }`).want(200, "")

	// An array in another order is another request.
	var done []string
	for _, key := range []string{"a", "b"} {
		id := h.do(t, th.submit(key, "earlier "+key)).want(202, "").text("id")
		a := h.claim(t, th.ref(id), "worker-"+key)
		h.apply(t, th.ref(id), a.Complete(h.clock.Now(), worktask.Result{Body: `{"text":"yes","provider":"builtin"}`}, worktask.Report{}))
		done = append(done, id)
	}
	history := func(first, second string) string {
		return `{"text":"and?","document":"` + th.document + `","version":1,"history":["` + first + `","` + second + `"]}`
	}
	send("r-2", history(done[0], done[1])).want(202, "")
	send("r-2", history(done[0], done[1])).want(200, "")
	send("r-2", history(done[1], done[0])).want(422, "idempotency_key_reused").wantReplayed("r-2", "false")

	// é as one code point, then as two.
	send("r-3", th.body("caf\u00e9")).want(202, "")
	send("r-3", th.body("cafe\u0301")).want(422, "idempotency_key_reused")
	messages, _ := h.log(t, th)
	last, _ := messages[len(messages)-1].(map[string]any)
	if last["text"] != "caf\u00e9" {
		t.Errorf("stored text %q was changed", last["text"])
	}
}

func TestCaseI3KeysBelongToCallerAndOperation(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	alice := h.do(t, th.submit("r-1", "salary?")).want(202, "")

	bobsConversation := h.do(t, call{method: post, path: "/v1/conversations", key: "r-1", caller: "bob", body: `{"document":"` + th.document + `"}`}).want(201, "").text("id")
	bobs := thread{th.document, bobsConversation}
	bobSubmit := bobs.submit("r-1", "salary?")
	bobSubmit.caller = "bob"
	bob := h.do(t, bobSubmit).want(202, "")
	if alice.text("id") == bob.text("id") {
		t.Error("two callers share a task")
	}
	// The same caller and key, another operation.
	regenerate := call{method: post, path: th.messages() + "/" + alice.text("message") + "/regenerate", key: "r-1"}
	if h.do(t, regenerate).want(202, "").text("id") == alice.text("id") {
		t.Error("two operations share a task")
	}
	// A header or a body never says who asks.
	forged := th.submit("r-9", "salary?")
	forged.caller = "mallory"
	forged.headers = map[string]string{"X-Caller": "alice", "caller": "alice"}
	h.do(t, forged).want(404, "not_found")
}

func TestSameKeyOtherInputsIsRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	res := h.do(t, th.submit("r-1", "Who pays?")).want(422, "idempotency_key_reused").wantReplayed("r-1", "false")
	if want := "Mon, 30 Nov 2026 14:00:00 GMT"; res.headers["Idempotency-Expires"] != want {
		t.Errorf("window ends %s, want %s: the one of the first request", res.headers["Idempotency-Expires"], want)
	}
	h.wantLog(t, th, 1, 1)
}

// A new document version between two sends of one press changes nothing: what
// the server could look up is not part of the request.
func TestNewVersionBetweenTwoSendsIsAReplay(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	h.do(t, call{method: post, path: "/v1/documents/" + th.document + "/versions", key: "v-2", body: `{"text":"Nobody decides."}`}).want(201, "")
	h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true")
}

func TestQueueDownStillAccepts(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	h.queue.down = true
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	task, err := h.store.Get(t.Context(), th.ref(id))
	if err != nil || !task.HandoffDueAt.Equal(start.Add(h.timers.HandoffGrace)) {
		t.Errorf("handoff due %s, %v", task.HandoffDueAt, err)
	}
	if !h.logs.contains("handoff not published") {
		t.Error("nothing in the log about the queue")
	}
}

func TestRegenerate(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	first := h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	again := call{method: post, path: th.messages() + "/" + first.text("message") + "/regenerate", key: "g-1"}
	second := h.do(t, again).want(202, "")
	if second.text("message") != first.text("message") || second.text("id") == first.text("id") {
		t.Errorf("regenerated task %s", second.body)
	}
	again.body = "{}"
	if h.do(t, again).want(200, "").text("id") != second.text("id") {
		t.Error("one key made two tasks")
	}
	again.key = "g-2"
	if h.do(t, again).want(202, "").text("id") == second.text("id") {
		t.Error("two keys made one task")
	}
	h.wantLog(t, th, 1, 3)
	again.body = `{"text":"other"}`
	h.do(t, again).want(400, "field_unknown")
	again.key = "g-3"
	again.path = th.messages() + "/" + first.text("id") + "/regenerate" // a task's id is no message
	again.body = ""
	h.do(t, again).want(404, "not_found")
}
