package operator_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/conversation"
)

const (
	conversationID = "01JDC000000000000000000000"
	taskID         = "01JDT000000000000000000000"
)

func TestParseTask(t *testing.T) {
	t.Parallel()
	want := conversation.TaskRef("acme", conversationID, taskID)
	path := conversation.TaskPath(conversationID, taskID)
	for _, c := range []struct{ workspace, text string }{
		{"acme", path},
		{"acme", "/prod" + path},
		{"acme", "https://api.example.com/prod" + path + "?x=1#top"},
		{"acme", " " + path + "/ "},
		{"", "acme/" + conversationID + "/" + taskID},
		{"acme", "acme/" + conversationID + "/" + taskID},
		{"", want.String()},
	} {
		if got, err := operator.ParseTask(c.workspace, c.text); err != nil || got != want {
			t.Errorf("%q, %q: %s, %v", c.workspace, c.text, got, err)
		}
	}
	for _, c := range []struct{ workspace, text, says string }{
		{"", path, "workspace"},
		{"acme", "", "names no task"},
		{"acme", taskID, "names no task"},
		{"acme", "/v1/conversations/" + conversationID, "names no task"},
		{"acme", strings.ToLower(path), "id of a conversation"},
		{"acme", conversation.TaskPath(conversationID, "1"), "id of a task"},
		{"a b", path, "no workspace"},
		{"umbrella", "acme/" + conversationID + "/" + taskID, "the workspace asked for"},
		{"acme", path + "/cancel", "id of a task"},
		{"acme", "/v1/conversations/%zz/tasks/" + taskID, "cannot be read"},
		{"acme", strings.Repeat("x", 5000), "…"},
	} {
		_, err := operator.ParseTask(c.workspace, c.text)
		if _, ok := errors.AsType[*operator.RefError](err); !ok || !strings.Contains(err.Error(), c.says) || len(err.Error()) > 500 {
			t.Errorf("%q, %q: %v", c.workspace, c.text, err)
		}
	}
}

// Whatever is pasted, what comes out can be written and read again.
func FuzzParseTask(f *testing.F) {
	f.Add("acme", conversation.TaskPath(conversationID, taskID))
	f.Add("", "acme/"+conversationID+"/"+taskID)
	f.Add("", "acme/C#"+conversationID+"/"+taskID)
	f.Add("a", "/v1/conversations/%2e%2e/tasks/"+taskID)
	f.Fuzz(func(t *testing.T, workspace, text string) {
		ref, err := operator.ParseTask(workspace, text)
		if err != nil {
			return
		}
		again, err := operator.ParseTask("", ref.String())
		if err != nil || again != ref {
			t.Errorf("%q, %q: %s and then %s, %v", workspace, text, ref, again, err)
		}
	})
}
