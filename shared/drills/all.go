package drills

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
)

// allDrills are those that are about several things at once.
func allDrills() []Drill {
	return []Drill{
		{
			ID: "D30", Name: "Everything at once",
			Happens:  "While questions keep coming, workers are killed and frozen, messages are copied, acknowledgements are lost and the provider's line is cut, as the dice fall.",
			MustSee:  "Every question comes to one end within its time, no task has two replies, and no budget is exceeded.",
			Promises: []check.Promise{check.P1, check.P3, check.P5, check.P6, check.P10, check.P14},
			Acts:     []Act{{Needs: append([]Need{Queue}, killing...), Asks: chaosAsks(), Play: playChaos}},
		},
		{
			ID: "D32", Name: "A worker cannot renew its hold",
			Happens:  "The provider takes long, and the store does not take the worker's renewals.",
			MustSee:  "The worker ends its own call before its time is over, and the question is asked once more.",
			Promises: []check.Promise{check.P2, check.P6},
			Acts: []Act{{Needs: []Need{Provider, Faults}, Asks: []Ask{{
				Question: "How long may this take?", Steps: []providertest.Step{answersWhenTold("Too long."), answers("Three weeks.")}, Want: []Want{twice},
			}}, Play: func(ctx context.Context, s *Scene) error {
				t := s.one()
				remove := t.deny(Worker, Renew, 0, Unavailable, "the store takes no renewal")
				if err := t.accepted(ctx); err != nil {
					return err
				}
				if err := t.requested(ctx, 1, providertest.EventGone); err != nil {
					return fmt.Errorf("the worker does not end its call: %w", err)
				}
				remove()
				return t.ended(ctx)
			}}},
		},
	}
}

const chaosQuestions = 12

// chaosAsks: any end is right that the promises allow.
func chaosAsks() []Ask {
	asks := make([]Ask, chaosQuestions)
	for i := range asks {
		steps := []providertest.Step{answers("Yes.")}
		switch i % 4 {
		case 1:
			steps = []providertest.Step{cutsTheLine(), answers("Yes.")}
		case 2:
			steps = []providertest.Step{tooMany("1"), {Action: providertest.Answer, NoText: true}, answers("Yes.")}
		}
		asks[i] = Ask{Question: fmt.Sprintf("Chaos, question %d?", i+1), Steps: steps, Want: []Want{anyEnd}}
	}
	return asks
}

// anyEnd is what all tasks have in common. Its status stands for any end.
var anyEnd = Want{Requests: between(0, 8), Calls: between(0, 8), Unknown: whatever, Version: between(0, 12), Refused: whatever}

// playChaos throws dice until every question was asked and has ended.
func playChaos(ctx context.Context, s *Scene) error {
	random := rand.New(rand.NewPCG(s.seed, 30)) //nolint:gosec // a run is to be repeated, not to be secret
	over, stop := context.WithCancel(ctx)
	defer stop()
	var trouble sync.WaitGroup
	trouble.Go(func() { s.trouble(over, random) })
	err := s.together(ctx, func(ctx context.Context, t *Thread) error { return t.askAnyhow(ctx) })
	stop()
	trouble.Wait()
	return err
}

// askAnyhow sends, when its turn has come, until it is told of a task.
func (t *Thread) askAnyhow(ctx context.Context) error {
	turn := time.Duration(slices.Index(t.scene.threads, t)) * t.scene.Timers().Lease / 6
	if err := pass(ctx, turn); err != nil {
		return err
	}
	for _, op := range []Op{Accept, Publish} {
		if t.ask.Question[len(t.ask.Question)-2]%2 == 0 {
			t.loseAnswer(API, op)
		}
	}
	for !t.send(ctx).OK() {
		if err := pass(ctx, t.scene.pollEvery()); err != nil {
			return err
		}
	}
	return t.ended(ctx)
}

// trouble does something bad now and then.
func (s *Scene) trouble(ctx context.Context, random *rand.Rand) {
	period := s.Timers().Lease / 4
	frozen := ""
	for pass(ctx, period+time.Duration(random.Int64N(int64(period)))) == nil {
		workers := s.Workers()
		worker, t := workers[random.IntN(len(workers))], s.threads[random.IntN(len(s.threads))]
		switch random.IntN(6) {
		case 0:
			s.kill(worker, "as the dice fall")
		case 1:
			if frozen == "" {
				frozen = worker
				s.freeze(worker, "as the dice fall")
			}
		case 2:
			if frozen != "" {
				s.thaw(frozen, "as the dice fall")
				frozen = ""
			}
		case 3:
			t.loseAnswer(Worker, []Op{Claim, Complete, Release, Renew}[random.IntN(4)])
		case 4:
			t.killAfter(Worker, []Op{Claim, Complete, Hide}[random.IntN(3)], "as the dice fall")
		case 5:
			if t.id() != "" {
				_ = t.copyMessage(ctx) // one more or less
			}
		}
	}
	if frozen != "" {
		s.thaw(frozen, "the dice are put away")
	}
}
