package lambdahandler

import (
	"context"
	"net/http"

	"github.com/replyonce/replyonce/shared/conversation"
)

// pollInterval is when a task that has not ended is worth another look, in
// seconds.
const pollInterval = "1"

func (a *API) readTask(ctx context.Context, r *request) (*response, error) {
	task, err := a.Conversations.Task(ctx, r.caller, r.params["conversation"], r.params["task"])
	if err != nil {
		return nil, err
	}
	res, err := r.read(task)
	if err == nil {
		pollAgain(res, task)
	}
	return res, err
}

func (a *API) cancelTask(ctx context.Context, r *request) (*response, error) {
	if err := r.readEmptyBody(); err != nil {
		return nil, err
	}
	task, err := a.Conversations.Cancel(ctx, r.caller, r.params["conversation"], r.params["task"])
	if err != nil {
		return nil, err
	}
	return answer(http.StatusOK, task)
}

func pollAgain(res *response, task conversation.TaskView) {
	if !task.Ended() {
		res.headers["Retry-After"] = pollInterval
	}
}
