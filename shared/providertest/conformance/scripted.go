package conformance

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
)

// Scripted is the arm of the scripted provider, whose server documents what the
// options say.
func Scripted(options providertest.Options) Arm[providertest.Step] {
	options.Now = time.Now
	return Arm[providertest.Step]{
		Start: func(t *testing.T, _ string) Fake[providertest.Step] {
			t.Helper()
			return scriptedFake{providertest.NewServer(t, options)}
		},
		Model: providertest.ModelName,
		Steps: Steps[providertest.Step]{
			Text:       func(text string) providertest.Step { return answer(providertest.Step{Text: &text}) },
			Bytes:      func(n int) providertest.Step { return answer(providertest.Step{Bytes: n}) },
			Limited:    func(h http.Header) providertest.Step { return failed(429, "", h["Retry-After"]...) },
			Failing:    func(h http.Header) providertest.Step { return failed(500, "", h["Retry-After"]...) },
			Redirect:   func(status int) providertest.Step { return failed(status, "") },
			ResetEarly: providertest.Step{Action: providertest.CutBeforeBody},
			Reset:      providertest.Step{Action: providertest.CutBeforeAnswer},
			Cut:        providertest.Step{Action: providertest.CutInAnswer},
			Hang:       providertest.Step{Action: providertest.Never},
			Late:       answer(providertest.Step{HoldAnswer: gateLate}),
		},
		Cases: []Case[providertest.Step]{
			{"TestCaseM1LostOrRefused", scriptedLost()},
			{"TestCaseM4OverloadInsideSuccess", scriptedFailures()},
			{"TestCaseM6NoAnswerIsNoSuccess", scriptedNoAnswer()},
			{"TestCaseM7PermanentErrors", scriptedPermanent()},
		},
	}
}

// scriptedFake is the scripted provider's server as the suite sees it.
type scriptedFake struct{ *providertest.Server }

func (f scriptedFake) BaseURL() string { return f.URL }

func (f scriptedFake) Script(match string, steps ...providertest.Step) error {
	if len(steps) == 0 {
		return nil
	}
	_, err := f.Server.Script(providertest.Script{Match: match, Steps: steps})
	return err //nolint:wrapcheck // says what it is
}

func (f scriptedFake) Seen() []Seen {
	var all []Seen
	for _, call := range f.Calls() {
		seen := Seen{
			ID: call.RequestID, Connection: call.Connection, Question: call.Question, Body: []byte(call.BodySHA256),
			Generated: call.Generation > 0, Gone: call.ClientGone || call.Outcome == providertest.EventLost,
		}
		if call.Key != "" {
			seen.KeyHeader = scripted.HeaderKey
		}
		if call.Outcome == providertest.EventMalformed {
			seen.Violation = "malformed"
		}
		all = append(all, seen)
	}
	return all
}

func (f scriptedFake) Wait(ctx context.Context, until func([]Seen) bool) error {
	_, err := f.WaitFor(ctx, func(providertest.Event) bool { return until(f.Seen()) })
	return err //nolint:wrapcheck // says what it is
}

func answer(step providertest.Step) providertest.Step {
	step.Action = providertest.Answer
	return step
}

func failed(status int, errorType string, retryAfter ...string) providertest.Step {
	return providertest.Step{Action: providertest.Fail, Status: status, ErrorType: errorType, RetryAfter: retryAfter}
}

func scriptedLost() []Row[providertest.Step] {
	ran := failed(500, "")
	ran.Generates = true
	ambiguous, rejected := llmprovider.ClassAmbiguous, llmprovider.ClassRejected
	return []Row[providertest.Step]{
		{Name: "408", Step: failed(408, ""), Want: ambiguous},
		{Name: "409", Step: failed(409, "state"), Want: ambiguous},
		{Name: "500 after the model ran", Step: ran, Want: ambiguous, Generations: 1},
		{Name: "502", Step: failed(502, ""), Want: ambiguous},
		{Name: "503", Step: failed(503, "", "1"), Want: ambiguous},
		{Name: "504", Step: failed(504, ""), Want: ambiguous},
		{Name: "425", Step: failed(425, ""), Want: rejected},
		{Name: "529", Step: failed(529, ""), Want: rejected},
		{Name: "answered twice", Step: providertest.Step{Action: providertest.Duplicate}, Generations: 1},
	}
}

