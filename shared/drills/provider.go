package drills

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// largeReply does not fit onto an item.
const largeReply = 350_000

// providerDrills are about what the provider does.
func providerDrills() []Drill {
	return []Drill{
		{
			ID: "D14", Name: "The line to the provider is cut after the request",
			Happens:  "The provider got the request and worked on it, and the connection breaks before its answer arrives. Nobody knows whether it will be charged for.",
			MustSee:  "As the service is set up, it asks once more and no more than that, or it stops and says that the outcome is unknown.",
			Promises: []check.Promise{check.P6, check.P14},
			Acts: []Act{
				{Title: "set to ask again", Needs: []Need{Provider}, Asks: []Ask{{
					Question: "May two members share a seat?", Steps: []providertest.Step{cutsTheLine(), answers("The rules do not say.")}, Want: []Want{twice},
				}}, Play: finishAll},
				{Title: "set to stop", Kind: stopPolicy, Needs: []Need{Provider, Queue}, Asks: []Ask{{
					Question: "May two members share a volume?", Steps: []providertest.Step{cutsTheLine(), answers("Not to be seen.")},
					Want: []Want{{
						Status: worktask.Failed, Reason: worktask.OutcomeUnknown, Requests: exactly(1), Calls: exactly(1), Unknown: exactly(1), Version: exactly(1), Refused: whatever,
					}},
				}}, Play: finishAndRepeatMessage},
			},
		},
		{
			ID: "D17", Name: "The provider says: not now",
			Happens:  "The provider refuses and says when to come back: in a second, at a date, in a day, in words that mean nothing.",
			MustSee:  "It is asked again, never earlier than it said. A wait beyond the task's own time ends the task at once. What it refused is not taken for unknown.",
			Promises: []check.Promise{check.P6, check.P14},
			Acts: []Act{{Needs: []Need{Provider}, Asks: []Ask{
				{Question: "In one second?", Steps: []providertest.Step{tooMany("1"), answers("Yes.")}, Want: []Want{rejectedOnce}},
				{Question: "At a date?", Steps: []providertest.Step{tooMany("date:+2s"), answers("Yes.")}, Want: []Want{rejectedOnce}},
				{Question: "In a day?", Steps: []providertest.Step{tooMany("86400"), answers("Not to be seen.")}, Want: []Want{{
					Status: worktask.Failed, Reason: worktask.DeadlineOver, Requests: exactly(1), Calls: exactly(1), Version: exactly(1), Refused: whatever,
				}}},
				{Question: "Soon?", Steps: []providertest.Step{tooMany("soon"), answers("Yes.")}, Want: []Want{rejectedOnce}},
			}, Play: playNotNow}},
		},
		{
			ID: "D18", Name: "The provider never gives a usable answer",
			Happens:  "The provider answers each request with an empty text.",
			MustSee:  "The task fails after exactly as many calls as its budget has. A message that comes later starts no more.",
			Promises: []check.Promise{check.P6},
			Acts: []Act{{Needs: []Need{Provider, Queue}, Asks: []Ask{{
				Question: "Is there anything to say?", Steps: []providertest.Step{{Action: providertest.Answer, NoText: true}}, Repeat: true,
				Want: []Want{{
					Status: worktask.Failed, Reason: worktask.EmptyReply, Requests: exactly(4), Calls: exactly(4), Version: exactly(4), Refused: whatever,
				}},
			}}, Play: finishAndRepeatMessage}},
		},
		{
			ID: "D27", Name: "Answers that are none, or too much",
			Happens:  "Five answers: one larger than the store takes at once, an empty one, one that a filter has stopped, one that was cut short by its length, and one whose stream breaks off.",
			MustSee:  "Each comes to one clear end. The large one is saved whole, the short one is marked as cut short, and an empty text is never saved.",
			Promises: []check.Promise{check.P1},
			Acts: []Act{{Needs: []Need{Provider}, Asks: []Ask{
				{Question: "All the rules, please?", Steps: []providertest.Step{{Action: providertest.Answer, Bytes: largeReply}}, Want: []Want{once}},
				{Question: "Nothing at first?", Steps: []providertest.Step{{Action: providertest.Answer, NoText: true}, answers("Something.")}, Want: []Want{{
					Status: worktask.Completed, Requests: exactly(2), Calls: exactly(2), Version: exactly(2), Refused: whatever,
				}}},
				{Question: "Something forbidden?", Steps: []providertest.Step{{Action: providertest.Answer, StopReason: "content_filter"}}, Want: []Want{{
					Status: worktask.Failed, Reason: worktask.Declined, Requests: exactly(1), Calls: exactly(1), Version: exactly(1), Refused: whatever,
				}}},
				{Question: "A long story?", Steps: []providertest.Step{{Action: providertest.Answer, StopReason: "length", Text: numbered("Once upon a")}}, Want: []Want{cutShort}},
				{Question: "A story that breaks off?", Steps: []providertest.Step{{Action: providertest.CutInAnswer}, answers("The end.")}, Want: []Want{twice}},
			}, Play: playOddAnswers}},
		},
	}
}

