package openairesponses_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
	"github.com/replyonce/replyonce/shared/worktask"
)

// background is a server, an adapter in background mode and a request.
type background struct {
	t        *testing.T
	server   *fakeopenai.Server
	options  openairesponses.Options
	provider *openairesponses.Provider
	request  llmprovider.Request
	saved    []string
	log      strings.Builder
}

func newBackground(t *testing.T, steps ...fakeopenai.Step) *background {
	t.Helper()
	b := &background{t: t, server: fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{testKey}})}
	if err := b.server.Script("", steps...); err != nil {
		t.Fatal(err)
	}
	b.options = openairesponses.Options{BaseURL: b.server.BaseURL, Log: slog.New(slog.NewTextHandler(&b.log, nil))}
	b.renew()
	b.request = llmprovider.Request{Prompt: prompt(), SaveOperation: func(_ context.Context, id string) error {
		b.saved = append(b.saved, id)
		return nil
	}}
	return b
}

func (b *background) renew() { b.provider = newProvider(b.t, b.options) }

func prompt() llmprovider.Prompt {
	return llmprovider.Prompt{
		Instruction: "Answer from the document.",
		Document:    llmprovider.DocumentText{ID: "d-1", Title: "Rules", Version: 4, Text: "1. Rules\n\nThe board decides."},
		History:     []llmprovider.Turn{{Question: "Who?", Answer: "The board."}},
		Question:    "Who decides?",
		Version:     1,
	}
}

func (b *background) wantTotals(want fakeopenai.Totals) {
	b.t.Helper()
	got := b.server.Totals()
	if want.Reads < 0 { // any number
		want.Reads = got.Reads
	}
	if got != want {
		b.t.Errorf("the server saw %+v, want %+v", got, want)
	}
}

func wantKind(t *testing.T, answer llmprovider.Answer, err error, kind llmprovider.Kind) *llmprovider.Error {
	t.Helper()
	failure, ok := errors.AsType[*llmprovider.Error](err)
	if !ok || failure.Kind != kind || answer.Text != "" {
		t.Fatalf("got %q and %v, want %s", answer.Text, err, kind)
	}
	return failure
}

func TestIDIsSavedBeforeTheAnswerIsAwaited(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Hold: "saved"})
	b.request.SaveOperation = func(_ context.Context, id string) error {
		b.saved = append(b.saved, id)
		if reads := b.server.Totals().Reads; reads != 0 {
			t.Errorf("%d reads before the id was saved", reads)
		}
		b.server.Release("saved")
		return nil
	}
	answer, err := b.provider.Call(t.Context(), b.request)
	if err != nil || answer.Text == "" || answer.Provider != openairesponses.Name || answer.Model != model {
		t.Fatalf("got %+v, %v", answer, err)
	}
	if want := b.server.Requests()[0].Operation; len(b.saved) != 1 || b.saved[0] != want {
		t.Errorf("saved %v, want %s once", b.saved, want)
	}
	b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1, Reads: -1})
}

// The process that called dies after the id was saved; its successor reads the
// response, first while it runs and then when it has ended.
func TestD15LookedUpAfterACrash(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Hold: "crash"})
	dying, die := context.WithCancel(t.Context())
	b.request.SaveOperation = func(_ context.Context, id string) error {
		b.saved = append(b.saved, id)
		die()
		return nil
	}
	answer, err := b.provider.Call(dying, b.request)
	wantKind(t, answer, err, llmprovider.Ambiguous)

	b.renew()
	answer, err = b.provider.Lookup(t.Context(), b.saved[0])
	wantKind(t, answer, err, llmprovider.StillRunning)
	b.server.Release("crash")
	answer, err = b.provider.Lookup(t.Context(), b.saved[0])
	if err != nil || answer.Text == "" || answer.InputTokens == 0 || answer.ProviderRequestID == "" {
		t.Errorf("looked up %+v, %v", answer, err)
	}
	b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1, Reads: -1})
}

