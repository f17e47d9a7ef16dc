package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/infra/demo/feed"
	"github.com/replyonce/replyonce/shared/drills/browser"
)

// tryAsOthers tries every id of the run as somebody else: a colleague, who shares the workspace and thus
// its documents, and a stranger of another workspace.
func (w *world) tryAsOthers(ctx context.Context, tasks []taskIDs) ([]browser.Answer, error) {
	answers := feed.New[browser.Answer]()
	for _, who := range []struct{ user, workspace string }{{colleague, workspace}, {stranger, otherWorkspace}, {user, otherWorkspace}} {
		other, err := browser.SignIn(ctx, w.stack.URL(), who.user, who.workspace, time.Now, answers.Add)
		if err != nil {
			return nil, err //nolint:wrapcheck // says what it is
		}
		for _, ids := range tasks {
			if err := w.tryTask(ctx, other, ids); err != nil {
				return nil, err
			}
		}
		if who.workspace != workspace {
			w.tryDocument(ctx, other)
		}
		other.Close()
	}
	return answers.All(), nil
}

// taskIDs are the ids under which a task can be addressed.
type taskIDs struct{ conversation, message, task string }

func (w *world) tryTask(ctx context.Context, other *browser.Browser, ids taskIDs) error {
	question, err := browser.Question("Whose conversation is this?", w.document, documentVersion)
	if err != nil {
		return fmt.Errorf("try as another: %w", err)
	}
	other.Read(ctx, browser.ConversationPath(ids.conversation), "")
	other.Read(ctx, browser.TaskPath(ids.conversation, ids.task), "")
	other.Stop(ctx, ids.conversation, ids.task)
	other.Submit(ctx, ids.conversation, browser.NewKey(), question)
	other.Regenerate(ctx, ids.conversation, ids.message, browser.NewKey())
	return nil
}

func (w *world) tryDocument(ctx context.Context, other *browser.Browser) {
	path := "/v1/documents/" + w.document
	other.Read(ctx, path, "")
	other.Read(ctx, path+"/versions/1", "")
	other.Do(ctx, browser.Request{Method: http.MethodPost, Path: path + "/versions", Key: browser.NewKey(), Body: []byte(`{"text":"mine"}`)})
}
