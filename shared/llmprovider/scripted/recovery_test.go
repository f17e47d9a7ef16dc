package scripted_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
)

// recovery is a server that documents keys or operations, an adapter and a request.
type recovery struct {
	t        *testing.T
	server   *providertest.Server
	provider *scripted.Provider
	request  llmprovider.Request
	saved    []string
}

func newRecovery(t *testing.T, options providertest.Options, steps ...providertest.Step) *recovery {
	t.Helper()
	r := &recovery{t: t, server: providertest.NewServer(t, withClock(options))}
	if len(steps) > 0 {
		if _, err := r.server.Script(providertest.Script{Steps: steps}); err != nil {
			t.Fatal(err)
		}
	}
	r.provider = connect(t, r.server.URL)
	r.request = llmprovider.Request{
		Key: "01J0000000000000000000TASK",
		Prompt: llmprovider.Prompt{
			Instruction: "Answer from the document.", Question: "Who decides?", Version: 1,
			Document: llmprovider.DocumentText{ID: "d-1", Title: "Rules", Version: 4, Text: "The board decides."},
		},
		SaveOperation: func(_ context.Context, id string) error {
			r.saved = append(r.saved, id)
			return nil
		},
	}
	return r
}

func (r *recovery) wantAnswer() llmprovider.Answer {
	r.t.Helper()
	answer, err := r.provider.Call(r.t.Context(), r.request)
	if err != nil {
		r.t.Fatalf("call: %v", err)
	}
	return answer
}

func (r *recovery) wantFailure(want llmprovider.Class) *llmprovider.Error {
	r.t.Helper()
	answer, err := r.provider.Call(r.t.Context(), r.request)
	return wantClass(r.t, answer, err, want)
}

func wantClass(t *testing.T, answer llmprovider.Answer, err error, want llmprovider.Class) *llmprovider.Error {
	t.Helper()
	failure := llmprovider.AsError(err)
	if failure == nil || failure.Kind != want.Kind || failure.Reason != want.Reason || answer.Text != "" {
		t.Fatalf("got %q and %v, want %s", answer.Text, err, want)
	}
	return failure
}

func (r *recovery) wantRequests(requests, generations int) {
	r.t.Helper()
	if totals := r.server.Totals(); totals.Requests != requests || totals.Generations != generations {
		r.t.Errorf("the provider saw %+v, want %d requests and %d generations", totals, requests, generations)
	}
}

func (r *recovery) waitFor(kind providertest.EventKind) {
	r.t.Helper()
	if _, err := r.server.WaitFor(r.t.Context(), func(e providertest.Event) bool { return e.Kind == kind }); err != nil {
		r.t.Fatal(err)
	}
}

func TestD16AnswerLostAndAskedAgain(t *testing.T) {
	t.Parallel()
	text := "generation {{generation}}"
	r := newRecovery(t, providertest.Options{IdempotencyKeys: true}, providertest.Step{Action: providertest.CutBeforeAnswer, Text: &text})
	r.wantFailure(llmprovider.ClassAmbiguous)
	if answer := r.wantAnswer(); answer.Text != "generation 1" {
		t.Errorf("the repeat got %q", answer.Text)
	}
	r.wantRequests(2, 1)
	if calls := r.server.Calls(); calls[0].Key != r.request.Key || calls[0].BodySHA256 != calls[1].BodySHA256 || calls[0].PromptSHA256 != r.request.Prompt.Hash() {
		t.Errorf("not the same key and bytes: %+v", calls)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	keys := providertest.Options{IdempotencyKeys: true}
	t.Run("rejected frees the key", func(t *testing.T) {
		t.Parallel()
		r := newRecovery(t, keys, providertest.Step{Action: providertest.Fail, Status: http.StatusTooManyRequests})
		r.wantFailure(llmprovider.ClassRejected)
		r.wantAnswer()
		r.wantRequests(2, 1)
	})
	t.Run("other bytes", func(t *testing.T) {
		t.Parallel()
		r := newRecovery(t, keys)
		r.wantAnswer()
		r.request.Prompt.Version++
		r.wantFailure(llmprovider.ClassRefused)
		r.wantRequests(2, 1)
	})
	t.Run("other key", func(t *testing.T) {
		t.Parallel()
		r := newRecovery(t, keys)
		r.wantAnswer()
		r.request.Key += " of another task"
		r.wantAnswer()
		r.wantRequests(2, 2)
	})
	for name, refused := range map[string]bool{"first still runs, repeats wait": false, "first still runs, repeats are refused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := keys
			options.RefuseConcurrentKeys = refused
			repeatMeanwhile(t, newRecovery(t, options, providertest.Step{Action: providertest.Answer, HoldRequest: "first"}), refused)
		})
	}
}