// Reading is free of effects: whatever goes wrong with it, it is done again, and
// nothing is paid again.
func TestReadsAreRepeated(t *testing.T) {
	t.Parallel()
	half, page := `{"id":"resp_`, "<html>not here</html>"
	b := newBackground(t, fakeopenai.Step{Reads: []fakeopenai.Read{
		{}, // reset
		{Status: 500},
		{Status: 429, Header: http.Header{"Retry-After-Ms": {"0"}}},
		{Status: 404, Body: &page},
		{Status: 401},
		{Status: 307},
		{Status: 200, Body: &half},
	}})
	answer, err := b.provider.Call(t.Context(), b.request)
	if err != nil || answer.Text == "" {
		t.Fatalf("got %+v, %v", answer, err)
	}
	b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1, Reads: 8})
	if !strings.Contains(b.log.String(), "level=ERROR") {
		t.Error("nobody hears that the key opens no look-up")
	}
}

// A read waits as long as it was told to, and the call is over first.
func TestReadsHonourRetryAfter(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Reads: []fakeopenai.Read{{Status: 429, Header: http.Header{"Retry-After": {"3600"}}}}})
	ctx, cancel := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	reading.Go(func() {
		defer cancel()
		_ = b.server.Wait(t.Context(), func([]fakeopenai.Request) bool { return b.server.Totals().Reads > 0 })
		time.Sleep(50 * time.Millisecond) // an adapter that does not wait would read ten times
	})
	answer, err := b.provider.Call(ctx, b.request)
	reading.Wait()
	wantKind(t, answer, err, llmprovider.Ambiguous)
	b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1, Reads: 1})
}

func TestLookupOutcomes(t *testing.T) {
	t.Parallel()
	page, text := "<html>", "An ans"
	unknown := `{"id":"resp_1","status":"paused","output":[]}`
	tests := []struct {
		name   string
		step   fakeopenai.Step
		kind   llmprovider.Kind
		reason string
	}{
		{"not found", fakeopenai.Step{Forget: true}, llmprovider.NotFound, ""},
		{"not found by an intermediary", fakeopenai.Step{Reads: []fakeopenai.Read{{Status: 404, Body: &page}}}, llmprovider.StillRunning, ""},
		{"server error", fakeopenai.Step{Reads: []fakeopenai.Read{{Status: 500}}}, llmprovider.StillRunning, ""},
		{"not signed in", fakeopenai.Step{Reads: []fakeopenai.Read{{Status: 401}}}, llmprovider.StillRunning, ""},
		{"bad request", fakeopenai.Step{Reads: []fakeopenai.Read{{Status: 400}}}, llmprovider.StillRunning, ""},
		{"reset", fakeopenai.Step{Reads: []fakeopenai.Read{{}}}, llmprovider.StillRunning, ""},
		{"unreadable", fakeopenai.Step{Reads: []fakeopenai.Read{{Status: 200, Body: &page}}}, llmprovider.StillRunning, ""},
		{"running", fakeopenai.Step{Hold: "closed"}, llmprovider.StillRunning, ""},
		{"unknown status", fakeopenai.Step{Reads: []fakeopenai.Read{{Status: 200, Body: &unknown}}}, llmprovider.Ambiguous, ""},
		{"cancelled by somebody", fakeopenai.Step{State: "cancelled"}, llmprovider.Empty, ""},
		{"failed", fakeopenai.Step{Fails: true, Failure: fakeopenai.Failure{Code: "server_error"}}, llmprovider.Empty, ""},
		{"failed: rate limit", fakeopenai.Step{Fails: true, Failure: fakeopenai.Failure{Code: "rate_limit_exceeded"}}, llmprovider.Rejected, ""},
		{"failed: quota", fakeopenai.Step{Fails: true, Failure: fakeopenai.Failure{Code: "insufficient_quota"}}, llmprovider.Permanent, llmprovider.ReasonProviderQuota},
		{"filtered", fakeopenai.Step{Text: &text, Finish: "content_filter"}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"empty", fakeopenai.Step{NoText: true}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"too large", fakeopenai.Step{Bytes: 16 << 20}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBackground(t, test.step)
			id := b.start()
			answer, err := b.provider.Lookup(t.Context(), id)
			if failure := wantKind(t, answer, err, test.kind); failure.Reason != test.reason {
				t.Errorf("reason %q, want %q", failure.Reason, test.reason)
			}
			b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: b.server.Totals().Generations, Reads: 1})
		})
	}
	t.Run("cut short", func(t *testing.T) {
		t.Parallel()
		b := newBackground(t, fakeopenai.Step{Text: &text, Finish: "length"})
		answer, err := b.provider.Lookup(t.Context(), b.start())
		if err != nil || answer.Text != text || !answer.CutShort {
			t.Errorf("got %+v, %v", answer, err)
		}
	})
}

