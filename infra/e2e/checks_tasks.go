package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	documentText = "The library opens at nine. On Sundays it stays closed. The reading room is on the second floor."
	questionText = "When does the library open?"
)

func makeThings(ctx context.Context, v *visit) error {
	for _, thing := range []struct {
		path string
		body map[string]any
		id   *string
	}{
		{"/v1/documents", map[string]any{"title": "Opening hours", "text": documentText}, &v.document},
		{"/v1/conversations", map[string]any{"document": "", "title": "Opening hours"}, &v.conversation},
	} {
		if _, names := thing.body["document"]; names {
			thing.body["document"] = v.document
		}
		if err := makeThing(ctx, v.alice, thing.path, thing.body, thing.id); err != nil {
			return err
		}
	}
	return nil
}

// makeThing sends a request twice: the second one makes nothing.
func makeThing(ctx context.Context, c caller, path string, body any, id *string) error {
	r := request{method: http.MethodPost, path: path, key: newKey(), body: body}
	var ids [2]struct {
		ID string `json:"id"`
	}
	for i, status := range []int{http.StatusCreated, http.StatusOK} {
		a, err := c.send(ctx, r)
		if err != nil {
			return err
		}
		if err := a.want(status); err != nil {
			return err
		}
		if err := a.wantHeader("Idempotency-Replayed", strconv.FormatBool(i == 1)); err != nil {
			return err
		}
		if err := a.into(&ids[i]); err != nil {
			return err
		}
	}
	if ids[0].ID == "" || ids[0] != ids[1] {
		return fmt.Errorf("POST %s: made %q, and %q with the same key", path, ids[0].ID, ids[1].ID)
	}
	*id = ids[0].ID
	return nil
}

func (v *visit) messages() string { return "/v1/conversations/" + v.conversation + "/messages" }

func (v *visit) taskPath(id string) string {
	return "/v1/conversations/" + v.conversation + "/tasks/" + id
}

func (v *visit) ask(text string) request {
	return request{
		method: http.MethodPost, path: v.messages(), key: newKey(),
		body: map[string]any{"text": text, "document": v.document, "version": 1},
	}
}

func fieldErrors(ctx context.Context, v *visit) error {
	if err := need("conversation", v.conversation != ""); err != nil {
		return err
	}
	r := v.ask(questionText)
	r.body = map[string]any{"text": questionText, "document": v.document, "version": 1, "temperature": 0}
	a, err := v.alice.send(ctx, r)
	if err != nil {
		return err
	}
	if err := a.wantProblem(http.StatusBadRequest, "field_unknown"); err != nil {
		return err
	}
	var p problem
	if err := a.into(&p); err != nil {
		return err
	}
	if p.Field != "temperature" {
		return fmt.Errorf("%s: the problem names the field %q", a.request, p.Field)
	}
	r = v.ask(questionText)
	r.key = ""
	if a, err = v.alice.send(ctx, r); err != nil {
		return err
	}
	return a.wantProblem(http.StatusBadRequest, "idempotency_key_missing")
}

func submit(ctx context.Context, v *visit) error {
	if err := need("conversation", v.conversation != ""); err != nil {
		return err
	}
	v.question = v.ask(questionText)
	a, err := v.alice.send(ctx, v.question)
	if err != nil {
		return err
	}
	if err := a.want(http.StatusAccepted); err != nil {
		return err
	}
	if err := a.into(&v.asked); err != nil {
		return err
	}
	for name, words := range map[string]string{
		"Idempotency-Replayed": "false", "Idempotency-Expires": "GMT", "Idempotency-Key": v.question.key,
		"Location": v.taskPath(v.asked.ID), "X-Gateway-Request-Id": "",
	} {
		if err := a.wantHeader(name, words); err != nil {
			return err
		}
	}
	return a.wantCORS()
}

func repeat(ctx context.Context, v *visit) error {
	if err := need("task", v.asked.ID != ""); err != nil {
		return err
	}
	_, err := v.again(ctx)
	return err
}

