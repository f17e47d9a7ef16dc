package lambdahandler_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

func TestReadsCarryAnETag(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	for _, path := range []string{
		"/v1/documents", "/v1/documents/" + th.document, "/v1/documents/" + th.document + "/versions/1",
		"/v1/conversations", "/v1/conversations/" + th.conversation, th.task(id), "/v1/openapi.json", "/config.json",
	} {
		first := h.do(t, call{method: get, path: path}).want(200, "")
		etag := first.headers["ETag"]
		for _, condition := range []string{etag, "W/" + etag, `"other", ` + etag, `"a,b" , W/"c",` + etag, "*"} {
			res := h.do(t, call{method: get, path: path, headers: map[string]string{"If-None-Match": condition}})
			if res.status != 304 || res.body != "" || res.headers["ETag"] != etag {
				t.Errorf("%s with %s: %d %q", path, condition, res.status, res.body)
			}
		}
		for _, condition := range []string{`"other"`, strings.Trim(etag, `"`), ""} {
			h.do(t, call{method: get, path: path, headers: map[string]string{"If-None-Match": condition}}).want(200, "")
		}
		head := h.do(t, call{method: "HEAD", path: path})
		if head.status != 200 || head.body != "" || head.headers["ETag"] != etag {
			t.Errorf("HEAD %s: %d %q", path, head.status, head.body)
		}
	}
}

// A renewal of the lease changes nothing that a caller sees; a claim and the
// reply do.
func TestETagFollowsTheTaskAndNotItsLease(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	read := func() result { return h.do(t, call{method: get, path: th.task(id)}).want(200, "") }
	pending := read()
	a := h.claim(t, th.ref(id), "worker-1")
	running := read()
	h.apply(t, th.ref(id), a.Renew(h.clock.Now(), h.clock.Now().Add(time.Minute)))
	renewed := read()
	h.apply(t, th.ref(id), a.Complete(h.clock.Now(), worktask.Result{Body: reply.Result{Text: "Everybody.", Provider: "builtin"}.Encode()}, worktask.Report{}))
	completed := read()
	if pending.headers["ETag"] == running.headers["ETag"] || running.headers["ETag"] != renewed.headers["ETag"] || renewed.headers["ETag"] == completed.headers["ETag"] {
		t.Errorf("tags %s, %s, %s, %s", pending.headers["ETag"], running.headers["ETag"], renewed.headers["ETag"], completed.headers["ETag"])
	}
	if running.headers["Retry-After"] != "1" || completed.headers["Retry-After"] != "" {
		t.Errorf("Retry-After %q while running, %q at the end", running.headers["Retry-After"], completed.headers["Retry-After"])
	}
	saved, _ := completed.json()["reply"].(map[string]any)
	if saved["text"] != "Everybody." {
		t.Errorf("completed task %s", completed.body)
	}
}