// repeatMeanwhile asks again while the first request with the key is held.
func repeatMeanwhile(t *testing.T, r *recovery, refused bool) {
	t.Helper()
	var calls sync.WaitGroup
	call := func() {
		if _, err := r.provider.Call(t.Context(), r.request); err != nil {
			t.Errorf("call: %v", err)
		}
	}
	defer calls.Wait()
	defer r.server.Release("first")
	calls.Go(call)
	r.waitFor(providertest.EventHeld)
	if refused {
		if failure := r.wantFailure(llmprovider.ClassRejected); failure.RetryAfter == 0 {
			t.Error("refused without a time to come back")
		}
	} else {
		calls.Go(call)
	}
	r.server.Release("first")
	calls.Wait()
	r.wantRequests(2, 1)
}

var background = providertest.Options{Lookup: true}

func TestIDIsSavedBeforeTheAnswerIsAwaited(t *testing.T) {
	t.Parallel()
	r := newRecovery(t, background, providertest.Step{Action: providertest.Answer, Background: true, HoldAnswer: "saved"})
	save := r.request.SaveOperation
	r.request.SaveOperation = func(ctx context.Context, id string) error {
		r.server.Release("saved")
		return save(ctx, id)
	}
	r.wantAnswer()
	if want := r.server.Calls()[0].Operation; len(r.saved) != 1 || r.saved[0] != want {
		t.Errorf("saved %v, want the operation %s once", r.saved, want)
	}
	r.wantRequests(1, 1)
}

// The process that called dies after the id was saved; its successor reads the
// operation, first while it runs and then when it has ended.
func TestD15LookedUpAfterACrash(t *testing.T) {
	t.Parallel()
	r := newRecovery(t, background, providertest.Step{Action: providertest.Answer, Background: true, HoldAnswer: "crash"})
	dying, die := context.WithCancel(t.Context())
	r.request.SaveOperation = func(_ context.Context, id string) error {
		r.saved = append(r.saved, id)
		die()
		return nil
	}
	answer, err := r.provider.Call(dying, r.request)
	wantClass(t, answer, err, llmprovider.ClassAmbiguous)
	successor := connect(t, r.server.URL)
	answer, err = successor.Lookup(t.Context(), r.saved[0])
	wantClass(t, answer, err, llmprovider.Class{Kind: llmprovider.StillRunning})
	r.server.Release("crash")
	r.waitFor(providertest.EventReleased)
	for { // the gate's event precedes the operation's end by an instant
		if answer, err = successor.Lookup(t.Context(), r.saved[0]); err == nil {
			break
		}
		wantClass(t, answer, err, llmprovider.Class{Kind: llmprovider.StillRunning})
	}
	if answer.Text == "" || answer.Provider != successor.Name() {
		t.Errorf("looked up %+v", answer)
	}
	r.wantRequests(1, 1)
}

func TestOperations(t *testing.T) {
	t.Parallel()
	working := providertest.Step{Action: providertest.Answer, Background: true}
	t.Run("id cannot be saved", func(t *testing.T) {
		t.Parallel()
		r := newRecovery(t, background, working)
		lost := errors.New("assignment lost")
		r.request.SaveOperation = func(context.Context, string) error { return lost }
		if failure := r.wantFailure(llmprovider.ClassAmbiguous); !errors.Is(failure, lost) {
			t.Errorf("the cause is missing in %v", failure)
		}
		r.wantRequests(1, 1)
	})
	t.Run("nobody wants the id", func(t *testing.T) {
		t.Parallel()
		r := newRecovery(t, background, working)
		r.request.SaveOperation = nil
		r.wantAnswer()
		r.wantRequests(1, 1)
	})
	t.Run("operation fails", func(t *testing.T) {
		t.Parallel()
		r := newRecovery(t, background, providertest.Step{
			Action: providertest.Fail, Status: http.StatusTooManyRequests, ErrorType: scripted.TypeInsufficientQuota, Background: true,
		})
		r.wantFailure(llmprovider.ClassQuota)
		r.wantRequests(1, 0)
	})
	t.Run("operation lost", func(t *testing.T) {
		t.Parallel()
		r := newRecovery(t, background, providertest.Step{Action: providertest.LoseOperation, Background: true})
		r.wantFailure(llmprovider.ClassAmbiguous)
		answer, err := r.provider.Lookup(t.Context(), r.saved[0])
		wantClass(t, answer, err, llmprovider.Class{Kind: llmprovider.NotFound})
		r.wantRequests(1, 1)
	})
}
