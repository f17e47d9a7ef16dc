package drills

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// refusedTwice is a reply at the second try with a late write that was refused.
var refusedTwice = func() Want {
	w := twice
	w.Refused = atLeast(1)
	return w
}()

// lateDrills are about workers that act when the task is no longer theirs.
func lateDrills() []Drill {
	return []Drill{
		{
			ID: "D11", Name: "A worker wakes up with an answer, too late",
			Happens: "A worker stands still with an answer in its hands. Another worker has taken its place and waits for the provider when the first one wakes up " +
				"and saves: no reply is there yet.",
			MustSee:  "The late save is refused, because the task has moved on to another worker. The other worker's reply is saved; size and cost of the refused answer are kept.",
			Promises: []check.Promise{check.P1, check.P2, check.P14},
			Acts: []Act{{Needs: killing, Asks: []Ask{{
				Question: "Does the desk telephone at once?",
				Steps:    []providertest.Step{answers("No, it writes first."), answersWhenTold("No, it writes first.")}, Want: []Want{refusedTwice},
			}}, Play: playLateAnswer}},
		},
		{
			ID: "D12", Name: "A worker wakes up too late, and nobody has taken its place",
			Happens:  "A worker stands still for longer than it may hold the task, and nobody else has come. It wakes up and writes.",
			MustSee:  "Its write is refused although it is still the last one who held the task. The task is then taken again and answered.",
			Promises: []check.Promise{check.P2},
			Acts: []Act{{Needs: append([]Need{Queue}, killing...), Asks: []Ask{{
				Question: "How many days are three weeks?", Steps: []providertest.Step{answersWhenTold("Twenty-one."), answers("Twenty-one.")}, Want: []Want{refusedTwice},
			}}, Play: playNotReplaced}},
		},
		{
			ID: "D13", Name: "An old worker renews, gives back, fails; a user cancels too late",
			Happens: "Writes of a worker that was replaced arrive late: that it wants more time, that it gives the task back, that the task has failed. " +
				"And somebody presses Stop when the reply is there.",
			MustSee:  "Each of them is refused. Nothing is erased, and the budget stays as it is.",
			Promises: []check.Promise{check.P3, check.P6, check.P10},
			Acts: []Act{
				{Title: "renews", Needs: killing, Asks: []Ask{{
					Question: "Who shows who is next?", Steps: []providertest.Step{answersWhenTold("The catalogue."), answers("The catalogue.")}, Want: []Want{refusedTwice},
				}}, Play: func(ctx context.Context, s *Scene) error { return playLateWrite(ctx, s, Renew) }},
				{Title: "gives back", Needs: killing, Asks: []Ask{{
					Question: "Who decides a dispute?", Steps: []providertest.Step{cutsTheLine(), answers("The librarian.")}, Want: []Want{refusedTwice},
				}}, Play: func(ctx context.Context, s *Scene) error { return playLateWrite(ctx, s, Release) }},
				{Title: "fails", Needs: killing, Asks: []Ask{{
					Question: "What is asked for in writing?", Steps: []providertest.Step{
						{Action: providertest.Answer, Delay: thinking, StopReason: "content_filter", Text: numbered("…")}, answers("An overdue volume."),
					}, Want: []Want{refusedTwice},
				}}, Play: func(ctx context.Context, s *Scene) error { return playLateWrite(ctx, s, Fail) }},
				{Title: "cancels", Asks: []Ask{{
					Question: "When does it open?", Steps: []providertest.Step{answers("At nine.")}, Want: []Want{once},
				}}, Play: func(ctx context.Context, s *Scene) error {
					if err := s.one().finished(ctx); err != nil {
						return err
					}
					return s.one().stop(ctx, s.ada, http.StatusConflict)
				}},
			},
		},
	}
}