// again sends the question once more, as it was.
func (v *visit) again(ctx context.Context) (task, error) {
	var t task
	a, err := v.alice.send(ctx, v.question)
	if err != nil {
		return t, err
	}
	if err := a.want(http.StatusOK); err != nil {
		return t, err
	}
	if err := a.wantHeader("Idempotency-Replayed", "true"); err != nil {
		return t, err
	}
	if err := a.into(&t); err != nil {
		return t, err
	}
	if t.ID != v.asked.ID {
		return t, fmt.Errorf("%s: one press of Send made the tasks %s and %s", a.request, v.asked.ID, t.ID)
	}
	return t, nil
}

func conflict(ctx context.Context, v *visit) error {
	if err := need("task", v.asked.ID != ""); err != nil {
		return err
	}
	r := v.ask("When does the library close?")
	r.key = v.question.key
	a, err := v.alice.send(ctx, r)
	if err != nil {
		return err
	}
	return a.wantProblem(http.StatusUnprocessableEntity, "idempotency_key_reused")
}

func reply(ctx context.Context, v *visit) error {
	if err := need("task", v.asked.ID != ""); err != nil {
		return err
	}
	t, err := v.await(ctx, v.asked.ID)
	if err != nil {
		return err
	}
	if t.Status != "completed" || t.Reply == nil || t.Reply.Text == "" {
		return fmt.Errorf("the task ended %s, %+v, without a reply", t.Status, t.Failure)
	}
	v.answered = t
	return nil
}

// await polls a task as the page does, until it ends.
func (v *visit) await(ctx context.Context, id string) (task, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, v.options.Patience, fmt.Errorf("the task %s has not ended after %s", id, v.options.Patience))
	defer cancel()
	etag := ""
	var t task
	for {
		a, err := v.alice.send(ctx, request{method: http.MethodGet, path: v.taskPath(id), etag: etag})
		if err != nil {
			return t, err
		}
		if err := a.want(http.StatusOK, http.StatusNotModified); err != nil {
			return t, err
		}
		if a.status == http.StatusOK {
			t = task{}
			if err := a.into(&t); err != nil {
				return t, err
			}
			etag = a.header.Get("ETag")
		}
		if t.ended() {
			return t, nil
		}
		select {
		case <-ctx.Done():
			return t, fmt.Errorf("%w: it is %s", context.Cause(ctx), t.Status)
		case <-time.After(time.Second):
		}
	}
}

func repeatAfterwards(ctx context.Context, v *visit) error {
	if err := need("reply", v.answered.ID != ""); err != nil {
		return err
	}
	t, err := v.again(ctx)
	if err != nil {
		return err
	}
	if t.Reply == nil || t.Reply.Text != v.answered.Reply.Text || t.Calls != v.answered.Calls {
		return fmt.Errorf("the repeat shows another reply, or one that cost more: %+v", t)
	}
	return nil
}

func reload(ctx context.Context, v *visit) error {
	if err := need("reply", v.answered.ID != ""); err != nil {
		return err
	}
	r := request{method: http.MethodGet, path: "/v1/conversations/" + v.conversation}
	a, err := v.alice.send(ctx, r)
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK); err != nil {
		return err
	}
	if !strings.Contains(string(a.body), v.answered.ID) {
		return fmt.Errorf("%s: the task is not in it: %.200s", a.request, a.body)
	}
	if err := a.wantHeader("ETag", `"`); err != nil {
		return err
	}
	r.etag = a.header.Get("ETag")
	if a, err = v.alice.send(ctx, r); err != nil {
		return err
	}
	if err := a.want(http.StatusNotModified); err != nil {
		return err
	}
	if len(a.body) != 0 {
		return fmt.Errorf("%s: 304 with a body: %.100s", a.request, a.body)
	}
	return nil
}