func scriptedFailures() []Row[providertest.Step] {
	const overloaded = scripted.TypeOverloaded
	return []Row[providertest.Step]{
		{Name: "plain 529", Step: failed(529, ""), Want: llmprovider.ClassRejected, Spend: SpendUntold},
		{Name: "status 200, error in place of the answer", Step: providertest.Step{Action: providertest.FailInBody, ErrorType: overloaded}, Want: llmprovider.ClassRejected, Spend: SpendUntold},
		{Name: "status 200, error first in the stream", Step: providertest.Step{Action: providertest.FailInStream, ErrorType: overloaded}, Want: llmprovider.ClassRejected, Spend: SpendUntold},
		{Name: "status 200, error after three pieces", Step: providertest.Step{Action: providertest.FailInStream, ErrorType: overloaded, Pieces: 3}, Want: llmprovider.ClassAmbiguous, Generations: 1, Spend: SpendUntold},
		{Name: "unknown error type", Step: providertest.Step{Action: providertest.FailInBody, ErrorType: "new_in_2027"}, Want: llmprovider.ClassAmbiguous, Spend: SpendUntold},
		{Name: "a whole stream is an answer", Step: answer(providertest.Step{Stream: true}), Generations: 1, Spend: SpendTold},
	}
}

func scriptedNoAnswer() []Row[providertest.Step] {
	empty, blank, text := "", " \n\t", "Half of an ans"
	declined, nothing := llmprovider.ClassDeclined, llmprovider.ClassNoText
	rows := []Row[providertest.Step]{
		{Name: "filtered", Step: answer(providertest.Step{NoText: true, StopReason: scripted.StopContentFilter}), Want: declined},
		{Name: "filtered with text", Step: answer(providertest.Step{Text: &text, StopReason: scripted.StopContentFilter}), Want: declined, Spend: SpendTold},
		{Name: "refused", Step: answer(providertest.Step{NoText: true, StopReason: scripted.StopRefusal}), Want: declined},
		{Name: "no answer at all", Step: providertest.Step{Action: providertest.NoAnswer}, Want: nothing},
		{Name: "null", Step: answer(providertest.Step{NoText: true}), Want: nothing},
		{Name: "empty", Step: answer(providertest.Step{Text: &empty}), Want: nothing},
		{Name: "white space", Step: answer(providertest.Step{Text: &blank}), Want: nothing},
		{Name: "empty stream", Step: answer(providertest.Step{Text: &empty, Stream: true}), Want: nothing},
		{Name: "cut short before any text", Step: answer(providertest.Step{Text: &empty, StopReason: scripted.StopLength}), Want: nothing},
		{Name: "unknown reason", Step: answer(providertest.Step{Text: &text, StopReason: "paused"}), Want: llmprovider.ClassMisconfigured},
		{Name: "cut short", Step: answer(providertest.Step{Text: &text, StopReason: scripted.StopLength}), Text: text, CutShort: true},
	}
	for i := range rows {
		rows[i].Generations = 1
	}
	return rows
}

func scriptedPermanent() []Row[providertest.Step] {
	misconfigured := llmprovider.ClassMisconfigured
	return []Row[providertest.Step]{
		{Name: "quota used up", Step: failed(429, scripted.TypeInsufficientQuota), Want: llmprovider.ClassQuota},
		{Name: "payment needed", Step: failed(402, ""), Want: llmprovider.ClassQuota},
		{Name: "history too long", Step: failed(400, scripted.TypeContextTooLong), Want: llmprovider.ClassInputTooLarge},
		{Name: "body too long", Step: failed(413, ""), Want: llmprovider.ClassInputTooLarge},
		{Name: "not signed in", Step: failed(401, ""), Want: misconfigured},
		{Name: "not allowed", Step: failed(403, ""), Want: misconfigured},
		{Name: "no such model", Step: failed(404, ""), Want: misconfigured},
		{Name: "invalid", Step: failed(400, ""), Want: llmprovider.ClassRefused},
		{Name: "against the rules", Step: failed(400, scripted.TypeContentPolicy), Want: llmprovider.ClassDeclined},
	}
}
