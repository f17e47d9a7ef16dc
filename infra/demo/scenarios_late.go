package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

const (
	lateAnswerQuestion = "Does the desk telephone at once?"
	lateEmptyQuestion  = "How often is a volume asked for in writing?"
	doubleQuestion     = "How many days are three weeks?"
	stopQuestion       = "Is there a rule about umbrellas?"
	raceQuestion       = "Is there a rule about dogs?"
)

// wakeUpLines come when a worker wakes up to what it had begun long ago; they change nothing.
var wakeUpLines = []string{"renewal failed", "visibility was not extended"}

// lateScenarios are about workers that act when the task is no longer theirs.
func lateScenarios() []scenario {
	return []scenario{
		{
			title: "worker frozen past its lease, wakes up with an answer", question: lateAnswerQuestion, muted: wakeUpLines,
			provider: []providertest.Step{answers("No, it writes first."), answersWhenTold(lateAnswerQuestion, "No, it writes first.")}, play: playLateAnswer,
			want: want{status: worktask.Completed, requests: 2, calls: 2, unknown: 1, version: 2, refused: 1},
		},
		{
			title: "worker frozen past its lease, wakes up without one", question: lateEmptyQuestion, muted: wakeUpLines,
			provider: []providertest.Step{answersWhenTold(lateEmptyQuestion, "Once."), answers("Once.")}, play: playLateRelease,
			want: want{status: worktask.Completed, requests: 2, calls: 2, unknown: 1, version: 2, refused: 1},
		},
		{
			title: "a message delivered twice at once", question: doubleQuestion, deliverTwice: true,
			provider: []providertest.Step{answersWhenTold(doubleQuestion, "Twenty-one days.")}, play: playDoubleDelivery,
			want: want{status: worktask.Completed, requests: 1, calls: 1, version: 1, refused: 1},
		},
		{
			title: "Stop while the provider works", question: stopQuestion,
			provider: []providertest.Step{answersWhenTold(stopQuestion, "None.")}, play: playStop,
			want: want{status: worktask.Cancelled, requests: 1, calls: 1, unknown: 1, version: 2, refused: 2},
		},
		{
			title: "Stop in the instant of the save", question: raceQuestion,
			provider: []providertest.Step{answers("None.")}, play: playStopAtSave,
			want: want{status: worktask.Cancelled, requests: 1, calls: 1, unknown: 1, version: 2, refused: 1},
		},
	}
}

// playLateAnswer freezes the worker when its save has left it. The save is held on its way until another
// worker has the task and waits for the provider: the slot is still empty, the version alone refuses it.
func playLateAnswer(ctx context.Context, s *scene) error {
	frozen, arrive := make(chan string, 1), make(chan struct{})
	s.atWrite(journal.Complete, func(r *faultproxy.Request, forward faultproxy.Forward) (*faultproxy.Response, error) {
		s.freeze(r.Caller, "it has the answer, its save is on the way")
		frozen <- r.Caller
		select {
		case <-arrive:
			return forward()
		case <-ctx.Done():
			return nil, faultproxy.ErrCut
		}
	})
	if err := s.ask(ctx); err != nil {
		return err
	}
	sleeper, err := received(ctx, frozen)
	if err != nil {
		return err
	}
	if err := s.providerEvent(ctx, 2, providertest.EventHeld); err != nil {
		return err
	}
	if err := s.slotIsEmpty(ctx); err != nil {
		return err
	}
	close(arrive)
	save, err := s.written(ctx, func(w journal.Write) bool { return w.Kind == journal.Complete && w.Caller == sleeper })
	if err != nil {
		return err
	}
	if !save.Refused {
		return errors.New("the store has not refused the save of a worker that was replaced")
	}
	s.tell("store", "refuses the save of assignment 1: the task is at assignment 2")
	s.thaw(sleeper, "it wakes up")
	if _, err := s.line(ctx, sleeper, check.LineRefused, "final write failed"); err != nil {
		return err
	}
	s.provider.Release(s.gate())
	if err := s.see(ctx); err != nil {
		return err
	}
	return s.evidenceOf(ctx, 1)
}

// received waits for the process that a fault rule has met.
func received(ctx context.Context, from <-chan string) (string, error) {
	select {
	case process := <-from:
		return process, nil
	case <-ctx.Done():
		return "", fmt.Errorf("no worker comes to the point of the fault: %w", context.Cause(ctx))
	}
}

