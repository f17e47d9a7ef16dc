package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// crowd is how many times the same submit is sent at once.
const crowd = 50

const crowdQuestion = "How many volumes may a member borrow?"

// acceptScenarios are about pressing Send.
func acceptScenarios() []scenario {
	once := want{status: worktask.Completed, requests: 1, calls: 1, version: 1}
	return []scenario{
		{
			title: "a normal reply", question: "When does the reading room open?",
			provider: []providertest.Step{answers("At nine.")}, play: playNormal, want: once,
		},
		{
			title: "the same submit 50 times at once", question: crowdQuestion,
			provider: []providertest.Step{answersWhenTold(crowdQuestion, "Two volumes.")},
			muted:    []string{"task replayed"}, play: playCrowd, want: once,
		},
		{
			title: "the same key with another text", question: "Who decides about a seat?",
			provider: []providertest.Step{answers("The librarian on duty.")}, play: playOtherText, want: once,
		},
		{
			title: "API killed after its commit, before its answer", question: "What happens to an overdue volume?",
			provider: []providertest.Step{answers("It is asked for once in writing.")}, play: playDeadAPI, want: once,
		},
	}
}

// playNormal also presses Stop when it is too late for it.
func playNormal(ctx context.Context, s *scene) error {
	if err := s.askAndSee(ctx); err != nil {
		return err
	}
	return s.stop(ctx, http.StatusConflict)
}

// playCrowd holds the provider's answer back until all have been answered, so that all meet a task that
// has not ended.
func playCrowd(ctx context.Context, s *scene) error {
	s.tell("browser", "sends the same request %d times at once, one key: “%s”", crowd, s.question)
	answers := make([]browser.Answer, crowd)
	var senders sync.WaitGroup
	for i := range answers {
		senders.Go(func() { answers[i] = s.send(ctx) })
	}
	senders.Wait()
	accepted, replayed, tasks := 0, 0, map[string]bool{}
	for _, answer := range answers {
		if err := answer.Want(http.StatusAccepted, http.StatusOK); err != nil {
			return err //nolint:wrapcheck // says what it is
		}
		if answer.Task == nil {
			return errors.New("an answer names no task")
		}
		tasks[answer.Task.ID] = true
		switch {
		case answer.Status == http.StatusAccepted && !answer.Replayed:
			accepted++
		case answer.Status == http.StatusOK && answer.Replayed:
			replayed++
		}
	}
	s.tell("browser", "%d × 202 accepted, %d × 200 replayed; they name %d task, %s", accepted, replayed, len(tasks), check.Short(s.taskID()))
	if accepted != 1 || replayed != crowd-1 || len(tasks) != 1 {
		return fmt.Errorf("%d accepted, %d replayed, %d tasks; want 1, %d, 1", accepted, replayed, len(tasks), crowd-1)
	}
	s.provider.Release(s.gate())
	return s.see(ctx)
}

func playOtherText(ctx context.Context, s *scene) error {
	if err := s.ask(ctx); err != nil {
		return err
	}
	before, err := s.entries(ctx, s)
	if err != nil {
		return err
	}
	other, err := browser.Question(s.question+" And who decides about that?", s.document, documentVersion)
	if err != nil {
		return fmt.Errorf("ask something else: %w", err)
	}
	refused := s.ada.Submit(ctx, s.conversation, s.key, other)
	s.tell("browser", "sends another text with the same key: %d %s", refused.Status, refused.Code)
	if err := refused.Want(http.StatusUnprocessableEntity); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	after, err := s.entries(ctx, s)
	if err != nil {
		return err
	}
	s.tell("store", "holds %d message and %d task for this conversation, as before", len(after.Messages), len(after.Tasks))
	if len(after.Messages) != len(before.Messages) || len(after.Tasks) != len(before.Tasks) {
		return errors.New("the refused request has written something")
	}
	return s.see(ctx)
}

// playDeadAPI: nobody publishes the handoff, so the dispatcher finds it.
func playDeadAPI(ctx context.Context, s *scene) error {
	s.atAccept(s.killAfter(ctx, "the transaction is committed, nothing answered, nothing published"))
	s.tell("browser", "presses Send: “%s”", s.question)
	lost := s.send(ctx)
	if err := lost.Want(http.StatusBadGateway); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	s.tell("browser", "%d: it does not know whether its question arrived, and sends the same again", lost.Status)
	again := s.send(ctx)
	if err := again.Want(http.StatusOK); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	s.tell("browser", "200, replayed: %t, task %s", again.Replayed, check.Short(s.taskID()))
	if _, err := s.line(ctx, "dispatcher-1", "handoff republished"); err != nil {
		return err
	}
	return s.see(ctx)
}
