package conformance

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// OpenAIMode says how an arm asks OpenAI's APIs.
type OpenAIMode struct {
	Stream bool // for the answer as a stream
	// Responses: it speaks the Responses API, where a failure in an answer is the
	// stated end of a response.
	Responses bool
}

// OpenAI is the arm of OpenAI's APIs.
func OpenAI(mode OpenAIMode) Arm[fakeopenai.Step] {
	const model = "test-model"
	cases := []Case[fakeopenai.Step]{
		{"TestCaseM1LostOrRefused", openAILost()},
		{"TestCaseM4FailureInsideSuccess", openAIFailures(mode)},
		{"TestCaseM6NoAnswerIsNoSuccess", openAINoAnswer(mode)},
		{"TestCaseM7PermanentErrors", openAIPermanent()},
		{"UnreadableAnswerIsAmbiguous", openAIUnreadable()},
	}
	return Arm[fakeopenai.Step]{
		Start: func(t *testing.T, reply string) Fake[fakeopenai.Step] {
			t.Helper()
			return openAIFake{fakeopenai.NewServer(t, fakeopenai.Options{
				Now: time.Now, Keys: []string{PlantedKey}, Models: []string{model},
				Reply: func(asked fakeopenai.Asked) string { return fmt.Sprintf("%s %d", reply, asked.Generation) },
			})}
		},
		Model: model,
		Steps: Steps[fakeopenai.Step]{
			Text:  func(text string) fakeopenai.Step { return fakeopenai.Step{Text: &text} },
			Bytes: func(n int) fakeopenai.Step { return fakeopenai.Step{Bytes: n} },
			Limited: func(h http.Header) fakeopenai.Step {
				return refuse(429, fakeopenai.Failure{Code: "rate_limit_exceeded"}, h)
			},
			Failing:    func(h http.Header) fakeopenai.Step { return refuse(500, fakeopenai.Failure{Type: "server_error"}, h) },
			Redirect:   func(status int) fakeopenai.Step { return fakeopenai.Step{Action: fakeopenai.Redirect, Status: status} },
			ResetEarly: fakeopenai.Step{Action: fakeopenai.ResetEarly},
			Reset:      fakeopenai.Step{Action: fakeopenai.Reset},
			Cut:        fakeopenai.Step{Action: fakeopenai.Cut},
			Hang:       fakeopenai.Step{Action: fakeopenai.Hang},
			Late:       fakeopenai.Step{Hold: gateLate},
		},
		Cases: cases, Keyed: true, Logs: true, Limits: true, Milliseconds: []string{"Retry-After-Ms"},
	}
}

// openAIFake is the fake as the suite sees it.
type openAIFake struct{ *fakeopenai.Server }

func (f openAIFake) BaseURL() string { return f.Server.BaseURL }
func (f openAIFake) Seen() []Seen    { return seenByOpenAI(f.Requests()) }

func (f openAIFake) Wait(ctx context.Context, until func([]Seen) bool) error {
	return f.Server.Wait(ctx, func(requests []fakeopenai.Request) bool { return until(seenByOpenAI(requests)) }) //nolint:wrapcheck // says what it is
}

func seenByOpenAI(requests []fakeopenai.Request) []Seen {
	var seen []Seen
	for _, r := range requests {
		switch r.Kind {
		case fakeopenai.KindRead, fakeopenai.KindCancel:
			continue
		case fakeopenai.KindResponse, fakeopenai.KindChat, fakeopenai.KindOther:
		}
		seen = append(seen, Seen{
			ID: r.ID, Connection: r.Connection, Question: r.Question, Body: r.Body, KeyHeader: keyHeader(r.Header),
			Violation: strings.Join(r.Violations, "; "), Generated: r.Generation, Gone: r.Outcome == fakeopenai.Gone,
		})
	}
	return seen
}

func refuse(status int, failure fakeopenai.Failure, header http.Header) fakeopenai.Step {
	return fakeopenai.Step{Action: fakeopenai.Refuse, Status: status, Failure: failure, Header: header}
}