func (s *scene) slotIsEmpty(ctx context.Context) error {
	task, err := s.taskOf(ctx, s)
	if err != nil {
		return err
	}
	if task.Status != worktask.Running || task.AssignmentVersion != 2 || task.Result.Present() {
		return fmt.Errorf("the task is %s at version %d, its reply is there: %t; want it running at version 2 without one",
			task.Status, task.AssignmentVersion, task.Result.Present())
	}
	s.tell("store", "the task runs at assignment 2, no reply is saved; now the held save of assignment 1 arrives")
	return nil
}

// evidenceOf tells what is kept of a refused answer.
func (s *scene) evidenceOf(ctx context.Context, version int64) error {
	task, err := s.taskOf(ctx, s)
	if err != nil {
		return err
	}
	kept, err := s.store.ListEvidence(ctx, task.Ref)
	if err != nil {
		return fmt.Errorf("read evidence: %w", err)
	}
	for _, e := range kept {
		if e.AssignmentVersion == version {
			s.tell("store", "keeps evidence of the refused answer of assignment %d: %d bytes, sha256 %.8s…, %d tokens", version, e.Bytes, e.SHA256, e.Tokens.Output)
			return nil
		}
	}
	return fmt.Errorf("nothing is kept of the refused answer of assignment %d", version)
}

// playLateRelease freezes a worker that waits for the provider. It wakes up to a lease that is long over.
func playLateRelease(ctx context.Context, s *scene) error {
	if err := s.ask(ctx); err != nil {
		return err
	}
	if err := s.providerEvent(ctx, 1, providertest.EventHeld); err != nil {
		return err
	}
	claimed, err := s.line(ctx, "", check.LineClaimed)
	if err != nil {
		return err
	}
	s.freeze(claimed.Process, "it waits for the provider")
	if err := s.see(ctx); err != nil {
		return err
	}
	s.thaw(claimed.Process, "it wakes up")
	return s.refusal(ctx, claimed.Process, journal.Release, journal.Fail)
}

// playDoubleDelivery lets the provider answer only when the second delivery was refused.
func playDoubleDelivery(ctx context.Context, s *scene) error {
	if err := s.ask(ctx); err != nil {
		return err
	}
	if _, err := s.line(ctx, "", check.LineHeld); err != nil {
		return err
	}
	s.provider.Release(s.gate())
	return s.see(ctx)
}

// playStop: the first renewal after the cancel tells the worker.
func playStop(ctx context.Context, s *scene) error {
	if err := s.ask(ctx); err != nil {
		return err
	}
	if err := s.providerEvent(ctx, 1, providertest.EventHeld); err != nil {
		return err
	}
	if err := s.stop(ctx, http.StatusOK); err != nil {
		return err
	}
	gaveUp, err := s.line(ctx, "", check.LineCancelled)
	if err != nil {
		return err
	}
	if err := s.seenAtOnce(); err != nil {
		return err
	}
	if err := s.refusal(ctx, gaveUp.Process, journal.Release, journal.Fail); err != nil {
		return err
	}
	s.provider.Release(s.gate())
	if err := s.providerEvent(ctx, 1, providertest.EventLost); err != nil {
		return err
	}
	return s.see(ctx)
}

// seenAtOnce asks that one refused renewal was enough for the worker to give up its call.
func (s *scene) seenAtOnce() error {
	refused := 0
	for _, w := range s.journal.Writes.All() {
		if w.Ref.Scope == s.scope() && w.Kind == journal.Renew && w.Refused {
			refused++
		}
	}
	if refused != 1 {
		return fmt.Errorf("%d renewals were refused before the worker gave up its call, want 1", refused)
	}
	return nil
}

// playStopAtSave presses Stop while the save is on its way: the first write wins.
func playStopAtSave(ctx context.Context, s *scene) error {
	pressed := make(chan error, 1)
	s.atWrite(journal.Complete, faultproxy.Before(func(r *faultproxy.Request) {
		s.tell("you", "hold the save of %s until Stop was pressed", r.Caller)
		select {
		case <-s.known:
			pressed <- s.stop(ctx, http.StatusOK)
		case <-ctx.Done():
		}
	}))
	if err := s.ask(ctx); err != nil {
		return err
	}
	select {
	case err := <-pressed:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return errors.New("no save came")
	}
	refused, err := s.line(ctx, "", check.LineRefused)
	if err != nil {
		return err
	}
	if refused.Operation != string(journal.Complete) {
		return fmt.Errorf("the %s was refused, want the completion", refused.Operation)
	}
	if err := s.see(ctx); err != nil {
		return err
	}
	return s.evidenceOf(ctx, 1)
}
