package stack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/infra/local/stack"
)

// person is somebody who uses the product over HTTP.
type person struct {
	b     *bundle
	token string
}

func (p person) call(t *testing.T, method, path, key, body string, want int) string {
	t.Helper()
	status, answer, err := do(t.Context(), method, p.b.URL()+path, body, "Authorization", "Bearer "+p.token, "Idempotency-Key", key)
	if err != nil || status != want {
		t.Fatalf("%s %s: %d %s %v", method, path, status, answer, err)
	}
	return answer
}

type identified struct {
	ID string `json:"id"`
}

type task struct {
	ID                string `json:"id"`
	Conversation      string `json:"conversation"`
	Message           string `json:"message"`
	Status            string `json:"status"`
	AssignmentVersion int    `json:"assignment_version"`
	PreviousAttempt   string `json:"previous_attempt"`
	Reply             struct {
		Text string `json:"text"`
	} `json:"reply"`
}

// ask writes a document and asks a question about it.
func (p person) ask(t *testing.T) task {
	t.Helper()
	document := decode[identified](t, p.call(t, http.MethodPost, "/v1/documents", "d-1",
		`{"title":"Rules","text":"The committee decides on Mondays. Cats sleep in the afternoon."}`, http.StatusCreated))
	conversation := decode[identified](t, p.call(t, http.MethodPost, "/v1/conversations", "c-1",
		`{"document":"`+document.ID+`"}`, http.StatusCreated))
	return decode[task](t, p.call(t, http.MethodPost, "/v1/conversations/"+conversation.ID+"/messages", "m-1",
		`{"text":"Who decides?","document":"`+document.ID+`","version":1}`, http.StatusAccepted))
}

func (p person) awaitEnd(t *testing.T, asked task) task {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		now := decode[task](t, p.call(t, http.MethodGet, "/v1/conversations/"+asked.Conversation+"/tasks/"+asked.ID, "", "", http.StatusOK))
		if now.Status != "pending" && now.Status != "running" {
			return now
		}
		if time.Now().After(deadline) {
			t.Fatalf("the task has not ended: %+v", now)
		}
	}
}

// product starts the stack with the real functions.
func product(t *testing.T, o stack.Options) (*bundle, person) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the real functions")
	}
	o.Binaries = "" // built from the source
	return productOf(t, o)
}

// productOf starts the stack with the functions of the options.
func productOf(t *testing.T, o stack.Options) (*bundle, person) {
	t.Helper()
	built := &bundle{}
	running, err := stack.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	built.Stack = running
	t.Cleanup(func() {
		if err := running.Close(); err != nil {
			t.Error(err)
		}
	})
	_, answer, err := do(t.Context(), http.MethodPost, running.URL()+"/local/sign-in", `{"user":"alice","workspace":"acme"}`)
	if err != nil {
		t.Fatal(err)
	}
	return built, person{built, decode[struct {
		Token string `json:"token"`
	}](t, answer).Token}
}

func TestProductSavesOneReplyAndKeepsItOverARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, alice := product(t, stack.Options{DataDir: dir})
	asked := alice.ask(t)
	ended := alice.awaitEnd(t, asked)
	if ended.Status != "completed" || !strings.Contains(ended.Reply.Text, "The committee decides") {
		t.Fatalf("task %+v", ended)
	}
	port := first.Port()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, _ := product(t, stack.Options{DataDir: dir, Port: port})
	alice.b = second // with the token of before
	if again := alice.awaitEnd(t, asked); again != ended {
		t.Errorf("after the restart %+v, before %+v", again, ended)
	}
}

// The worker is killed when it has the answer and is about to save it.
func TestProductSavesOneReplyAlthoughTheWorkerIsKilled(t *testing.T) {
	t.Parallel()
	b, alice := product(t, stack.Options{Profile: "short"})
	completion := func(r *faultproxy.Request) bool { return strings.Contains(string(r.Body), "completed") }
	rule := b.Faults().Install(faultproxy.Rule{
		Name: "kill before the save", Caller: "worker-*", Operation: "dynamodb.UpdateItem", When: completion, Times: 1,
		Do: faultproxy.Before(func(r *faultproxy.Request) {
			b.Process(r.Caller).Kill()
			<-r.Gone()
		}),
	})
	ended := alice.awaitEnd(t, alice.ask(t))
	if rule.Acted() != 1 {
		t.Errorf("killed %d workers", rule.Acted())
	}
	if ended.Status != "completed" || ended.AssignmentVersion != 2 || ended.Reply.Text == "" {
		t.Errorf("task %+v", ended)
	}
}
