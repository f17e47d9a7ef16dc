package drills

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// clockDrills are about clocks that are wrong, and about time that passes.
func clockDrills() []Drill {
	return []Drill{
		{
			ID: "D24", Name: "Wrong clocks",
			Happens:  "The clock of the worker that has the task is put back and forward by much more than it may hold the task. Then another worker's clock runs ahead, so that it believes the task to be free.",
			MustSee:  "A wrong clock of the one who works changes nothing. A worker that comes too early costs a second call and no more: the first one's late save is refused, one reply is saved.",
			Promises: []check.Promise{check.P1, check.P2},
			Acts: []Act{
				{Title: "of the worker that has the task", Needs: []Need{Provider, Faults, Clocks}, Asks: []Ask{{
					Question: "What time is it?", Steps: []providertest.Step{answersWhenTold("Nine.")}, Want: []Want{once},
				}}, Play: playSteps},
				{Title: "of the worker that comes too early", Needs: []Need{Provider, Faults, Queue, Clocks}, Asks: []Ask{{
					Question: "Is it late already?", Steps: []providertest.Step{answersWhenTold("No."), answers("No.")}, Want: []Want{{
						Status: worktask.Completed, Requests: exactly(2), Calls: exactly(2), Unknown: exactly(1), Version: exactly(2), Refused: atLeast(1),
					}},
				}}, Play: playEarly},
			},
		},
		{
			ID: "D25", Name: "A very late repeat",
			Happens:  "The same press of Send is sent again within a day, exactly a day later, after months, and after more than a year.",
			MustSee:  "Within the day: the same task. After it: a clear “this was answered, here is the link”, and nothing is written. After a year the key is free again.",
			Promises: []check.Promise{check.P4},
			Acts: []Act{{Needs: []Need{Provider, Virtual}, Asks: []Ask{{
				Question: "Do you remember me?", Steps: []providertest.Step{answers("Yes."), answers("No.")}, Want: []Want{once, once},
			}}, Play: playWindows}},
		},
	}
}

// playSteps moves the clock of the worker between its renewals.
func playSteps(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.accepted(ctx); err != nil {
		return err
	}
	claim, err := t.landed(ctx, 1, Claim)
	if err != nil {
		return err
	}
	if err := t.requested(ctx, 1, providertest.EventHeld); err != nil {
		return err
	}
	worker := claim.Began.Actor
	for i, offset := range []time.Duration{-4 * s.Timers().Lease, 4 * s.Timers().Lease} {
		if err := s.stepClock(worker, offset); err != nil {
			return err
		}
		if _, err := t.landed(ctx, 2*(i+1), Renew); err != nil {
			return err
		}
	}
	t.release()
	return t.ended(ctx)
}

// playEarly: the first worker waits for the provider when the second comes.
func playEarly(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.accepted(ctx); err != nil {
		return err
	}
	worker, err := t.claimed(ctx, 1)
	if err != nil {
		return err
	}
	if err := t.requested(ctx, 1, providertest.EventHeld); err != nil {
		return err
	}
	ahead := s.Timers().Lease*4/3 + s.Timers().SkewMargin
	for _, w := range s.Workers() {
		if w != worker {
			if err := s.stepClock(w, ahead); err != nil {
				return err
			}
		}
	}
	if err := t.copyMessage(ctx); err != nil {
		return err
	}
	if _, err := t.claimed(ctx, 2); err != nil {
		return err
	}
	if _, err := t.refused(ctx, worker, Renew, Release, Fail, Complete); err != nil {
		return err
	}
	return t.ended(ctx)
}

// playWindows lets days pass.
func playWindows(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.finished(ctx); err != nil {
		return err
	}
	task, err := s.Task(ctx, t.ref())
	if err != nil {
		return fmt.Errorf("look at the task: %w", err)
	}
	accepted := task.AcceptedAt
	replay, purge := s.Timers().ReplayWindow, s.Timers().PurgeAfter
	for _, step := range []struct {
		after  time.Duration
		status int
		code   string
	}{
		{replay - time.Millisecond, http.StatusOK, ""},
		{replay, http.StatusGone, "idempotency_window_over"},
		{purge / 2, http.StatusGone, "idempotency_window_over"},
		{purge - 2*time.Second, http.StatusGone, "idempotency_window_over"},
		{purge + 2*time.Second, http.StatusAccepted, ""},
	} {
		if err := s.until(ctx, accepted.Add(step.after)); err != nil {
			return err
		}
		s.log.Note("%s after the first send, it is sent again", step.after)
		a := t.person.submit(ctx, t.conversation, t.key, t.body)
		if err := a.Want(step.status); err != nil {
			return fmt.Errorf("%s after the first send: %w", step.after, err)
		}
		if a.Code != step.code {
			return fmt.Errorf("%s after the first send: code %q, want %q", step.after, a.Code, step.code)
		}
		if step.status == http.StatusGone && !linksTo(a, t) {
			return fmt.Errorf("%s after the first send: the answer has no link to the task: %s", step.after, a.Body)
		}
		if step.status == http.StatusAccepted {
			return t.endedTask(ctx, a.Task.ID)
		}
	}
	return nil
}

// linksTo reports whether the answer says where the task is read.
func linksTo(a browser.Answer, t *Thread) bool {
	var problem struct {
		Location string `json:"location"`
	}
	return a.Into(&problem) == nil && rooted(problem.Location) == browser.TaskPath(t.conversation, t.id())
}
