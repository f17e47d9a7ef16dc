package drills

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// tooLate ends without a call, because nobody came in time.
var tooLate = Want{Status: worktask.Failed, Reason: worktask.DeadlineOver, Version: exactly(0), Refused: whatever}

// queueDrills are about messages, and about a store that is not to be had.
func queueDrills() []Drill {
	return []Drill{
		{
			ID: "D05", Name: "The same message twice",
			Happens:  "A task is handed out twice, and a message is delivered to two workers at the same time.",
			MustSee:  "One worker works. The other one finds the task taken and leaves it alone.",
			Promises: []check.Promise{check.P2, check.P8},
			Acts: []Act{{Needs: []Need{Provider, Queue}, Asks: []Ask{{
				Question: "How many members share a volume?", Steps: []providertest.Step{answersWhenTold("One at a time.")},
				Want: []Want{{Status: worktask.Completed, Requests: exactly(1), Calls: exactly(1), Version: exactly(1), Refused: atLeast(1)}},
			}}, Play: playTwice}},
		},
		{
			ID: "D19", Name: "A message comes back from the dead-letter queue",
			Happens:  "While a task waits for its second try, a message for it is moved back from the dead-letter queue, and once more when the task has ended.",
			MustSee:  "The message starts nothing that the task's budget does not allow.",
			Promises: []check.Promise{check.P6, check.P7},
			Acts: []Act{{Needs: []Need{Provider, Queue}, Asks: []Ask{{
				Question: "Who pays for a lost volume?", Steps: []providertest.Step{cutsTheLine(), answers("The rules do not say.")}, Want: []Want{twice},
			}}, Play: playRedriven}},
		},
		{
			ID: "D20", Name: "Nobody comes in time",
			Happens:  "A task waits in the queue until its time is over, because its messages do not arrive; another one because every worker dies before it can take it.",
			MustSee:  "The task ends and says that its time was over. The provider is never asked.",
			Promises: []check.Promise{check.P5},
			Acts: []Act{
				{Title: "its messages do not arrive", Needs: []Need{Provider, Queue}, Asks: []Ask{{
					Question: "Is anybody there?", Want: []Want{tooLate},
				}}, Play: func(ctx context.Context, s *Scene) error {
					s.later(s.HoldDeliveries(s.one().scope()))
					return s.one().finished(ctx)
				}},
				{Title: "every worker that comes dies", Needs: killing, Asks: []Ask{{
					Question: "Is anybody well?", Want: []Want{tooLate},
				}}, Play: func(ctx context.Context, s *Scene) error {
					s.one().atEach(Worker, Claim, 0, func(p Passing) Fate {
						s.kill(p.Process, "it has not taken the task yet")
						return Unheard
					})
					return s.one().finished(ctx)
				}},
			},
		},
		{
			ID: "D22", Name: "Rubbish in the queue",
			Happens:  "Between two good messages are one that no program can read and one that names a task which was never made. In virtual time, the code that works on one more task crashes, too.",
			MustSee:  "The good ones are answered. Each bad one is reported alone and left to the dead-letter queue, and no task comes into being.",
			Promises: []check.Promise{check.P7},
			Acts: []Act{
				{Title: "unreadable and unknown", Needs: []Need{Provider, Queue}, Asks: []Ask{
					{Question: "First good one?", Steps: []providertest.Step{answers("Yes.")}, Want: []Want{once}},
					{Question: "Second good one?", Steps: []providertest.Step{answers("Yes.")}, Want: []Want{once}},
				}, Play: playRubbish},
				{Title: "a crash in one record", Needs: []Need{Provider, Queue, Panics}, Asks: []Ask{
					{Question: "Good one?", Steps: []providertest.Step{answers("Yes.")}, Want: []Want{once}},
					{Question: "Crashing one?", Steps: []providertest.Step{answers("Yes.")}, Want: []Want{{
						Status: worktask.Completed, Requests: exactly(1), Calls: exactly(2), Unknown: exactly(1), Version: exactly(2), Refused: whatever,
					}}},
				}, Play: playPanic},
			},
		},
		{
			ID: "D23", Name: "Queue down, store overloaded",
			Happens:  "When Send is pressed, the queue cannot be reached; for a second question, the store is overloaded; for a third one, it is busy with another transaction.",
			MustSee:  "The first question is accepted and answered all the same. The second one is refused as a whole, and accepted when it is sent again. The third one is accepted.",
			Promises: []check.Promise{check.P4, check.P5},
			Acts: []Act{{Needs: []Need{Provider, Faults}, Asks: []Ask{
				{Question: "Is the queue down?", Steps: []providertest.Step{answers("It was.")}, Want: []Want{once}},
				{Question: "Is the store overloaded?", Steps: []providertest.Step{answers("It was.")}, Want: []Want{once}},
				{Question: "Is the store busy?", Steps: []providertest.Step{answers("It was.")}, Want: []Want{once}},
			}, Play: playDown}},
		},
		{
			ID: "D31", Name: "The dispatcher dies in the middle",
			Happens:  "The server dies before it hands a task out. The dispatcher finds the task, moves its due time on, and is killed before it hands it out.",
			MustSee:  "The task is due again after a short while, and the next run of the dispatcher hands it out.",
			Promises: []check.Promise{check.P5, check.P7},
			Acts: []Act{{Needs: killing, Asks: []Ask{{
				Question: "Is there a telephone?", Steps: []providertest.Step{answers("At the desk.")}, Want: []Want{once},
			}}, Play: func(ctx context.Context, s *Scene) error {
				t := s.one()
				t.killBefore(API, Publish, "the question is stored, nothing is handed out")
				t.killBefore(Dispatcher, Publish, "the due time is moved on, nothing is handed out")
				if err := lostAndRepeated(ctx, t); err != nil {
					return err
				}
				_, err := t.landed(ctx, 2, Bump)
				return err
			}}},
		},
	}
}