// openAILost is what an adapter must not take for "not executed", and what it may.
func openAILost() []Row[fakeopenai.Step] {
	page := "<html>busy</html>"
	ran := refuse(500, fakeopenai.Failure{}, nil)
	ran.Ran = true
	bad, busy := refuse(502, fakeopenai.Failure{}, nil), refuse(429, fakeopenai.Failure{}, nil)
	bad.Body, busy.Body = &page, &page
	ambiguous, rejected := llmprovider.ClassAmbiguous, llmprovider.ClassRejected
	return []Row[fakeopenai.Step]{
		{Name: "408", Step: refuse(408, fakeopenai.Failure{}, nil), Want: ambiguous},
		{Name: "409", Step: refuse(409, fakeopenai.Failure{Type: "conflict_error"}, nil), Want: ambiguous},
		{Name: "500 after the model ran", Step: ran, Want: ambiguous, Generations: 1},
		{Name: "500 with the code of a refusal", Step: refuse(500, fakeopenai.Failure{Code: "invalid_prompt"}, nil), Want: ambiguous},
		{Name: "502 of an intermediary", Step: bad, Want: ambiguous},
		{Name: "503", Step: refuse(503, fakeopenai.Failure{Code: "server_is_overloaded"}, nil), Want: ambiguous},
		{Name: "503 that says slow down", Step: refuse(503, fakeopenai.Failure{Code: "slow_down"}, nil), Want: ambiguous},
		{Name: "504", Step: refuse(504, fakeopenai.Failure{}, nil), Want: ambiguous},
		{Name: "529 of a gateway", Step: refuse(529, fakeopenai.Failure{}, nil), Want: rejected, Unknown: "529"},
		{Name: "a status that nobody documents", Step: refuse(599, fakeopenai.Failure{}, nil), Want: ambiguous, Unknown: "599"},
		{Name: "429 slow down", Step: refuse(429, fakeopenai.Failure{Code: "slow_down"}, nil), Want: rejected},
		{Name: "429 with another code", Step: refuse(429, fakeopenai.Failure{Code: "new_in_2027"}, nil), Want: rejected, Unknown: "new_in_2027"},
		{Name: "429 of an intermediary", Step: busy, Want: rejected},
	}
}

// openAIFailures: the status was 200, and then it failed. What that means depends on
// whether the provider states the end of a response, and on whether anything was
// generated.
func openAIFailures(mode OpenAIMode) []Row[fakeopenai.Step] {
	const pieces = 3
	ended := llmprovider.ClassAmbiguous
	if mode.Responses {
		ended = llmprovider.ClassFailed // the response object says that it failed
	}
	fails := func(code string, pieces int) fakeopenai.Step {
		return fakeopenai.Step{Fails: true, Failure: fakeopenai.Failure{Code: code}, Pieces: pieces}
	}
	rows := []Row[fakeopenai.Step]{
		{Name: "rate limit before any text", Step: fails("rate_limit_exceeded", 0), Want: llmprovider.ClassRejected},
		{Name: "server error before any text", Step: fails("server_error", 0), Want: ended},
		{Name: "quota", Step: fails("insufficient_quota", 0), Want: llmprovider.ClassQuota},
		{Name: "against the rules", Step: fails("invalid_prompt", 0), Want: llmprovider.ClassDeclined},
		{Name: "unknown code", Step: fails("new_in_2027", 0), Want: llmprovider.ClassAmbiguous, Unknown: "new_in_2027"},
		{Name: "no code at all", Step: fails("", 0), Want: llmprovider.ClassAmbiguous},
	}
	if mode.Stream || mode.Responses {
		rows = append(rows,
			Row[fakeopenai.Step]{Name: "rate limit after three pieces", Step: fails("rate_limit_exceeded", pieces), Want: ended, Generations: 1},
			Row[fakeopenai.Step]{Name: "server error after three pieces", Step: fails("server_error", pieces), Want: ended, Generations: 1})
	}
	if mode.Stream {
		for _, row := range rows {
			row.Name, row.Step.ErrorEvent = "event: "+row.Name, true
			if row.Want == ended {
				row.Want = llmprovider.ClassAmbiguous // an event is the end of the stream, not of the work
			}
			rows = append(rows, row)
		}
		rows = append(rows, Row[fakeopenai.Step]{Name: "stream without its end", Step: fakeopenai.Step{NoEnd: true}, Want: llmprovider.ClassAmbiguous, Generations: 1})
	}
	return rows
}

func openAINoAnswer(mode OpenAIMode) []Row[fakeopenai.Step] {
	nothing, blank, text := "", " \n\t", "Half of an ans"
	declined, empty := llmprovider.ClassDeclined, llmprovider.ClassNoText
	rows := []Row[fakeopenai.Step]{
		{Name: "filtered", Step: fakeopenai.Step{NoText: true, Finish: "content_filter"}, Want: declined},
		{Name: "filtered with text", Step: fakeopenai.Step{Text: &text, Finish: "content_filter"}, Want: declined, Spend: SpendTold},
		{Name: "refused by the model", Step: fakeopenai.Step{Refusal: "I will not."}, Want: declined},
		{Name: "no choices", Step: fakeopenai.Step{NoChoices: true}, Want: empty},
		{Name: "null", Step: fakeopenai.Step{NoText: true}, Want: empty},
		{Name: "empty", Step: fakeopenai.Step{Text: &nothing}, Want: empty},
		{Name: "white space", Step: fakeopenai.Step{Text: &blank}, Want: empty},
		{Name: "cut short before any text", Step: fakeopenai.Step{Text: &nothing, Finish: "length"}, Want: empty},
		{Name: "unknown reason", Step: fakeopenai.Step{Text: &text, Finish: "paused"}, Want: llmprovider.ClassMisconfigured, Unknown: "paused"},
		{Name: "text without a reason", Step: fakeopenai.Step{Text: &text, Finish: "-"}, Want: llmprovider.ClassAmbiguous},
		{Name: "cut short", Step: fakeopenai.Step{Text: &text, Finish: "length"}, Text: text, CutShort: true},
		{Name: "no count of tokens", Step: fakeopenai.Step{NoUsage: true}, Spend: SpendUntold},
	}
	if mode.Responses {
		rows = append(rows, Row[fakeopenai.Step]{
			Name: "unknown status", Step: fakeopenai.Step{Text: &text, State: "paused"}, Want: llmprovider.ClassAmbiguous, Unknown: "paused",
		})
	}
	for i := range rows {
		rows[i].Generations = 1
	}
	return rows
}

