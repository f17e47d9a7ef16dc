package providertest

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

func (s *suite) idempotencyKeys(t *testing.T) {
	t.Run("TestD16AnswerLostAndAskedAgain", func(t *testing.T) {
		text := "generation {{generation}}"
		scene := s.scene(t, Step{Action: CutBeforeAnswer, Text: &text})
		scene.wantFailure(llmprovider.Ambiguous, "")
		if answer := scene.wantAnswer(); answer.Text != "generation 1" {
			t.Errorf("the repeat got %q", answer.Text)
		}
		scene.wantRequests(2, 1)
		if calls := scene.calls(); calls[0].Key != scene.request.Key || calls[0].BodySHA256 != calls[1].BodySHA256 {
			t.Errorf("not the same key and bytes: %+v", calls)
		}
	})
	t.Run("rejected frees the key", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Fail, Status: http.StatusTooManyRequests}, Step{Action: Answer})
		scene.wantFailure(llmprovider.Rejected, "")
		scene.wantAnswer()
		scene.wantRequests(2, 1)
	})
	t.Run("other bytes", func(t *testing.T) {
		scene := s.scene(t)
		scene.wantAnswer()
		scene.request.Prompt.Version++
		scene.wantFailure(llmprovider.Permanent, llmprovider.ReasonProviderRefused)
		scene.wantRequests(2, 1)
	})
	t.Run("other key", func(t *testing.T) {
		scene := s.scene(t)
		scene.wantAnswer()
		scene.request.Key += " of another task"
		scene.wantAnswer()
		scene.wantRequests(2, 2)
	})
	t.Run("first still runs", s.concurrentKey)
}

func (s *suite) concurrentKey(t *testing.T) {
	scene := s.scene(t, Step{Action: Answer, HoldRequest: "first"})
	var first sync.WaitGroup
	first.Go(func() {
		if _, err := scene.call(); err != nil {
			t.Errorf("first call: %v", err)
		}
	})
	defer first.Wait()
	defer s.server.Release("first")
	scene.waitFor(EventHeld)
	if s.server.options.RefuseConcurrentKeys {
		scene.refusedMeanwhile()
	} else {
		scene.waitsForFirst()
	}
	first.Wait()
	scene.wantRequests(2, 1)
}

func (s *scene) refusedMeanwhile() {
	s.t.Helper()
	if failure := s.wantFailure(llmprovider.Rejected, ""); failure.RetryAfter == 0 {
		s.t.Error("refused without a time to come back")
	}
	s.server.Release("first")
}

func (s *scene) waitsForFirst() {
	s.t.Helper()
	var second sync.WaitGroup
	second.Go(func() {
		if _, err := s.call(); err != nil {
			s.t.Errorf("second call: %v", err)
		}
	})
	s.server.Release("first")
	second.Wait()
}

func (s *suite) operationsLookedUp(t *testing.T) {
	t.Run("id is saved before the answer is awaited", s.savedBeforeAwaited)
	t.Run("TestD15LookedUpAfterACrash", s.lookedUpAfterCrash)
	t.Run("id cannot be saved", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Answer, Background: true})
		lost := errors.New("assignment lost")
		scene.request.SaveOperation = func(context.Context, string) error { return lost }
		if failure := scene.wantFailure(llmprovider.Ambiguous, ""); !errors.Is(failure, lost) {
			t.Errorf("the cause is missing in %v", failure)
		}
		scene.wantRequests(1, 1)
	})
	t.Run("nobody wants the id", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Answer, Background: true})
		scene.wantAnswer()
		scene.wantRequests(1, 1)
	})
	t.Run("operation fails", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Fail, Status: http.StatusTooManyRequests, ErrorType: scripted.TypeInsufficientQuota, Background: true})
		scene.wantFailure(llmprovider.Permanent, llmprovider.ReasonProviderQuota)
		scene.wantRequests(1, 0)
	})
	t.Run("operation lost", func(t *testing.T) {
		scene := s.scene(t, Step{Action: LoseOperation, Background: true})
		var id string
		scene.request.SaveOperation = func(_ context.Context, operationID string) error { id = operationID; return nil }
		scene.wantFailure(llmprovider.Ambiguous, "")
		answer, err := scene.provider.Lookup(scene.ctx, id)
		checkFailure(t, answer, err, llmprovider.NotFound, "")
		scene.wantRequests(1, 1)
	})
	t.Run("look-up fails", func(t *testing.T) {
		scene := s.scene(t)
		answer, err := s.newProvider(t, closedAddress(t)).Lookup(scene.ctx, "op_000001")
		checkFailure(t, answer, err, llmprovider.StillRunning, "")
	})
}

func (s *suite) savedBeforeAwaited(t *testing.T) {
	scene := s.scene(t, Step{Action: Answer, Background: true, HoldAnswer: "saved"})
	var saved []string
	scene.request.SaveOperation = func(_ context.Context, operationID string) error {
		saved = append(saved, operationID)
		s.server.Release("saved")
		return nil
	}
	scene.wantAnswer()
	if len(saved) != 1 || saved[0] != scene.calls()[0].Operation {
		t.Errorf("saved %v, want the operation %s once", saved, scene.calls()[0].Operation)
	}
	scene.wantRequests(1, 1)
}

// lookedUpAfterCrash: the process that called dies after the id was saved; its
// successor reads the operation, first while it runs and then when it has ended.
func (s *suite) lookedUpAfterCrash(t *testing.T) {
	scene := s.scene(t, Step{Action: Answer, Background: true, HoldAnswer: "crash"})
	dying, die := context.WithCancel(scene.ctx)
	var id string
	scene.request.SaveOperation = func(_ context.Context, operationID string) error {
		id = operationID
		die()
		return nil
	}
	answer, err := scene.provider.Call(dying, scene.request)
	checkFailure(t, answer, err, llmprovider.Ambiguous, "")

	successor := s.newProvider(t, s.server.URL)
	answer, err = successor.Lookup(scene.ctx, id)
	checkFailure(t, answer, err, llmprovider.StillRunning, "")
	s.server.Release("crash")
	scene.waitFor(EventReleased)
	answer = lookUpUntilEnded(t, scene, successor, id)
	if answer.Text == "" || answer.Provider != successor.Name() {
		t.Errorf("looked up %+v", answer)
	}
	scene.wantRequests(1, 1)
}

// lookUpUntilEnded: the gate's event precedes the operation's end by an instant.
func lookUpUntilEnded(t *testing.T, scene *scene, provider llmprovider.Provider, id string) llmprovider.Answer {
	t.Helper()
	for {
		answer, err := provider.Lookup(scene.ctx, id)
		if err == nil {
			return answer
		}
		if llmprovider.AsError(err).Kind != llmprovider.StillRunning || scene.ctx.Err() != nil {
			t.Fatalf("look up operation %s: %v", id, err)
		}
	}
}