func regenerate(ctx context.Context, v *visit) error {
	if err := need("reply", v.answered.ID != ""); err != nil {
		return err
	}
	r := request{method: http.MethodPost, path: v.messages() + "/" + v.asked.Message + "/regenerate", key: newKey()}
	var made [2]task
	for i, status := range []int{http.StatusAccepted, http.StatusOK} {
		a, err := v.alice.send(ctx, r)
		if err != nil {
			return err
		}
		if err := a.want(status); err != nil {
			return err
		}
		if err := a.into(&made[i]); err != nil {
			return err
		}
	}
	if made[0].ID == v.asked.ID || made[0].ID != made[1].ID || made[0].Message != v.asked.Message {
		return fmt.Errorf("regenerating %s made %s and, with the same key, %s", v.asked.ID, made[0].ID, made[1].ID)
	}
	t, err := v.await(ctx, made[0].ID)
	if err != nil {
		return err
	}
	if t.Status != "completed" {
		return fmt.Errorf("the task ended %s, %+v", t.Status, t.Failure)
	}
	return nil
}

// cancel races with the worker: a task that has ended before cannot be stopped,
// and then the reply stays.
func cancel(ctx context.Context, v *visit) error {
	if err := need("conversation", v.conversation != ""); err != nil {
		return err
	}
	a, err := v.alice.send(ctx, v.ask("Where is the reading room?"))
	if err != nil {
		return err
	}
	if err := a.want(http.StatusAccepted); err != nil {
		return err
	}
	var asked task
	if err := a.into(&asked); err != nil {
		return err
	}
	a, err = v.alice.send(ctx, request{method: http.MethodPost, path: v.taskPath(asked.ID) + "/cancel"})
	if err != nil {
		return err
	}
	if a.status == http.StatusConflict {
		return a.wantProblem(http.StatusConflict, "task_ended")
	}
	if err := a.want(http.StatusOK); err != nil {
		return err
	}
	t, err := v.await(ctx, asked.ID)
	if err != nil {
		return err
	}
	if t.Status != "cancelled" || t.Reply != nil {
		return fmt.Errorf("the stopped task is %s, with the reply %v", t.Status, t.Reply)
	}
	return nil
}

func exactText(ctx context.Context, v *visit) error {
	if err := need("conversation", v.conversation != ""); err != nil {
		return err
	}
	text := "  Ouvre-t-elle à 9 h ? 図書館 👩‍🚀 \"<b>\" \\ /  "
	a, err := v.alice.send(ctx, v.ask(text))
	if err != nil {
		return err
	}
	if err := a.want(http.StatusAccepted); err != nil {
		return err
	}
	if a, err = v.alice.send(ctx, request{method: http.MethodGet, path: "/v1/conversations/" + v.conversation}); err != nil {
		return err
	}
	var log struct {
		Messages []struct {
			Text string `json:"text"`
		} `json:"messages"`
	}
	if err := a.into(&log); err != nil {
		return err
	}
	for _, m := range log.Messages {
		if m.Text == text {
			return nil
		}
	}
	return fmt.Errorf("%s: the question is not there as it was typed: %.300s", a.request, a.body)
}

func foreignIDs(ctx context.Context, v *visit) error {
	if err := need("task", v.asked.ID != ""); err != nil {
		return err
	}
	if v.bob.token == "" {
		return fmt.Errorf("%w: it needs a second token, of another workspace", errNotRun)
	}
	for _, r := range []request{
		{method: http.MethodGet, path: v.taskPath(v.asked.ID)},
		{method: http.MethodGet, path: "/v1/conversations/" + v.conversation},
		{method: http.MethodGet, path: "/v1/documents/" + v.document},
		{method: http.MethodPost, path: v.taskPath(v.asked.ID) + "/cancel"},
		v.ask(questionText),
	} {
		a, err := v.bob.send(ctx, r)
		if err != nil {
			return err
		}
		if err := a.wantProblem(http.StatusNotFound, "not_found"); err != nil {
			return err
		}
	}
	return nil
}