func openAIPermanent() []Row[fakeopenai.Step] {
	quota, refused, misconfigured := llmprovider.ClassQuota, llmprovider.ClassRefused, llmprovider.ClassMisconfigured
	step := func(status int, failure fakeopenai.Failure) fakeopenai.Step { return refuse(status, failure, nil) }
	return []Row[fakeopenai.Step]{
		{Name: "quota used up", Step: step(429, fakeopenai.Failure{Type: "insufficient_quota", Code: "insufficient_quota"}), Want: quota},
		{Name: "quota, by its type", Step: step(429, fakeopenai.Failure{Type: "insufficient_quota", Code: "new_in_2027"}), Want: quota},
		{Name: "credit used up", Step: step(429, fakeopenai.Failure{Type: "insufficient_quota", Code: "credit_balance_exhausted"}), Want: quota},
		{Name: "organization's limit", Step: step(429, fakeopenai.Failure{Code: "organization_spend_limit_exceeded"}), Want: quota},
		{Name: "project's limit", Step: step(429, fakeopenai.Failure{Code: "project_spend_limit_exceeded"}), Want: quota},
		{Name: "usage limit", Step: step(429, fakeopenai.Failure{Code: "organization_usage_limit_exceeded"}), Want: quota},
		{Name: "payment needed", Step: step(402, fakeopenai.Failure{}), Want: quota},
		{Name: "history too long", Step: step(400, fakeopenai.Failure{Type: "invalid_request_error", Code: "context_length_exceeded"}), Want: llmprovider.ClassInputTooLarge},
		{Name: "body too long", Step: step(413, fakeopenai.Failure{}), Want: llmprovider.ClassInputTooLarge},
		{Name: "wrong key", Step: step(401, fakeopenai.Failure{Type: "invalid_request_error", Code: "invalid_api_key"}), Want: misconfigured},
		{Name: "wrong key, and the server quotes it", Step: step(401, fakeopenai.Failure{Type: PlantedKey, Code: PlantedKey, Message: PlantedKey}), Want: misconfigured},
		{Name: "not allowed", Step: step(403, fakeopenai.Failure{Code: "unsupported_country_region_territory"}), Want: misconfigured},
		{Name: "no such model", Step: step(404, fakeopenai.Failure{Code: "model_not_found"}), Want: misconfigured},
		{Name: "wrong path", Step: step(404, fakeopenai.Failure{}), Want: misconfigured},
		{Name: "invalid", Step: step(400, fakeopenai.Failure{Type: "invalid_request_error"}), Want: refused},
		{Name: "invalid, as vLLM says it", Step: step(400, fakeopenai.Failure{Type: "BadRequestError", NumberCode: true}), Want: refused},
		{Name: "cannot be processed", Step: step(422, fakeopenai.Failure{}), Want: refused},
		{Name: "against the rules", Step: step(400, fakeopenai.Failure{Code: "content_policy_violation"}), Want: llmprovider.ClassDeclined},
		{Name: "filtered before the model", Step: step(400, fakeopenai.Failure{Code: "content_filter"}), Want: llmprovider.ClassDeclined},
	}
}

// openAIUnreadable: an answer that cannot be understood was paid for all the same.
func openAIUnreadable() []Row[fakeopenai.Step] {
	var rows []Row[fakeopenai.Step]
	for name, body := range map[string]string{
		"error page":       "<html>" + plantedAnswer + "</html>",
		"nothing":          "",
		"half a document":  `{"id":"resp_1","status":"completed","choices":[{"index":0,"message":{"content":"` + plantedAnswer,
		"another type":     `{"id":"resp_1","status":"completed","output":"` + plantedAnswer + `","choices":"` + plantedAnswer + `"}`,
		"number for text":  `{"id":1,"status":2,"output":[],"choices":[{"index":0,"message":{"content":1},"finish_reason":"stop"}]}`,
		"duplicate member": `{"id":"resp_1","id":"resp_2","status":"completed","choices":[],"choices":[]}`,
		"bad UTF-8":        "{\"id\":\"resp_\xff\",\"status\":\"completed\",\"model\":\"\xff\",\"choices\":[]}",
		"lone surrogate":   `{"id":"resp_1","status":"completed","model":"\ud83d","choices":[]}`,
		"event of junk":    "data: {" + plantedAnswer + "\n\n",
	} {
		rows = append(rows, Row[fakeopenai.Step]{
			Name: name, Step: fakeopenai.Step{Action: fakeopenai.Raw, Body: &body}, Want: llmprovider.ClassAmbiguous, Generations: 1,
		})
	}
	return rows
}

func keyHeader(header http.Header) string {
	name, _ := fakewire.KeyHeader(header)
	return name
}