// playLateAnswer holds the save of a frozen worker on its way until another
// worker has the task: the slot is empty, the version alone refuses it.
func playLateAnswer(ctx context.Context, s *Scene) error {
	t := s.one()
	save := t.freezeAt(ctx, Worker, Complete, "it has the answer and is about to save it")
	if err := t.accepted(ctx); err != nil {
		return err
	}
	sleeper, err := save.met(ctx)
	if err != nil {
		return err
	}
	if err := t.requested(ctx, 2, providertest.EventHeld); err != nil {
		return err
	}
	task, err := s.Task(ctx, t.ref())
	if err != nil {
		return fmt.Errorf("look at the task: %w", err)
	}
	if task.Status != worktask.Running || task.AssignmentVersion != 2 || task.Result.Present() {
		return fmt.Errorf("the task is %s at version %d; want it running at version 2 without a reply", task.Status, task.AssignmentVersion)
	}
	if err := s.moment(ctx); err != nil {
		return err
	}
	s.log.Note("sees that the task is with another worker and has no reply yet")
	s.thaw(sleeper, "it goes on where it was")
	landed, err := save.letGo(ctx)
	if err != nil {
		return err
	}
	if landed {
		t.release() // to see what becomes of the worker that has the task
		return errors.Join(errors.New("the late save was taken"), s.moment(ctx))
	}
	if _, err := t.refused(ctx, sleeper, Complete); err != nil {
		return err
	}
	if err := s.moment(ctx); err != nil {
		return err
	}
	t.release()
	if err := t.ended(ctx); err != nil {
		return err
	}
	return t.keptEvidence(ctx)
}

// keptEvidence waits until the task shows what is known of a refused answer.
func (t *Thread) keptEvidence(ctx context.Context) error {
	for {
		a := t.person.read(ctx, t.conversation, t.id(), "", t.person.ref(workspace, t.conversation, t.id()))
		if a.Task != nil && len(a.Task.Spend.RefusedAnswers) > 0 {
			refused := a.Task.Spend.RefusedAnswers[0]
			t.scene.log.Note("sees that size and cost of the refused answer are kept: %d bytes, %d tokens", refused.Bytes, refused.OutputTokens)
			return nil
		}
		if err := pass(ctx, t.scene.pollEvery()); err != nil {
			return fmt.Errorf("nothing is kept of the refused answer: %w", err)
		}
	}
}

func playNotReplaced(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.accepted(ctx); err != nil {
		return err
	}
	if err := t.requested(ctx, 1, providertest.EventHeld); err != nil {
		return err
	}
	claim, err := t.landed(ctx, 1, Claim)
	if err != nil {
		return err
	}
	sleeper := claim.Began.Actor
	release := s.HoldDeliveries(t.scope())
	s.later(release)
	s.freeze(sleeper, "it waits for the provider")
	t.release() // the answer arrives at a process that stands still
	task, err := s.Task(ctx, t.ref())
	if err != nil {
		return fmt.Errorf("look at the task: %w", err)
	}
	if err := s.until(ctx, task.LeaseExpiresAt.Add(2*s.Timers().SkewMargin)); err != nil {
		return err
	}
	s.thaw(sleeper, "its time is over, nobody has taken its place")
	refused, err := t.refused(ctx, sleeper, Complete, Release, Renew)
	if err != nil {
		return err
	}
	if item := refused.Item; item != nil && (item.AssignmentVersion != 1 || item.Status != string(worktask.Running)) {
		return fmt.Errorf("the write met the task %s at version %d; want it running at version 1", item.Status, item.AssignmentVersion)
	}
	release()
	return t.ended(ctx)
}

// playLateWrite freezes a worker with a write on its way, lets another worker
// finish the task, and then lets the write arrive.
func playLateWrite(ctx context.Context, s *Scene, op Op) error {
	t := s.one()
	late := t.freezeAt(ctx, Worker, op, fmt.Sprintf("its %s is about to be sent", plainly[string(op)]))
	if err := t.accepted(ctx); err != nil {
		return err
	}
	sleeper, err := late.met(ctx)
	if err != nil {
		return err
	}
	if _, err := t.landed(ctx, 1, Complete); err != nil {
		return err
	}
	s.thaw(sleeper, "it goes on where it was")
	landed, err := late.letGo(ctx)
	if err != nil {
		return err
	}
	if landed {
		return fmt.Errorf("the late %s was taken", op)
	}
	if _, err := t.refused(ctx, sleeper, Renew, Release, Fail, Complete); err != nil {
		return err
	}
	return t.ended(ctx)
}
