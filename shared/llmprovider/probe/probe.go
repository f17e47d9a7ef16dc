// Package probe asks a configured provider the same cheap question twice with one
// idempotency key, and tells what came back. Documentation says what a provider
// promises; a probe shows what it did today, on this account. Nothing rests on its
// result: recovery goes by what is documented (package register).
package probe

import (
	"context"
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Connect makes the provider under test, which sends its requests with the client.
type Connect func(ctx context.Context, client *http.Client) (llmprovider.Provider, error)

// Report is what came back.
type Report struct {
	Provider string
	Endpoint string
	// Documented says that the provider documents an idempotency key.
	Documented bool
	// Sent are the two requests in their order.
	Sent [2]Exchange
}

// Exchange is one request and its answer. It holds no key and no text.
type Exchange struct {
	Status int
	// ID is the provider's name for the answer, from its body; RequestID its name for
	// the request, from the header.
	ID        string
	RequestID string
	// TextSHA256 and TextBytes identify the text.
	TextSHA256   string
	TextBytes    int
	InputTokens  int
	OutputTokens int
	// Headers are those that speak of keys, limits and repeats.
	Headers []string
	// Outcome is the class of a failure, empty for an answer.
	Outcome string
}

// maxOutputTokens keeps the probe cheap; OpenAI's least is 16.
const maxOutputTokens = 64

// prompt asks for something that two executions hardly say alike.
func prompt() llmprovider.Prompt {
	return llmprovider.Prompt{
		Instruction: "Do what the question asks. Answer with nothing else.",
		Document:    llmprovider.DocumentText{ID: "probe", Title: "Probe", Version: 1, Text: "This document is empty on purpose."},
		Question:    "Write a random number of eight digits.",
		Version:     1,
	}
}

// Run sends the two requests. Its error says that the provider could not be set up; a
// request that fails is part of the report.
func Run(ctx context.Context, connect Connect, key string) (Report, error) {
	recorder := &recorder{inner: llmprovider.NewClient().Transport, key: key}
	client := llmprovider.NewClient()
	client.Transport = recorder
	provider, err := connect(ctx, client)
	if err != nil {
		return Report{}, fmt.Errorf("probe: %w", err)
	}
	capability := provider.Capability()
	report := Report{Provider: provider.Name(), Endpoint: capability.Endpoint, Documented: capability.IdempotencyKey}
	for i := range report.Sent {
		recorder.begin()
		answer, err := provider.Call(ctx, llmprovider.Request{Prompt: prompt(), Key: key, MaxOutputTokens: maxOutputTokens})
		report.Sent[i] = recorder.exchange(answer, llmprovider.AsError(err))
	}
	return report, nil
}

// Verdict is what the two answers say about the second request.
type Verdict string

// The verdicts.
const (
	Replayed    Verdict = "replayed: the second request got the answer of the first"
	Twice       Verdict = "executed twice: a repeat with the same key is another generation, and is billed"
	KeyRefused  Verdict = "the header of an idempotency key is refused"
	Repeat      Verdict = "the repeat is refused: the key is known and brings no answer back"
	Undecided   Verdict = "cannot be told: the answers have no ids, and their texts are equal"
	Unanswered  Verdict = "nothing can be said: the first request was not answered"
	SecondFails Verdict = "nothing can be said: the second request failed in a way that keys do not explain"
)

// Verdict judges the report.
func (r Report) Verdict() Verdict {
	first, second := r.Sent[0], r.Sent[1]
	switch {
	case refused(first.Status) && refused(second.Status):
		return KeyRefused
	case first.Outcome != "":
		return Unanswered
	case refused(second.Status):
		return Repeat
	case second.Outcome != "":
		return SecondFails
	case first.ID != "" && first.ID == second.ID:
		return Replayed
	case first.ID != "" && second.ID != "" || first.TextSHA256 != second.TextSHA256:
		return Twice
	}
	return Undecided
}

// refused are the statuses of a request, or of a key, that is not taken.
func refused(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusConflict || status == http.StatusUnprocessableEntity
}