// start makes a call that ends when its id is saved.
func (b *background) start() string {
	b.t.Helper()
	b.request.SaveOperation = func(_ context.Context, id string) error {
		b.saved = append(b.saved, id)
		return errors.New("the store is down")
	}
	answer, err := b.provider.Call(b.t.Context(), b.request)
	wantKind(b.t, answer, err, llmprovider.Ambiguous)
	return b.saved[0]
}

func TestRetentionIsOver(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{})
	id := b.start()
	b.server.Forget(id)
	answer, err := b.provider.Lookup(t.Context(), id)
	wantKind(t, answer, err, llmprovider.NotFound)
}

// An id that is unknown a moment after it was given out means nothing.
func TestUnknownRightAfterTheCreateIsAmbiguous(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Forget: true})
	answer, err := b.provider.Call(t.Context(), b.request)
	wantKind(t, answer, err, llmprovider.Ambiguous)
}

// A crash, a lease that ran out and a new owner leave the response running for
// whoever looks it up. Only the end of the task makes it useless.
func TestCaseM9OnlyAnEndedTaskCancelsItsResponse(t *testing.T) {
	t.Parallel()
	refused := func(cause error) error { return &worktask.RefusedError{Transition: "renew", Cause: cause} }
	for _, test := range []struct {
		name    string
		cause   error
		cancels int
	}{
		{"cancelled by the user", refused(worktask.ErrCancelled), 1},
		{"failed by the dispatcher", refused(worktask.ErrAlreadyFailed), 1},
		{"completed by another worker", refused(worktask.ErrAlreadyCompleted), 1},
		{"taken over", refused(worktask.ErrStaleAssignment), 0},
		{"lease over", refused(worktask.ErrLeaseExpired), 0},
		{"call limit", context.DeadlineExceeded, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBackground(t, fakeopenai.Step{Action: fakeopenai.Hang})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				_ = b.server.Wait(t.Context(), func([]fakeopenai.Request) bool { return b.server.Totals().Reads > 0 })
				cancel(test.cause)
			}()
			answer, err := b.provider.Call(ctx, b.request)
			failure := wantKind(t, answer, err, llmprovider.Ambiguous)
			if !errors.Is(failure, test.cause) {
				t.Errorf("the cause is missing in %v", failure)
			}
			b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1, Reads: -1, Cancels: test.cancels})
		})
	}
}

// The answer was ready when Stop arrived: it was paid for, and it is handed on so
// that the store can refuse it and keep the evidence.
func TestCaseM9AnswerReadyWhenStopArrives(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{})
	ctx, cancel := context.WithCancelCause(t.Context())
	b.options.Grace = time.Minute
	b.renew()
	b.request.SaveOperation = func(context.Context, string) error {
		cancel(worktask.ErrCancelled)
		return nil
	}
	answer, err := b.provider.Call(ctx, b.request)
	if err != nil || answer.Text == "" || answer.OutputTokens == 0 {
		t.Fatalf("got %+v, %v", answer, err)
	}
	b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1, Cancels: 1})
}

// The store refused the id, so nobody will ever find the response.
func TestRefusedIDCancelsTheResponse(t *testing.T) {
	t.Parallel()
	for name, read := range map[string][]fakeopenai.Read{
		"cancelled":       nil,
		"cancel is reset": {{}},
		"cancel fails":    {{Status: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackground(t, fakeopenai.Step{Hold: "closed", Reads: read})
			refused := &worktask.RefusedError{Transition: "save_operation", Cause: worktask.ErrStaleAssignment}
			b.request.SaveOperation = func(context.Context, string) error { return refused }
			answer, err := b.provider.Call(t.Context(), b.request)
			if failure := wantKind(t, answer, err, llmprovider.Ambiguous); !errors.Is(failure, worktask.ErrStaleAssignment) {
				t.Errorf("the cause is missing in %v", failure)
			}
			b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1, Cancels: 1})
		})
	}
}

