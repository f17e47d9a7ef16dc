package history

import "github.com/replyonce/replyonce/shared/conversation"

// Ask records a request of the caller. The function that it returns records the
// answer, and the task that the answer shows; a request that is never answered
// ends with Answer{}, or without that call.
func (a *Actor) Ask(r Request, task Ref) (answered func(Answer, Ref)) {
	sent := a.Record(Event{Kind: RequestSent, Task: task, Request: &r})
	return func(answer Answer, shown Ref) {
		a.Record(Event{Kind: RequestAnswered, Op: sent, Task: shown, Answer: &answer})
	}
}

// ViewOf is what of a rendered task is recorded.
func ViewOf(v conversation.TaskView) View {
	view := View{
		Status: v.Status, AssignmentVersion: v.AssignmentVersion, AttemptsLeft: v.AttemptsLeft,
		Calls: v.Calls, CallsLeft: v.CallsLeft, CallsKnown: v.Spend.CallsKnown, CallsUnknown: v.Spend.CallsUnknown,
		RefusedAnswers: len(v.Spend.RefusedAnswers),
	}
	if v.Failure != nil {
		view.Failure = v.Failure.Reason
	}
	if v.Reply != nil {
		view.ReplySHA256 = Hash(v.Reply.Text)
	}
	return view
}
