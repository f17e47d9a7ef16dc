package drills

import (
	"context"
	"net/http"
	"strings"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
)

// Person is somebody with a browser. What they ask for and get is recorded.
type Person struct {
	*browser.Browser
	User, Workspace string
	log             *Log
}

// NewPerson is somebody whose requests become part of a record.
func NewPerson(b *browser.Browser, user, workspace string, log *Log) *Person {
	return &Person{Browser: b, User: user, Workspace: workspace, log: log}
}

func (s *Scene) signIn(ctx context.Context, user, workspace string) (*Person, error) {
	b, err := s.SignIn(ctx, user, workspace)
	if err != nil {
		return nil, err //nolint:wrapcheck // says what it is
	}
	s.later(b.Close)
	return NewPerson(b, user, workspace, s.log), nil
}

// ref addresses a task as the history does; "" for one that is not known.
func (p *Person) ref(workspace, conversationID, task string) history.Ref {
	if task == "" {
		return ""
	}
	return history.RefOf(conversation.TaskRef(workspace, conversationID, task))
}

// Ask records a request and its answer. The record of the request gets its
// workspace and caller here.
func (p *Person) Ask(request history.Request, about history.Ref, do func() browser.Answer) browser.Answer {
	request.Workspace, request.Caller = p.Workspace, p.User
	answered := p.log.Actor(p.User).Ask(request, about)
	a := do()
	shown := about
	if a.Task != nil {
		shown = p.ref(p.Workspace, a.Task.Conversation, a.Task.ID)
	}
	answered(answerOf(a), shown)
	return a
}

// submit sends a question.
func (p *Person) submit(ctx context.Context, conversationID, key string, body []byte) browser.Answer {
	request := history.Request{
		Operation: conversation.OperationSubmit, Key: key, Fingerprint: history.Hash(conversationID + "\n" + string(body)),
	}
	return p.Ask(request, "", func() browser.Answer { return p.Submit(ctx, conversationID, key, body) })
}

// regenerate asks for one more reply.
func (p *Person) regenerate(ctx context.Context, conversationID, message, key string) browser.Answer {
	request := history.Request{
		Operation: conversation.OperationRegenerate, Key: key, Fingerprint: history.Hash(conversationID + "\n" + message),
	}
	return p.Ask(request, "", func() browser.Answer { return p.Regenerate(ctx, conversationID, message, key) })
}

// read looks at a task. It may be somebody else's, of another workspace.
func (p *Person) read(ctx context.Context, conversationID, task, tag string, about history.Ref) browser.Answer {
	request := history.Request{Operation: history.OperationRead, IfNoneMatch: tag}
	return p.Ask(request, about, func() browser.Answer { return p.Read(ctx, browser.TaskPath(conversationID, task), tag) })
}

// stop cancels a task.
func (p *Person) stop(ctx context.Context, conversationID, task string, about history.Ref) browser.Answer {
	request := history.Request{Operation: history.OperationCancel}
	return p.Ask(request, about, func() browser.Answer { return p.Stop(ctx, conversationID, task) })
}

// answerOf is what of an answer is recorded.
func answerOf(a browser.Answer) history.Answer {
	if a.Err != nil {
		return history.Answer{}
	}
	answer := history.Answer{Status: a.Status, Code: a.Code, Replayed: a.Replayed, ETag: a.ETag, Location: rooted(a.Location)}
	if a.Task != nil && a.Status != http.StatusNotModified {
		answer.View = viewOf(*a.Task)
	}
	return answer
}

// rooted is a location without what stands in front of the API's own paths.
func rooted(location string) string {
	if i := strings.Index(location, "/v1/"); i >= 0 {
		return location[i:]
	}
	return location
}

func viewOf(t browser.Task) *history.View {
	view := &history.View{
		Status: t.Status, AssignmentVersion: t.AssignmentVersion, AttemptsLeft: t.AttemptsLeft, Calls: t.Calls, CallsLeft: t.CallsLeft,
		CallsKnown: t.Spend.CallsKnown, CallsUnknown: t.Spend.CallsUnknown, RefusedAnswers: len(t.Spend.RefusedAnswers),
	}
	if t.Failure != nil {
		view.Failure = t.Failure.Reason
	}
	if t.Reply != nil {
		view.ReplySHA256 = history.Hash(t.Reply.Text)
	}
	return view
}
