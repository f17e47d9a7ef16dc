package lambdahandler_test

import (
	"encoding/json"
	"testing"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/worktask"
)

// thread is a document with a conversation about it.
type thread struct{ document, conversation string }

func (h *harness) thread(t *testing.T) thread {
	t.Helper()
	d := h.do(t, call{method: post, path: "/v1/documents", key: "document-1", body: `{"title":"Rules","text":"Everybody decides."}`}).want(201, "")
	c := h.do(t, call{method: post, path: "/v1/conversations", key: "conversation-1", body: `{"document":"` + d.text("id") + `"}`}).want(201, "")
	return thread{d.text("id"), c.text("id")}
}

// submitBody is a message in the field order of the contract.
func (th thread) body(text string) string {
	return `{"text":` + quote(text) + `,"document":"` + th.document + `","version":1}`
}

func (th thread) submit(key, text string) call {
	return call{method: post, path: th.messages(), key: key, body: th.body(text)}
}

func (th thread) messages() string { return "/v1/conversations/" + th.conversation + "/messages" }

func (th thread) task(id string) string {
	return "/v1/conversations/" + th.conversation + "/tasks/" + id
}

func (th thread) ref(id string) worktask.Ref {
	return conversation.TaskRef("acme", th.conversation, id)
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// log reads the whole conversation.
func (h *harness) log(t *testing.T, th thread) (messages, tasks []any) {
	t.Helper()
	page := h.do(t, call{method: get, path: "/v1/conversations/" + th.conversation, query: map[string]string{"limit": "100"}}).want(200, "").json()
	messages, _ = page["messages"].([]any)
	tasks, _ = page["tasks"].([]any)
	return messages, tasks
}

// wantLog checks how many messages and tasks there are.
func (h *harness) wantLog(t *testing.T, th thread, messages, tasks int) {
	t.Helper()
	m, k := h.log(t, th)
	if len(m) != messages || len(k) != tasks {
		t.Errorf("%d messages and %d tasks, want %d and %d", len(m), len(k), messages, tasks)
	}
}