func playTwice(ctx context.Context, s *Scene) error {
	t := s.one()
	s.later(s.DeliverTwice(t.scope()))
	if err := t.accepted(ctx); err != nil {
		return err
	}
	if err := t.copyMessage(ctx); err != nil {
		return err
	}
	if _, err := t.refused(ctx, "", Claim); err != nil {
		return err
	}
	t.release()
	return t.ended(ctx)
}

func playRedriven(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.accepted(ctx); err != nil {
		return err
	}
	if _, err := t.landed(ctx, 1, Release); err != nil {
		return err
	}
	redrive := func() error {
		s.log.Note("a message for the task is moved back from the dead-letter queue")
		return s.Redrive(ctx, t.ref())
	}
	if err := redrive(); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if err := t.ended(ctx); err != nil {
		return err
	}
	if err := t.deleted(ctx, 1); err != nil {
		return err
	}
	if err := redrive(); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	return t.deleted(ctx, 2)
}

func playRubbish(ctx context.Context, s *Scene) error {
	first := s.threads[0]
	release := s.HoldDeliveries(first.scope())
	s.later(release)
	if err := first.accepted(ctx); err != nil {
		return err
	}
	unknown, err := sqsqueue.Encode(conversation.TaskRef(workspace, first.conversation, "01JEZ000000000000000000000"))
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	for _, body := range []string{`{"task":`, `{"schema":99,"task":"01JEZ000000000000000000000"}`, unknown} {
		s.log.Note("into the queue: %s", body)
		if err := s.Put(ctx, body); err != nil {
			return err //nolint:wrapcheck // says what it is
		}
	}
	if err := s.threads[1].accepted(ctx); err != nil {
		return err
	}
	release()
	for _, t := range s.threads {
		if err := t.ended(ctx); err != nil {
			return err
		}
	}
	if _, err := s.Task(ctx, conversation.TaskRef(workspace, first.conversation, "01JEZ000000000000000000000")); err == nil {
		return errors.New("the message for no task has made one")
	}
	return nil
}

func playPanic(ctx context.Context, s *Scene) error {
	stop := s.Panic(s.threads[1].question)
	s.later(stop)
	for _, t := range s.threads {
		if err := t.accepted(ctx); err != nil {
			return err
		}
	}
	if err := s.threads[0].ended(ctx); err != nil {
		return err
	}
	if _, err := s.threads[1].claimed(ctx, 1); err != nil {
		return err
	}
	stop()
	return s.threads[1].ended(ctx)
}

func playDown(ctx context.Context, s *Scene) error {
	down, overloaded, busy := s.threads[0], s.threads[1], s.threads[2]
	down.deny(API, Publish, 0, Unavailable, "the queue is not to be had")
	if err := down.accepted(ctx); err != nil {
		return err
	}
	recovered := overloaded.deny(API, Accept, 0, Unavailable, "the store is overloaded")
	if err := overloaded.send(ctx).Want(http.StatusServiceUnavailable); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if n, err := overloaded.entries(ctx); err != nil || n != 0 {
		return fmt.Errorf("the refused send has written %d entries: %w", n, err)
	}
	recovered()
	busy.deny(API, Accept, 1, Conflicting, "another transaction is in the way")
	for _, t := range s.threads[1:] {
		if err := t.accepted(ctx); err != nil {
			return err
		}
	}
	for _, t := range s.threads {
		if err := t.ended(ctx); err != nil {
			return err
		}
	}
	return nil
}
