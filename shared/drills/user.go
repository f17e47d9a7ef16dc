package drills

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// userDrills are about Stop, Regenerate, and people who must not see anything.
func userDrills() []Drill {
	stopped := func(version int, requests int) Want {
		return Want{
			Status: worktask.Cancelled, Requests: exactly(requests), Calls: exactly(requests), Unknown: exactly(requests), Version: exactly(version),
			Refused: whatever,
		}
	}
	return []Drill{
		{
			ID: "D21", Name: "Stop",
			Happens:  "Somebody presses Stop while the task waits, while the provider works, in the instant of the save, and from a second tab.",
			MustSee:  "What comes first wins, and the other is refused. A call that is not needed any more is ended, and its answer is never shown.",
			Promises: []check.Promise{check.P3, check.P10},
			Acts: []Act{
				{Title: "while it waits", Needs: []Need{Provider, Queue}, Asks: []Ask{{
					Question: "Is there a queue?", Steps: []providertest.Step{answers("Not to be seen.")}, Want: []Want{stopped(1, 0)},
				}}, Play: func(ctx context.Context, s *Scene) error {
					s.later(s.HoldDeliveries(s.one().scope()))
					if err := s.one().accepted(ctx); err != nil {
						return err
					}
					return s.one().stop(ctx, s.ada, http.StatusOK)
				}},
				{Title: "while the provider works", Needs: []Need{Provider, Faults}, Asks: []Ask{{
					Question: "Is there a rule about dogs?", Steps: []providertest.Step{answersWhenTold("None.")}, Want: []Want{stopped(2, 1)},
				}}, Play: playStop},
				{Title: "in the instant of the save, from a second tab", Needs: []Need{Provider, Faults}, Asks: []Ask{{
					Question: "Is there a rule about cats?", Steps: []providertest.Step{answers("None.")}, Want: []Want{func() Want {
						w := stopped(2, 1)
						w.Refused = atLeast(1)
						return w
					}()},
				}}, Play: playStopAtSave},
			},
		},
		{
			ID: "D26", Name: "One more reply to the same question",
			Happens:  "When the reply is there, Regenerate is pressed once and sent twice, and then pressed once more.",
			MustSee:  "The press that was sent twice makes one more task, and the other press another one.",
			Promises: []check.Promise{check.P4},
			Acts: []Act{{Asks: []Ask{{
				Question: "May I ask again?", Steps: []providertest.Step{answers("Yes."), answers("Yes."), answers("Yes.")}, Want: []Want{once, once, once},
			}}, Play: playRegenerate}},
		},
		{
			ID: "D29", Name: "Other people's things",
			Happens: "Somebody of another workspace, and a colleague of the same one, try to read, stop and repeat what is not theirs.",
			MustSee: "They are told that there is no such thing, and nothing changes.", Promises: []check.Promise{check.P11},
			Acts: []Act{{Needs: []Need{People}, Asks: []Ask{{
				Question: "Whose question is this?", Steps: []providertest.Step{answers("Mine.")}, Want: []Want{once},
			}}, Play: playStrangers}},
		},
	}
}

func playStop(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.accepted(ctx); err != nil {
		return err
	}
	if err := t.requested(ctx, 1, providertest.EventHeld); err != nil {
		return err
	}
	if err := t.stop(ctx, s.ada, http.StatusOK); err != nil {
		return err
	}
	if err := t.requested(ctx, 1, providertest.EventGone); err != nil {
		return fmt.Errorf("the worker goes on with its call: %w", err)
	}
	if _, err := t.refused(ctx, "", Renew, Release, Fail, Complete); err != nil {
		return err
	}
	t.release()
	return t.ended(ctx)
}

func playStopAtSave(ctx context.Context, s *Scene) error {
	t := s.one()
	second, err := s.signIn(ctx, asker, workspace)
	if err != nil {
		return err
	}
	pressed := make(chan error, 1)
	known := make(chan struct{})
	t.at(Worker, Complete, func(p Passing) Fate {
		s.log.Note("the save of %s is held until Stop was pressed in a second tab", p.Process)
		select {
		case <-known:
			pressed <- t.stop(ctx, second, http.StatusOK)
		case <-ctx.Done():
		}
		p.Forward()
		return Answered
	})
	if err := t.accepted(ctx); err != nil {
		return err
	}
	close(known)
	select {
	case err := <-pressed:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return errors.New("no save came")
	}
	if _, err := t.refused(ctx, "", Complete); err != nil {
		return err
	}
	return t.keptEvidence(ctx)
}

func playRegenerate(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.finished(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	message := t.task.Message
	t.mu.Unlock()
	press := func(key string, status int) (string, error) {
		a := t.person.regenerate(ctx, t.conversation, message, key)
		if err := a.Want(status); err != nil {
			return "", err //nolint:wrapcheck // says what it is
		}
		if a.Task == nil {
			return "", errors.New("the answer to Regenerate shows no task")
		}
		return a.Task.ID, nil
	}
	first, second := browser.NewKey(), browser.NewKey()
	made, err := press(first, http.StatusAccepted)
	if err != nil {
		return err
	}
	again, err := press(first, http.StatusOK)
	if err != nil {
		return err
	}
	other, err := press(second, http.StatusAccepted)
	if err != nil {
		return err
	}
	if made != again || made == other || made == t.id() || other == t.id() {
		return fmt.Errorf("the sends gave the tasks %s, %s and %s beside %s", made, again, other, t.id())
	}
	for _, id := range []string{made, other} {
		if err := t.endedTask(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// playStrangers tries each address as somebody else.
func playStrangers(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.finished(ctx); err != nil {
		return err
	}
	t.mu.Lock()
	message := t.task.Message
	t.mu.Unlock()
	about := history.RefOf(t.ref())
	for _, who := range []struct{ user, workspace string }{{colleague, workspace}, {stranger, otherWorkspace}, {asker, otherWorkspace}} {
		other, err := s.signIn(ctx, who.user, who.workspace)
		if err != nil {
			return err
		}
		answers := []browser.Answer{
			other.read(ctx, t.conversation, t.id(), "", about),
			other.stop(ctx, t.conversation, t.id(), about),
			other.submit(ctx, t.conversation, browser.NewKey(), t.body),
			other.regenerate(ctx, t.conversation, message, browser.NewKey()),
			other.Read(ctx, browser.ConversationPath(t.conversation), ""),
		}
		if who.workspace != workspace {
			answers = append(answers, other.Read(ctx, "/v1/documents/"+s.document, ""), other.Read(ctx, "/v1/documents/"+s.document+"/versions/1", ""))
		}
		for _, a := range answers {
			if err := a.Want(http.StatusNotFound); err != nil {
				return fmt.Errorf("%s: %w", other.Who, err)
			}
		}
	}
	if n, err := t.entries(ctx); err != nil || n != 2 {
		return fmt.Errorf("the conversation has %d entries, want 2: %w", n, err)
	}
	return nil
}
