package stack_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
)

// output is everything that the processes of a stack have written: logs of every
// level, metrics, and lines that are neither.
type output struct {
	mu    sync.Mutex
	lines map[string][]string // by process
}

func (o *output) observe(line supervisor.Line) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines[line.Process] = append(o.lines[line.Process], string(line.Raw))
}

// with returns the lines that have a text in them, in any of its forms.
func (o *output) with(text string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	forms := formsOf(text)
	var found []string
	for process, lines := range o.lines {
		for _, line := range lines {
			if slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(line, form) }) {
				found = append(found, process+": "+line)
			}
		}
	}
	return found
}

// formsOf is a text as it is, in a URL, and in base64, where the gateway puts bodies:
// there it looks different by what stands before it, of which the first characters,
// and the last ones, depend on the neighbours.
func formsOf(text string) []string {
	forms := []string{text, url.QueryEscape(text), url.PathEscape(text)}
	for before, skip := range []int{0, 2, 3} {
		encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), text...))[skip:]
		if (before+len(text))%3 != 0 {
			encoded = encoded[:len(encoded)-1]
		}
		forms = append(forms, encoded, strings.NewReplacer("+", "-", "/", "_").Replace(encoded))
	}
	return forms
}

func TestFormsOfATextAreFound(t *testing.T) {
	t.Parallel()
	const marker = "QUESTION-MARKER?/x"
	for _, before := range []string{"", "a", "ab", "abc"} {
		for _, after := range []string{"", "z", "zy"} {
			for _, hidden := range []string{
				before + marker + after, base64.StdEncoding.EncodeToString([]byte(before + marker + after)),
				base64.RawURLEncoding.EncodeToString([]byte(before + marker + after)), "?q=" + url.QueryEscape(before+marker+after),
			} {
				out := &output{lines: map[string][]string{"api": {hidden}}}
				if len(out.with(marker)) != 1 {
					t.Errorf("not found in %s", hidden)
				}
			}
		}
	}
	if len((&output{lines: map[string][]string{"api": {"QUESTION of somebody"}}}).with(marker)) != 0 {
		t.Error("found where it is not")
	}
}

// What people write, and what opens doors. None of it may be in any output, whether
// a request succeeds, is refused or fails.
const (
	questionMarker = "QUESTION-MARKER who decides"
	documentMarker = "DOCUMENT-MARKER the committee decides"
	titleMarker    = "TITLE-MARKER"
	replyMarker    = "REPLY-MARKER the committee"
	emailMarker    = "person.marker@example.com"
	headerMarker   = "HEADER-MARKER"
	queryMarker    = "QUERY-MARKER"
	keyMarker      = "sk-KEY-MARKER-0123456789"
)

func TestProductLogsNothingThatPeopleWriteAndNoKeys(t *testing.T) {
	t.Parallel()
	out := &output{lines: map[string][]string{}}
	fake := fakeopenai.NewServer(t, fakeopenai.Options{
		Now: time.Now, Keys: []string{keyMarker}, Reply: func(fakeopenai.Asked) string { return replyMarker },
	})
	b, alice := product(t, stack.Options{
		Profile: "short", LogLevel: "debug", Observe: out.observe,
		Provider: "openai", ProviderURL: fake.BaseURL, Model: "model-1", ProviderKey: keyMarker,
	})
	post := func(path, key, body string, want int) string {
		t.Helper()
		return alice.call(t, http.MethodPost, path, key, body, want)
	}
	document := decode[identified](t, post("/v1/documents", "d-1",
		`{"title":"`+titleMarker+`","text":"`+documentMarker+`. Write to `+emailMarker+`."}`, http.StatusCreated))
	conversation := decode[identified](t, post("/v1/conversations", "c-1", `{"document":"`+document.ID+`","title":"`+titleMarker+`"}`, http.StatusCreated))
	messages := "/v1/conversations/" + conversation.ID + "/messages"
	body := `{"text":"` + questionMarker + `, says ` + emailMarker + `?","document":"` + document.ID + `","version":1}`
	asked := decode[task](t, post(messages, "m-1", body, http.StatusAccepted))
	if ended := alice.awaitEnd(t, asked); ended.Reply.Text != replyMarker {
		t.Fatalf("task %+v", ended)
	}
	// The provider refuses, and quotes what it was asked, as some do.
	if err := fake.Script("", fakeopenai.Step{Action: fakeopenai.Refuse, Status: http.StatusBadRequest, Failure: fakeopenai.Failure{
		Type: "invalid_request_error", Message: "ERROR-MARKER: " + questionMarker + " with " + keyMarker,
	}}); err != nil {
		t.Fatal(err)
	}
	refused := decode[task](t, post(messages, "m-4", body, http.StatusAccepted))
	if ended := alice.awaitEnd(t, refused); ended.Status != "failed" {
		t.Errorf("task %+v", ended)
	}
	// Refusals: of a body, of a field, of a key that was used, of tokens.
	post(messages, "m-2", `{"text":"`+questionMarker, http.StatusBadRequest)
	post(messages, "m-3", `{"text":"x","`+questionMarker+`":1,"document":"`+document.ID+`","version":1}`, http.StatusBadRequest)
	post(messages, "m-1", strings.Replace(body, "who", "why", 1), http.StatusUnprocessableEntity)
	alice.call(t, http.MethodGet, "/v1/conversations?limit="+queryMarker, "", "", http.StatusBadRequest)
	for _, token := range []string{alice.token + "x", "TOKEN-MARKER"} {
		status, _, err := do(t.Context(), http.MethodGet, b.URL()+"/v1/conversations", "", "Authorization", "Bearer "+token,
			"User-Agent", headerMarker, "Cookie", headerMarker, "X-Forwarded-For", headerMarker)
		if err != nil || status != http.StatusUnauthorized {
			t.Errorf("a wrong token: %d, %v", status, err)
		}
	}
	if err := b.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitOutput(t, out, asked.ID)
	for _, marker := range []string{
		"QUESTION-MARKER", "DOCUMENT-MARKER", titleMarker, "REPLY-MARKER", emailMarker, headerMarker, queryMarker, "TOKEN-MARKER", "KEY-MARKER", "ERROR-MARKER",
		alice.token, strings.Split(alice.token, ".")[1], strings.Split(alice.token, ".")[2],
	} {
		for _, line := range out.with(marker) {
			t.Errorf("%.20s is in the output of %s", marker, line)
		}
	}
}

// awaitOutput waits until what must be there is there: a search that finds nothing
// proves nothing when there is nothing to search, or when it cannot find.
func awaitOutput(t *testing.T, out *output, task string) {
	t.Helper()
	for _, text := range []string{task, `"worker"`, `"dispatcher"`, `"authorizer"`, `"api"`, `"CloudWatchMetrics"`, `"span"`} {
		for deadline := time.Now().Add(10 * time.Second); len(out.with(text)) == 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("nothing in the output has %s: what is searched is not all there is", text)
			}
		}
	}
}
