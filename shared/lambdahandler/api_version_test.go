package lambdahandler_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/worktask"
)

// indexes lets the harness make versions that are indexed first.
func (h *harness) indexes() {
	h.api.Documents.Index = &document.IndexTasks{
		Pipeline: "0a1b2c3d", Timers: h.timers, Tasks: h.store, Queue: h.queue, Log: slog.New(slog.DiscardHandler), Metrics: h.metrics,
	}
}

// longDocument makes a document whose version has to be indexed.
func (h *harness) longDocument(t *testing.T) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"title": "Manual", "text": strings.Repeat("The board decides. ", 4000)})
	if err != nil {
		t.Fatal(err)
	}
	return h.do(t, call{method: post, path: "/v1/documents", key: "long", body: string(body)}).want(201, "").text("id")
}

func TestVersionThatIsNotReadyHasNoText(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.indexes()
	id := h.longDocument(t)
	read := call{method: get, path: "/v1/documents/" + id + "/versions/1"}
	if res := h.do(t, read).want(409, "version_not_ready"); res.headers["Retry-After"] != "2" {
		t.Errorf("Retry-After %q", res.headers["Retry-After"])
	}
	v, err := h.store.Version(t.Context(), "acme", id, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := indexing.Writer{Target: indexing.Target{Workspace: "acme", Document: id, Number: 1, Pipeline: v.Index.Pipeline}, Assignment: 1}
	if err := errors.Join(h.store.TakeVersion(t.Context(), w), h.store.Publish(t.Context(), w, indexing.Summary{Manifest: "m"})); err != nil {
		t.Fatal(err)
	}
	h.do(t, read).want(200, "")
}

// Nobody was left to write that the version has failed; its task says so.
func TestVersionWhoseTaskEndedHasFailed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.indexes()
	id := h.longDocument(t)
	v, err := h.store.Version(t.Context(), "acme", id, 1)
	if err != nil {
		t.Fatal(err)
	}
	ref := worktask.Ref{Workspace: "acme", Scope: document.ScopeOf(id), ID: v.Index.Task}
	h.apply(t, ref, worktask.Cancel{Now: h.clock.Now()})
	h.do(t, call{method: get, path: "/v1/documents/" + id + "/versions/1"}).want(409, "version_failed")
}

// texts are those of files.
type texts struct {
	text  string
	pages []int
}

func (f texts) ReadText(context.Context, indexing.Target) (string, []int, error) {
	return f.text, f.pages, nil
}

// uploaded says that every version was a file.
type uploaded struct{ stores }

func (s uploaded) Version(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	v, err := s.stores.Version(ctx, workspace, id, number)
	v.Index = document.Index{Task: "01KB7Q1G01TASK000000000001", Object: "uploads/1", FileName: "manual.pdf"}
	return v, err //nolint:wrapcheck // of the store
}

// A text that is larger than an answer may be comes in parts, none of which ends
// within a character.
func TestLongTextComesInParts(t *testing.T) {
	t.Parallel()
	h := newHarness(t, func(s stores) stores { return uploaded{s} })
	file := texts{text: strings.Repeat("Ä\"\x01\n", 2_000_000), pages: []int{0, 5, 10}}
	h.api.Documents.Texts = file
	th := h.thread(t)
	var whole strings.Builder
	parts := 0
	for from := 0; from >= 0; parts++ {
		c := call{method: get, path: "/v1/documents/" + th.document + "/versions/1"}
		if from > 0 {
			c.query = map[string]string{"from": strconv.Itoa(from)}
		}
		res := h.do(t, c).want(200, "")
		if len(res.body) > 4_100_000 {
			t.Fatalf("an answer of %d bytes", len(res.body))
		}
		var m struct {
			Text     string `json:"text"`
			From     int    `json:"from"`
			NextFrom *int   `json:"next_from"`
			Pages    []int  `json:"page_starts"`
		}
		if err := json.Unmarshal([]byte(res.body), &m); err != nil || m.From != from || len(m.Pages) != 3 {
			t.Fatalf("part from %d: from %d, pages %v, %v", from, m.From, m.Pages, err)
		}
		whole.WriteString(m.Text)
		from = -1
		if m.NextFrom != nil {
			from = *m.NextFrom
		}
	}
	if whole.String() != file.text || parts < 5 {
		t.Errorf("%d parts make %d bytes, want %d", parts, whole.Len(), len(file.text))
	}
	for _, from := range []string{"-1", "1", "x", strconv.Itoa(len(file.text)), "9999999999999999999"} {
		c := call{method: get, path: "/v1/documents/" + th.document + "/versions/1", query: map[string]string{"from": from}}
		h.do(t, c).want(400, "field_invalid")
	}
}

// A question about a version that is not ready is accepted and waits; one about a
// version that has failed is refused, unless it was accepted before.
func TestQuestionWaitsForItsVersion(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.indexes()
	id := h.longDocument(t)
	talk := h.do(t, call{method: post, path: "/v1/conversations", key: "talk", body: `{"document":"` + id + `"}`}).want(201, "").text("id")
	ask := func(key string) call {
		return call{method: post, path: "/v1/conversations/" + talk + "/messages", key: key, body: `{"text":"Who decides?","document":"` + id + `","version":1}`}
	}
	asked := h.do(t, ask("q-1")).want(202, "").json()
	if waits, _ := asked["waiting_for"].(map[string]any); waits["version"] != 1.0 || asked["status"] != "pending" {
		t.Errorf("the task is %v", asked)
	}
	v, err := h.store.Version(t.Context(), "acme", id, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := indexing.Writer{Target: indexing.Target{Workspace: "acme", Document: id, Number: 1, Pipeline: v.Index.Pipeline}, Assignment: 1}
	if err := errors.Join(h.store.TakeVersion(t.Context(), w), h.store.FailVersion(t.Context(), w, "encrypted")); err != nil {
		t.Fatal(err)
	}
	h.do(t, ask("q-2")).want(409, "version_failed")
	h.do(t, ask("q-1")).want(200, "")
	again := call{method: post, path: "/v1/conversations/" + talk + "/messages/" + asked["message"].(string) + "/regenerate", key: "r-1"} //nolint:forcetypeassert // the contract has it
	h.do(t, again).want(409, "version_failed")
}
