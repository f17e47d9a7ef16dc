package lambdahandler_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

// samples are the events in the folder of that name, with what each gets from
// a workspace that has one document, one conversation and one question in it.
var samples = map[string]struct {
	after  string // another sample that was sent before
	status int
	code   string
}{
	"submit-first":              {"", 202, ""},
	"submit-repeat":             {"submit-first", 200, ""},
	"submit-conflict":           {"submit-first", 422, "idempotency_key_reused"},
	"submit-base64":             {"", 202, ""},
	"submit-null-headers":       {"submit-first", 200, ""},
	"submit-two-keys":           {"", 400, "idempotency_key_malformed"},
	"submit-no-key":             {"", 400, "idempotency_key_missing"},
	"submit-malformed-key":      {"", 400, "idempotency_key_malformed"},
	"submit-no-body":            {"", 400, "body_missing"},
	"submit-bad-utf8":           {"", 400, "body_malformed"},
	"submit-lone-surrogate":     {"", 400, "body_malformed"},
	"submit-duplicate-field":    {"", 400, "field_invalid"},
	"submit-unknown-field":      {"", 400, "field_unknown"},
	"submit-number-beyond-2-53": {"", 400, "field_invalid"},
	"submit-form-encoded":       {"", 415, "media_type_unsupported"},
	"submit-expired-token":      {"", 401, "unauthorized"},
	"submit-no-identity":        {"", 401, "unauthorized"},
	"submit-other-workspace":    {"", 404, "not_found"},
	"submit-malformed-id":       {"", 404, "not_found"},
	"regenerate":                {"", 202, ""},
	"task-read":                 {"", 200, ""},
	"task-cancel":               {"", 200, ""},
	"conversation-create":       {"", 201, ""},
	"conversation-read":         {"", 200, ""},
	"document-create":           {"", 201, ""},
	"document-manual":           {"", 404, "not_found"}, // a long one, which is indexed in a world with workers
	"document-version":          {"", 201, ""},
	"document-read":             {"", 200, ""},
	"preflight":                 {"", 204, ""},
	"unknown-route":             {"", 404, "not_found"},
	"wrong-method":              {"", 405, "method_not_allowed"},
	"page":                      {"", 200, ""},
}

func TestSampleEvents(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../events/api-*.json")
	if err != nil || len(files) != len(samples) {
		t.Errorf("%d sample events, %d expected, %v", len(files), len(samples), err)
	}
	for name, want := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.seed(t)
			if want.after != "" {
				h.sendSample(t, want.after)
			}
			got := h.sendSample(t, name)
			var p struct {
				Code string `json:"code"`
			}
			if got.StatusCode >= 400 {
				if err := json.Unmarshal([]byte(got.Body), &p); err != nil {
					t.Fatal(err)
				}
			}
			if got.StatusCode != want.status || p.Code != want.code {
				t.Errorf("answer %d %q, want %d %q: %s", got.StatusCode, p.Code, want.status, want.code, got.Body)
			}
		})
	}
}

// proxyAnswer is what the runtime hands back to the gateway.
type proxyAnswer struct {
	StatusCode int               `json:"statusCode"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
}

func (h *harness) sendSample(t *testing.T, name string) proxyAnswer {
	t.Helper()
	event, err := os.ReadFile("../../events/api-" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	payload, err := h.api.Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	var answer proxyAnswer
	if err := json.Unmarshal(payload, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// Ids of the things that the samples name.
const (
	sampleDocument     = "01KB7PZ8Q0D0CVMENT00000001"
	sampleConversation = "01KB7Q0000C0NVERSAT1000001"
	sampleMessage      = "01KB7Q1G00MESSAGE000000001"
	sampleTask         = "01KB7Q1G01TASK000000000001"
)

func (h *harness) seed(t *testing.T) {
	t.Helper()
	record := func(operation, target string) idempotency.Record {
		r, err := idempotency.NewRecord(idempotency.Scope{Workspace: "acme", Caller: "alice", Operation: operation}, "seed",
			idempotency.NewCanonical(operation).Fingerprint(), target, h.clock.Now(), h.api.Windows)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	d := document.Document{Workspace: "acme", ID: sampleDocument, Title: "Rules", LatestVersion: 1, CreatedAt: start, UpdatedAt: start}
	v := document.Version{Workspace: "acme", Document: d.ID, Title: d.Title, Number: 1, Bytes: 18, Text: "Everybody decides.", CreatedAt: start}
	v.SHA256 = digest(v.Text)
	c := conversation.Conversation{Workspace: "acme", ID: sampleConversation, Caller: "alice", Title: "Rules", Document: d.ID, CreatedAt: start}
	m := conversation.Message{Workspace: "acme", Conversation: c.ID, ID: sampleMessage, Text: "Who decides?", Document: d.ID, Version: 1, CreatedAt: start}
	task := worktask.NewTask(conversation.TaskRef("acme", c.ID, sampleTask), reply.Kind, "alice",
		reply.Input{Message: m.ID, PromptVersion: reply.PromptVersion}.Encode(), "request-0", worktask.RetryUnknown, start, h.timers)
	for _, err := range []error{
		h.store.CreateDocument(t.Context(), record("create_document", document.Path(d.ID)), d, v),
		h.store.CreateConversation(t.Context(), record("create_conversation", conversation.Path(c.ID)), c),
		h.store.AcceptMessage(t.Context(), record("submit", conversation.TaskPath(c.ID, task.ID)), m, task),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Goldens of whole answers: what clients see, byte for byte. Run with -update
// to write them anew, and read the difference.
func TestGoldenAnswers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"task-read", "task-cancel", "conversation-read", "document-read", "submit-conflict", "submit-unknown-field", "submit-no-identity", "preflight"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.seed(t)
			if after := samples[name].after; after != "" {
				h.sendSample(t, after)
			}
			answer, err := json.MarshalIndent(h.sendSample(t, name), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, string(answer)+"\n")
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden.json")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("answer differs from %s:\n%s", file, got)
	}
}

var update = flag.Bool("update", false, "write the goldens anew")

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// What is no request of the gateway is answered and leaves a trace.
func TestEventsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"empty":          "",
		"no object":      "[]",
		"other event":    `{"source":"aws.events"}`,
		"cut off":        `{"httpMethod":"GE`,
		"lone surrogate": `{"httpMethod":"POST","path":"/v1/documents","body":"\ud83d"}`,
		"bad UTF-8":      "{\"httpMethod\":\"POST\",\"path\":\"/v1/documents\",\"body\":\"\xff\"}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			payload, err := h.api.Invoke(t.Context(), []byte(payload))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(payload), `"statusCode":400`) || !strings.Contains(string(payload), "body_malformed") || !h.logs.contains("event refused") {
				t.Errorf("answer %s, log %s", payload, h.logs)
			}
		})
	}
}
