package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Planted words. None may be found in a log or in an error.
const (
	// PlantedKey is the key that the fakes of keyed arms accept.
	PlantedKey      = "sk-planted-key-4711"
	plantedWrongKey = "sk-planted-wrong-key-0815"
	plantedQuestion = "planted question"
	plantedDocument = "planted document"
	plantedAnswer   = "planted answer"
)

// scene is one question, asked of a fresh adapter and a fresh fake.
type scene[S any] struct {
	t        *testing.T
	ctx      context.Context
	arm      Arm[S]
	fake     Fake[S]
	settings Settings
	provider llmprovider.Provider
	request  llmprovider.Request
	log      *logBuffer
	// violates: the test sends what is against the API's description.
	violates bool
}

func newScene[S any](t *testing.T, arm Arm[S], steps ...S) *scene[S] {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), testLimit, fmt.Errorf("test took longer than %s", testLimit))
	t.Cleanup(cancel)
	s := &scene[S]{t: t, ctx: ctx, arm: arm, fake: arm.Start(t, plantedAnswer), log: &logBuffer{}}
	if err := s.fake.Script("", steps...); err != nil {
		t.Fatal(err)
	}
	s.settings = Settings{
		BaseURL: s.fake.BaseURL(), MaxReplyBytes: maxReplyBytes,
		Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Key: func(context.Context) (string, error) { return PlantedKey, nil },
	}
	s.request = llmprovider.Request{Prompt: SamplePrompt(), Key: "01J0000000000000000000TASK"}
	t.Cleanup(s.checkEnd)
	s.renew()
	return s
}

// renew makes the adapter anew from the settings.
func (s *scene[S]) renew() { s.provider = s.arm.New(s.t, s.settings) }

// SamplePrompt is what the suite asks, with planted words in document and question.
func SamplePrompt() llmprovider.Prompt {
	return llmprovider.Prompt{
		Instruction: "Answer from the document.",
		Document:    llmprovider.DocumentText{ID: "d-1", Title: "Rules", Version: 4, Text: "1. " + plantedDocument + "\n\nThe board decides."},
		History:     []llmprovider.Turn{{Question: "Who?", Answer: "The board."}},
		Question:    plantedQuestion,
		Version:     1,
	}
}

func (s *scene[S]) checkEnd() {
	s.checkLeak("log", s.log.String())
	for _, seen := range s.fake.Seen() {
		if seen.Violation != "" && !s.violates {
			s.t.Errorf("request %s is against the API's description: %s", seen.ID, seen.Violation)
		}
	}
}

func (s *scene[S]) checkLeak(where, text string) {
	s.t.Helper()
	planted := []string{PlantedKey, plantedWrongKey, plantedQuestion, plantedDocument, plantedAnswer}
	for _, word := range slices.Concat(planted, s.arm.Secrets) {
		if strings.Contains(text, word) {
			s.t.Errorf("%q is in the %s: %s", word, where, text)
		}
	}
}

func (s *scene[S]) call() (llmprovider.Answer, error) {
	answer, err := s.provider.Call(s.ctx, s.request)
	if err != nil {
		s.checkLeak("error", err.Error())
	}
	return answer, err
}

func (s *scene[S]) wantAnswer() llmprovider.Answer {
	s.t.Helper()
	answer, err := s.call()
	if err != nil {
		s.t.Fatalf("call: %v", err)
	}
	return answer
}

func (s *scene[S]) wantFailure(want llmprovider.Class) *llmprovider.Error {
	s.t.Helper()
	answer, err := s.call()
	return checkFailure(s.t, answer, err, want)
}

func checkFailure(t *testing.T, answer llmprovider.Answer, err error, want llmprovider.Class) *llmprovider.Error {
	t.Helper()
	failure, ok := errors.AsType[*llmprovider.Error](err)
	if !ok {
		t.Fatalf("got answer %q and error %v, want an *llmprovider.Error", answer.Text, err)
	}
	if got := (llmprovider.Class{Kind: failure.Kind, Reason: failure.Reason}); got != want {
		t.Fatalf("got %v, want %s", failure, want)
	}
	if answer.Text != "" {
		t.Errorf("a failed call returned the text %q", answer.Text)
	}
	return failure
}

// wantRequests checks what the fake has seen.
func (s *scene[S]) wantRequests(requests, generations int) {
	s.t.Helper()
	seen, generated := s.fake.Seen(), 0
	for _, r := range seen {
		if r.Generated {
			generated++
		}
	}
	if len(seen) != requests || generated != generations {
		s.t.Errorf("the provider saw %d requests and %d generations, want %d and %d", len(seen), generated, requests, generations)
	}
}

// endWhen gives the call a context that ends for a cause as soon as the fake's log
// is so.
func (s *scene[S]) endWhen(cause error, until func(Seen) bool) {
	var waiting sync.WaitGroup
	whole := s.ctx
	ending, end := context.WithCancelCause(whole)
	waiting.Go(func() {
		_ = s.fake.Wait(whole, func(seen []Seen) bool { return slices.ContainsFunc(seen, until) })
		end(cause)
	})
	s.t.Cleanup(waiting.Wait)
	s.ctx = ending
}

// logBuffer collects a log that several goroutines write.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p) //nolint:wrapcheck // a buffer
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