// complete ends a task with a reply, in object storage when it is large.
func (h *harness) complete(t *testing.T, ref worktask.Ref, text string) {
	t.Helper()
	a := h.claim(t, ref, "worker-"+ref.ID)
	body := reply.Result{Text: text, Provider: "builtin"}.Encode()
	result := worktask.Result{Body: body}
	if len(body) > 300<<10 {
		result = worktask.Result{ObjectKey: "results/" + ref.ID, Bytes: int64(len(body)), SHA256: digest(body)}
		if err := h.store.PutObject(t.Context(), result.ObjectKey, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	h.apply(t, ref, a.Complete(h.clock.Now(), result, worktask.Report{}))
}

func TestLargeReplyComesFromObjectStorage(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Tell me everything.")).want(202, "").text("id")
	text := strings.Repeat("Everybody decides. ", 100_000)
	h.complete(t, th.ref(id), text)
	saved, _ := h.do(t, call{method: get, path: th.task(id)}).want(200, "").json()["reply"].(map[string]any)
	if saved["text"] != text {
		t.Errorf("reply of %d bytes, want %d", len(fmt.Sprint(saved["text"])), len(text))
	}
}

// A damaged reply is not handed out, and does not make its conversation
// unreadable.
func TestDamagedReplyIsNotHandedOut(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Tell me everything.")).want(202, "").text("id")
	a := h.claim(t, th.ref(id), "worker-1")
	h.apply(t, th.ref(id), a.Complete(h.clock.Now(), worktask.Result{ObjectKey: "results/x", Bytes: 4, SHA256: strings.Repeat("0", 64)}, worktask.Report{}))
	h.do(t, call{method: get, path: th.task(id)}).want(500, "internal") // missing
	if err := h.store.PutObject(t.Context(), "results/x", []byte("evil")); err != nil {
		t.Fatal(err)
	}
	h.do(t, call{method: get, path: th.task(id)}).want(500, "internal") // another body
	_, tasks := h.log(t, th)
	task, _ := tasks[0].(map[string]any)
	if task["status"] != "completed" || task["reply"] != nil || strings.Contains(fmt.Sprint(task), "evil") {
		t.Errorf("task in the page: %v", task)
	}
}

// 400 messages of 20 KB do not fit into one answer: pages stay under the limit,
// say that there is more, and together have everything once.
func TestCaseM7LongConversationIsPaged(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	text := strings.Repeat("0123456789abcdef\"\\\n\t", 1024)
	for i := range 400 {
		id := h.do(t, th.submit(fmt.Sprintf("r-%d", i), text)).want(202, "").text("id")
		if i%40 == 0 {
			h.complete(t, th.ref(id), strings.Repeat("Everybody decides. ", 90_000))
		}
	}
	seen := map[string]bool{}
	before, oldest, pages := "", "~", 0
	for {
		c := call{method: get, path: "/v1/conversations/" + th.conversation, query: map[string]string{"limit": "100"}}
		if before != "" {
			c.query["before"] = before
		}
		payload := h.invoke(t, c)
		if len(payload) > 6_000_000 {
			t.Fatalf("answer of %d bytes", len(payload))
		}
		page := h.do(t, c).want(200, "").json()
		end := oldest // every entry of this page is older
		for _, list := range []string{"messages", "tasks"} {
			entries, _ := page[list].([]any)
			previous := ""
			for _, entry := range entries {
				id, _ := entry.(map[string]any)["id"].(string)
				if seen[id] || id <= previous || id >= end {
					t.Fatalf("entry %s twice or out of order", id)
				}
				seen[id], previous = true, id
				oldest = min(oldest, id)
			}
		}
		pages++
		next, more := page["next"].(string)
		if !more {
			break
		}
		before = next
	}
	if len(seen) != 800 {
		t.Errorf("%d entries in %d pages, want 800", len(seen), pages)
	}
}

// invoke sends a call as the runtime does.
func (h *harness) invoke(t *testing.T, c call) []byte {
	t.Helper()
	event, err := json.Marshal(c.event(h.clock.Now()))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := h.api.Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// A reply whose escapes make it longer than the runtime can hand over is a
// problem, not a broken connection.
func TestAnswerThatCannotBeHandedOver(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Tell me everything.")).want(202, "").text("id")
	h.complete(t, th.ref(id), strings.Repeat("\x01", 1<<20))
	var answer struct {
		StatusCode int               `json:"statusCode"`
		Headers    map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(h.invoke(t, call{method: get, path: th.task(id)}), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 500 || answer.Headers["Access-Control-Allow-Origin"] == "" {
		t.Errorf("answer %d %v", answer.StatusCode, answer.Headers)
	}
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	for i := range 5 {
		h.do(t, call{method: post, path: "/v1/conversations", key: fmt.Sprint("c-", i), body: `{"document":"` + th.document + `","title":"Chat ` + fmt.Sprint(i) + `"}`}).want(201, "")
		h.do(t, call{method: post, path: "/v1/documents", key: fmt.Sprint("d-", i), body: `{"title":"Rules","text":"hi"}`}).want(201, "")
	}
	for path, list := range map[string]string{"/v1/conversations": "conversations", "/v1/documents": "documents"} {
		previous, n, after := "~", 0, ""
		for {
			c := call{method: get, path: path, query: map[string]string{"limit": "2"}}
			if after != "" {
				c.query["after"] = after
			}
			page := h.do(t, c).want(200, "").json()
			entries, _ := page[list].([]any)
			for _, entry := range entries {
				id, _ := entry.(map[string]any)["id"].(string)
				if id >= previous {
					t.Errorf("%s: %s after %s, want newest first", path, id, previous)
				}
				previous = id
				n++
			}
			next, more := page["next"].(string)
			if !more {
				break
			}
			after = next
		}
		if n != 6 {
			t.Errorf("%s: %d entries, want 6", path, n)
		}
	}
	for _, limit := range []string{"0", "-1", "101", "x", "1.5", "99999999999999999999"} {
		res := h.do(t, call{method: get, path: "/v1/documents", query: map[string]string{"limit": limit}}).want(400, "field_invalid")
		if res.text("field") != "limit" {
			t.Errorf("limit %s: field %q", limit, res.text("field"))
		}
	}
	for path, parameter := range map[string]string{"/v1/documents": "after", "/v1/conversations": "after", "/v1/conversations/" + th.conversation: "before"} {
		res := h.do(t, call{method: get, path: path, query: map[string]string{parameter: "xyz"}}).want(400, "field_invalid")
		if res.text("field") != parameter {
			t.Errorf("%s: field %q, want %q", path, res.text("field"), parameter)
		}
	}
}