// rejectedOnce: the provider refused once; a refusal gives the attempt back and
// counts as a call whose end is known.
var rejectedOnce = Want{Status: worktask.Completed, Requests: exactly(2), Calls: exactly(2), Version: exactly(2), Refused: whatever}

var cutShort = func() Want {
	w := once
	w.CutShort = true
	return w
}()

// finishAll presses Send for each question and waits for all ends.
func finishAll(ctx context.Context, s *Scene) error {
	return s.together(ctx, func(ctx context.Context, t *Thread) error { return t.finished(ctx) })
}

// finishAndRepeatMessage lets a message come that is not needed any more.
func finishAndRepeatMessage(ctx context.Context, s *Scene) error {
	t := s.one()
	if err := t.finished(ctx); err != nil {
		return err
	}
	before := len(t.requests())
	if err := t.deleted(ctx, 1); err != nil {
		return err
	}
	if err := t.copyMessage(ctx); err != nil {
		return err
	}
	if err := t.deleted(ctx, 2); err != nil {
		return err
	}
	if after := len(t.requests()); after != before {
		return fmt.Errorf("a message for an ended task led to %d more requests", after-before)
	}
	return nil
}

// copyMessage puts one more message for the task into the queue.
func (t *Thread) copyMessage(ctx context.Context) error {
	body, err := sqsqueue.Encode(conversation.TaskRef(workspace, t.conversation, t.id()))
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	t.scene.log.Note("one more message for the task is put into the queue")
	return t.scene.Put(ctx, body) //nolint:wrapcheck // says what it is
}

// notBefore is the least wait between the first answer and the second request.
var notBefore = map[string]time.Duration{"In one second?": time.Second, "At a date?": time.Second}

func playNotNow(ctx context.Context, s *Scene) error {
	if err := finishAll(ctx, s); err != nil {
		return err
	}
	for _, t := range s.threads {
		calls := t.requests()
		if wait := notBefore[t.ask.Question]; wait > 0 && len(calls) > 1 && calls[1].ReceivedAt.Sub(calls[0].EndedAt) < wait {
			return fmt.Errorf("“%s”: asked again after %s, and was told %s", t.ask.Question, calls[1].ReceivedAt.Sub(calls[0].EndedAt), wait)
		}
	}
	return nil
}

func playOddAnswers(ctx context.Context, s *Scene) error {
	if err := finishAll(ctx, s); err != nil {
		return err
	}
	t := s.threads[0]
	a := t.person.read(ctx, t.conversation, t.id(), "", t.person.ref(workspace, t.conversation, t.id()))
	if a.Task == nil || a.Task.Reply == nil || len(a.Task.Reply.Text) != largeReply {
		return fmt.Errorf("the large reply is not shown whole")
	}
	return nil
}
