package drills

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

var killing = []Need{Provider, Faults, Processes}

// crashDrills kill workers, and lose what the store answers.
func crashDrills() []Drill {
	return []Drill{
		{
			ID: "D06", Name: "A worker is killed before it asks the provider",
			Happens:  "A worker has taken the task and is killed before it sends anything to the provider.",
			MustSee:  "When its time is over, another worker takes the task. The provider is asked once, one reply is saved.",
			Promises: []check.Promise{check.P5, check.P8},
			Acts: []Act{{Needs: killing, Asks: []Ask{{
				Question: "May a member borrow a third volume?", Steps: []providertest.Step{answers("No, two at most.")},
				Want: []Want{{Status: worktask.Completed, Requests: exactly(1), Calls: exactly(2), Unknown: exactly(1), Version: exactly(2), Refused: whatever}},
			}}, Play: func(ctx context.Context, s *Scene) error {
				s.one().killAfter(Worker, Claim, "it has taken the task and sent nothing to the provider")
				return s.one().finished(ctx)
			}}},
		},
		{
			ID: "D07", Name: "A worker is killed with the answer in its hands",
			Happens:  "The provider has answered, and the worker is killed before it can save the answer.",
			MustSee:  "Nobody knows of the answer, so the provider is asked once more, and only once. One reply is saved, and the task shows both calls.",
			Promises: []check.Promise{check.P1, check.P6, check.P14},
			Acts: []Act{{Needs: killing, Asks: []Ask{{
				Question: "When does the reading room close?", Steps: []providertest.Step{answers("At six."), answers("At six.")}, Want: []Want{twice},
			}}, Play: func(ctx context.Context, s *Scene) error {
				s.one().killBefore(Worker, Complete, "it has the answer, its save has not reached the store")
				return s.one().finished(ctx)
			}}},
		},
		{
			ID: "D08", Name: "A worker is killed right after the save",
			Happens:  "The reply is saved, and the worker is killed before its message is taken out of the queue. The message comes back.",
			MustSee:  "Whoever gets the message sees that the task has ended. The provider is not asked again.",
			Promises: []check.Promise{check.P1, check.P7},
			Acts: []Act{{Needs: append([]Need{Queue}, killing...), Asks: []Ask{{
				Question: "For how long may a volume be kept?", Steps: []providertest.Step{answers("For three weeks.")}, Want: []Want{once},
			}}, Play: func(ctx context.Context, s *Scene) error {
				s.one().killAfter(Worker, Complete, "the reply is saved, the message is still in the queue")
				if err := s.one().finished(ctx); err != nil {
					return err
				}
				return s.one().deleted(ctx, 1)
			}}},
		},
		{
			ID: "D09", Name: "Saved, but the worker does not hear so",
			Happens:  "The store has saved the reply. The line is cut before the worker gets the acknowledgement.",
			MustSee:  "The worker reads the task and finds its own reply. The provider is not asked again.",
			Promises: []check.Promise{check.P9},
			Acts: []Act{{Needs: []Need{Provider, Faults}, Asks: []Ask{{
				Question: "How many seats does the reading room have?", Steps: []providertest.Step{answers("The rules do not say.")}, Want: []Want{once},
			}}, Play: func(ctx context.Context, s *Scene) error {
				s.one().loseAnswer(Worker, Complete)
				return s.one().finished(ctx)
			}}},
		},
		{
			ID: "D10", Name: "Taken, but the worker does not hear so",
			Happens:  "A worker takes the task, or notes that it is about to ask the provider, and the acknowledgement of the store is lost.",
			MustSee:  "The worker reads the task and sees that it is its own. One call, one reply.",
			Promises: []check.Promise{check.P8, check.P9},
			Acts: []Act{
				{Title: "taking the task", Needs: []Need{Provider, Faults}, Asks: []Ask{{
					Question: "Is there a rule about umbrellas?", Steps: []providertest.Step{answers("None.")}, Want: []Want{once},
				}}, Play: func(ctx context.Context, s *Scene) error {
					s.one().loseAnswer(Worker, Claim)
					return s.one().finished(ctx)
				}},
				{Title: "before the call", Kind: stopPolicy, Needs: []Need{Provider, Faults}, Asks: []Ask{{
					Question: "Is there a rule about hats?", Steps: []providertest.Step{answers("None.")}, Want: []Want{once},
				}}, Play: func(ctx context.Context, s *Scene) error {
					s.one().loseAnswer(Worker, Begin)
					return s.one().finished(ctx)
				}},
			},
		},
		{
			ID: "D15", Name: "The provider works on while the worker is gone",
			Happens:  "The provider works in the background and has told the worker a number to ask with. The worker notes the number and is killed.",
			MustSee:  "The next worker asks for the answer by that number. Nothing is generated twice.",
			Promises: []check.Promise{check.P6, check.P14},
			Acts: []Act{{Kind: Kind{Lookup: true}, Needs: killing, Asks: []Ask{{
				Question: "What does the desk do first?",
				Steps:    []providertest.Step{{Action: providertest.Answer, Background: true, Delay: thinking, Text: numbered("It writes.")}},
				Want:     []Want{{Status: worktask.Completed, Requests: exactly(1), Calls: exactly(1), Version: exactly(2), Refused: whatever}},
			}}, Play: func(ctx context.Context, s *Scene) error {
				s.one().killAfter(Worker, SaveOperation, "the number is noted, the answer is still to come")
				return s.one().finished(ctx)
			}}},
		},
		{
			ID: "D16", Name: "A provider that knows its own repeats",
			Happens:  "The provider has answered, and the worker is killed before the save. The provider recognises a repeat by its key.",
			MustSee:  "The second request has the same key and the very same bytes. The provider generates once and gives the same answer again.",
			Promises: []check.Promise{check.P6, check.P14},
			Acts: []Act{{Kind: Kind{Keys: true}, Needs: killing, Asks: []Ask{{
				Question: "How often is a volume asked for in writing?", Steps: []providertest.Step{answers("Once.")}, Want: []Want{twice},
			}}, Play: func(ctx context.Context, s *Scene) error {
				s.one().killBefore(Worker, Complete, "it has the answer, its save has not reached the store")
				if err := s.one().finished(ctx); err != nil {
					return err
				}
				return s.one().sameRequestTwice()
			}}},
		},
	}
}

var stopPolicy = Kind{OnUnknown: worktask.StopUnknown}

// sameRequestTwice looks into the provider's log.
func (t *Thread) sameRequestTwice() error {
	calls := t.requests()
	if len(calls) != 2 {
		return fmt.Errorf("%d requests at the provider, want 2", len(calls))
	}
	first, second := calls[0], calls[1]
	switch {
	case first.Key == "" || first.Key != second.Key:
		return fmt.Errorf("the keys of the two requests are %q and %q", first.Key, second.Key)
	case first.BodySHA256 != second.BodySHA256:
		return fmt.Errorf("the two requests have different bytes")
	case !second.Replayed || second.Generation != 0:
		return fmt.Errorf("the provider has generated twice")
	}
	return nil
}
