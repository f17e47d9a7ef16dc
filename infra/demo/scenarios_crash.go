package demo

import (
	"context"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// crashScenarios kill workers with SIGKILL.
func crashScenarios() []scenario {
	return []scenario{
		{
			title: "worker killed before the call", question: "Who is next in the catalogue?",
			provider: []providertest.Step{answers("The catalogue shows it.")}, play: playKilledBeforeCall,
			want: want{status: worktask.Completed, requests: 1, calls: 2, unknown: 1, version: 2},
		},
		{
			title: "worker killed after the answer, before the save", question: "When does the reading room close?",
			provider: []providertest.Step{answers("At six."), answers("At six.")}, play: playKilledBeforeSave,
			want: want{status: worktask.Completed, requests: 2, calls: 2, unknown: 1, version: 2},
		},
		{
			title: "worker killed after the save, before the delete", question: "For how long may a volume be kept?",
			provider: []providertest.Step{answers("For three weeks.")}, play: playKilledAfterSave,
			want: want{status: worktask.Completed, requests: 1, calls: 1, version: 1},
		},
	}
}

func playKilledBeforeCall(ctx context.Context, s *scene) error {
	s.atNarrowing(s.killAfter(ctx, "it has claimed the task and sent nothing to the provider"))
	return s.askAndSee(ctx)
}

func playKilledBeforeSave(ctx context.Context, s *scene) error {
	s.atWrite(journal.Complete, s.killBefore(ctx, "it has the answer, its save has not reached the store"))
	return s.askAndSee(ctx)
}

// playKilledAfterSave waits for the message to come back: it was not deleted.
func playKilledAfterSave(ctx context.Context, s *scene) error {
	s.atWrite(journal.Complete, s.killAfter(ctx, "the reply is saved, the message is not deleted"))
	if err := s.askAndSee(ctx); err != nil {
		return err
	}
	_, err := s.line(ctx, "", check.LineEnded)
	return err
}
