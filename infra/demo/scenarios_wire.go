package demo

import (
	"context"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// wireScenarios lose answers on the way.
func wireScenarios() []scenario {
	return []scenario{
		{
			title: "acknowledgements of claim and save lost", question: "How many seats does the reading room have?",
			provider: []providertest.Step{answers("The rules do not say.")}, play: playLostAcknowledgements,
			want: want{status: worktask.Completed, requests: 1, calls: 1, version: 1},
		},
		{
			title: "line to the provider cut after the request", question: "May a member borrow a third volume?",
			provider: []providertest.Step{cutsTheLine(), answers("No, two at most.")}, play: playCutLine,
			want: want{status: worktask.Completed, requests: 2, calls: 2, unknown: 1, version: 2},
		},
	}
}

func playLostAcknowledgements(ctx context.Context, s *scene) error {
	s.atWrite(journal.Claim, s.loseAnswer(ctx, "the claim"))
	s.atWrite(journal.Complete, s.loseAnswer(ctx, "the save"))
	if err := s.askAndSee(ctx); err != nil {
		return err
	}
	_, err := s.line(ctx, "", check.LineSaved)
	return err
}

// playCutLine: nobody knows whether the provider has worked. The task's policy is to ask again, once.
func playCutLine(ctx context.Context, s *scene) error {
	return s.askAndSee(ctx)
}
