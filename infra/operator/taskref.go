package operator

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/worktask"
)

// RefError says why a text names no task, and how one is named.
type RefError struct{ Detail string }

func (e *RefError) Error() string {
	return e.Detail + "; name a task by its path /v1/conversations/<id>/tasks/<id> with a workspace, or as <workspace>/<conversation>/<task>"
}

func refErrorf(format string, args ...any) error {
	return &RefError{Detail: fmt.Sprintf(format, args...)}
}

// workspaceShape is that of the authorizer: own workspaces of a caller are
// workspaces, too.
var workspaceShape = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// ParseTask reads the name of a task as it stands in a Location header, in the
// address bar or in a log: a path or URL that ends in
// /v1/conversations/<c>/tasks/<t>, which needs a workspace, or
// <workspace>/<conversation>/<task>, where the conversation may be written as
// the scope C#<conversation>. Its errors are *[RefError].
func ParseTask(workspace, text string) (worktask.Ref, error) {
	text = strings.TrimSpace(text)
	if _, path, isPath := strings.Cut(text, "/v1/conversations/"); isPath {
		return parsePath(workspace, path)
	}
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return worktask.Ref{}, refErrorf("%q names no task", shorten(text))
	}
	if workspace != "" && workspace != parts[0] {
		return worktask.Ref{}, refErrorf("the task is of workspace %q, and the workspace asked for is %q", shorten(parts[0]), shorten(workspace))
	}
	return checkedRef(parts[0], strings.TrimPrefix(parts[1], conversation.Scope("")), parts[2])
}

// parsePath reads what follows /v1/conversations/.
func parsePath(workspace, path string) (worktask.Ref, error) {
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	path, err := url.PathUnescape(strings.TrimSuffix(path, "/"))
	if err != nil {
		return worktask.Ref{}, refErrorf("the path cannot be read (%v)", err)
	}
	id, task, found := strings.Cut(path, "/tasks/")
	if !found {
		return worktask.Ref{}, refErrorf("the path names no task")
	}
	if workspace == "" {
		return worktask.Ref{}, refErrorf("a path does not tell the workspace")
	}
	return checkedRef(workspace, id, task)
}

func checkedRef(workspace, id, task string) (worktask.Ref, error) {
	switch {
	case !workspaceShape.MatchString(workspace):
		return worktask.Ref{}, refErrorf("%q is no workspace: 1 to 64 letters, digits, dots, underscores or hyphens", shorten(workspace))
	case !inputcheck.IsID(id):
		return worktask.Ref{}, refErrorf("%q is no id of a conversation: 26 digits and upper-case letters", shorten(id))
	case !inputcheck.IsID(task):
		return worktask.Ref{}, refErrorf("%q is no id of a task: 26 digits and upper-case letters", shorten(task))
	}
	return conversation.TaskRef(workspace, id, task), nil
}

// conversationOf is the conversation that a reply task belongs to.
func conversationOf(ref worktask.Ref) string {
	return strings.TrimPrefix(ref.Scope, conversation.Scope(""))
}

// taskPath is where the task is read.
func taskPath(ref worktask.Ref) string { return conversation.TaskPath(conversationOf(ref), ref.ID) }

// shorten keeps a slip of the keyboard, or of the clipboard, from filling the screen.
func shorten(text string) string {
	const most = 80
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