// Whether an id was saved is not known when the store failed, so somebody may still
// come for the response.
func TestUnknownSaveLeavesTheResponse(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Hold: "closed"})
	b.start()
	b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1})
}

// An id that arrives as the call's time ends is saved all the same.
func TestSavingOutlivesTheCall(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Hold: "closed"})
	b.options.Grace = time.Minute
	b.renew()
	ctx, cancel := context.WithCancel(t.Context())
	b.request.SaveOperation = func(saving context.Context, id string) error {
		cancel()
		if saving.Err() != nil {
			return saving.Err()
		}
		b.saved = append(b.saved, id)
		return nil
	}
	answer, err := b.provider.Call(ctx, b.request)
	wantKind(t, answer, err, llmprovider.Ambiguous)
	if len(b.saved) != 1 {
		t.Error("the id is lost")
	}
}

// …and not for ever.
func TestSavingEndsWithTheGrace(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Hold: "closed"})
	b.options.Grace = time.Millisecond
	b.renew()
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	b.request.SaveOperation = func(saving context.Context, _ string) error {
		cancel(stopped)
		<-saving.Done()
		return context.Cause(saving)
	}
	answer, err := b.provider.Call(ctx, b.request)
	if failure := wantKind(t, answer, err, llmprovider.Ambiguous); !errors.Is(failure, stopped) {
		t.Errorf("the cause is missing in %v", failure)
	}
}

// A worker need not wait: the call ends, the id is saved, and the next look is due
// at a named time.
func TestHandBack(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Hold: "later"})
	b.options.HandBack, b.options.LookAgain = 20*time.Millisecond, 7*time.Second
	b.renew()
	answer, err := b.provider.Call(t.Context(), b.request)
	if failure := wantKind(t, answer, err, llmprovider.Ambiguous); failure.RetryAfter != 7*time.Second {
		t.Errorf("look again after %s", failure.RetryAfter)
	}
	b.server.Release("later")
	if answer, err := b.provider.Lookup(t.Context(), b.saved[0]); err != nil || answer.Text == "" {
		t.Errorf("got %+v, %v", answer, err)
	}
	b.wantTotals(fakeopenai.Totals{Requests: 1, Generations: 1, Reads: -1})
}

// Without anybody who saves the id there is no way back to the response.
func TestNoHandBackWithoutASavedID(t *testing.T) {
	t.Parallel()
	b := newBackground(t, fakeopenai.Step{Hold: "later"})
	b.options.HandBack = time.Millisecond
	b.renew()
	b.request.SaveOperation = nil
	go func() {
		_ = b.server.Wait(t.Context(), func([]fakeopenai.Request) bool { return b.server.Totals().Reads > 4 })
		b.server.Release("later")
	}()
	if answer, err := b.provider.Call(t.Context(), b.request); err != nil || answer.Text == "" {
		t.Errorf("got %+v, %v", answer, err)
	}
}

func TestBackgroundAnswersThatCannotBeFollowed(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no id":             `{"status":"queued"}`,
		"an id of a path":   `{"id":"../models","status":"queued"}`,
		"an id of a novel":  `{"id":"` + strings.Repeat("x", 300) + `","status":"queued"}`,
		"an id of a number": `{"id":17,"status":"queued"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackground(t, fakeopenai.Step{Action: fakeopenai.Raw, Body: &body})
			answer, err := b.provider.Call(t.Context(), b.request)
			wantKind(t, answer, err, llmprovider.Ambiguous)
			if len(b.saved) != 0 {
				t.Errorf("saved %v", b.saved)
			}
		})
	}
}

// A server that knows no background mode answers at once.
func TestAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	body := `{"id":"resp_1","status":"completed","model":"m","output":[` +
		`{"type":"message","phase":"commentary","content":[{"type":"output_text","text":"Let me see."}]},` +
		`{"type":"message","phase":null,"content":[{"type":"output_text","text":"The board."}]}]}`
	b := newBackground(t, fakeopenai.Step{Action: fakeopenai.Raw, Body: &body})
	answer, err := b.provider.Call(t.Context(), b.request)
	if err != nil || answer.Text != "The board." || len(b.saved) != 1 {
		t.Errorf("got %+v, %v, saved %v", answer, err, b.saved)
	}
}
