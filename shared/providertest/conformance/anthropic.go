package conformance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// Anthropic is the arm of Anthropic's Messages API.
func Anthropic() Arm[fakeprovider.Step] {
	return Arm[fakeprovider.Step]{
		Start: func(t *testing.T, reply string) Fake[fakeprovider.Step] {
			t.Helper()
			return providerFake{fakeprovider.Start(t, fakeprovider.Options{
				Dialect: fakeanthropic.Dialect{Key: PlantedKey}, Now: time.Now, Reply: func(fakeprovider.Asked) string { return reply },
			})}
		},
		Model: "claude-test-1",
		Steps: fakeSteps(
			fakeprovider.Failure{Status: 429, Type: fakeanthropic.TypeRateLimit}, fakeprovider.Failure{Status: 500, Type: fakeanthropic.TypeAPI},
			fakeprovider.Step{Action: fakeprovider.CutStream, Frames: fakeanthropic.FrameText}),
		Waits: []Wait[fakeprovider.Step]{
			{"hangs before the text", fakeprovider.Step{Action: fakeprovider.HangStream, Frames: fakeanthropic.FrameStart + 1}},
			{"hangs in the text", fakeprovider.Step{Action: fakeprovider.HangStream, Frames: fakeanthropic.FrameText + 1}},
			{"hangs at the end marker", onePiece(fakeprovider.HangStream, anthropicEnd)},
		},
		Cases: []Case[fakeprovider.Step]{
			{"TestCaseM1LostOrRefused", anthropicLost()},
			{"TestCaseM4OverloadInsideSuccess", anthropicFailures()},
			{"TestCaseM6NoAnswerIsNoSuccess", noAnswer([]string{"refusal"}, []string{"tool_use", "pause_turn"})},
			{"TestCaseM7PermanentErrors", anthropicPermanent()},
			{"UnreadableAnswerIsAmbiguous", anthropicUnreadable()},
		},
		Keyed: true, Logs: true, Limits: true, Milliseconds: []string{"Retry-After-Ms"},
	}
}

// anthropicEnd is the frame message_stop of an answer whose text is one piece: after
// the text come content_block_stop and message_delta.
const anthropicEnd = fakeanthropic.FrameText + 3

// onePiece is a step whose text is one piece of a stream.
func onePiece(action fakeprovider.Action, frames int) fakeprovider.Step {
	text := "One piece."
	return fakeprovider.Step{Action: action, Frames: frames, Text: &text}
}

func anthropicLost() []Row[fakeprovider.Step] {
	html := raw("text/html", "<html>")
	html.Status, html.Generates = 502, false
	ambiguous := llmprovider.ClassAmbiguous
	return slices.Concat([]Row[fakeprovider.Step]{
		{Name: "cut in the first event", Step: onePiece(fakeprovider.CutStream, 0), Want: ambiguous, Generations: 1, Spend: SpendUntold},
		{Name: "cut in the text", Step: onePiece(fakeprovider.CutStream, fakeanthropic.FrameText), Want: ambiguous, Generations: 1, Spend: SpendTold},
		{Name: "cut in the end marker", Step: onePiece(fakeprovider.CutStream, anthropicEnd), Want: ambiguous, Generations: 1, Spend: SpendTold},
		{Name: "ended in order without the end marker", Step: onePiece(fakeprovider.EndStream, anthropicEnd), Want: ambiguous, Generations: 1},
		{Name: "ended in order without anything", Step: onePiece(fakeprovider.EndStream, 0), Want: ambiguous, Generations: 1},
		// A whole message is an answer even if the connection broke after it: it is paid
		// for and nothing of it is missing.
		{Name: "cut after the end marker", Step: onePiece(fakeprovider.CutStream, 100), Text: "One piece.", Generations: 1, Spend: SpendTold},
		{Name: "409", Step: fail(409, fakeanthropic.TypeConflict), Want: llmprovider.ClassRefused},
		{Name: "504", Step: fail(504, fakeanthropic.TypeTimeout), Want: ambiguous},
		{Name: "529", Step: fail(529, fakeanthropic.TypeOverloaded), Want: llmprovider.ClassRejected},
		{Name: "502 with a page", Step: html, Want: ambiguous, Unknown: "502"},
	}, bareStatuses(map[int]llmprovider.Class{408: ambiguous, 503: ambiguous}))
}

func anthropicFailures() []Row[fakeprovider.Step] {
	const (
		nothing = 0
		start   = fakeanthropic.FrameStart + 1
		block   = fakeanthropic.FrameBlock + 1
		pieces  = fakeanthropic.FrameText + 3
	)
	row := func(name string, frames int, errorType string, want llmprovider.Class) Row[fakeprovider.Step] {
		return streamFailure(name, frames, fakeprovider.Failure{Type: errorType, Message: "rate_limit_error is not what this is"}, want, SpendTold)
	}
	rejected, ambiguous := llmprovider.ClassRejected, llmprovider.ClassAmbiguous
	return []Row[fakeprovider.Step]{
		{Name: "plain 529", Step: fail(529, fakeanthropic.TypeOverloaded), Want: rejected},
		row("overloaded first", nothing, fakeanthropic.TypeOverloaded, rejected),
		row("overloaded after message_start", start, fakeanthropic.TypeOverloaded, rejected),
		row("overloaded after content has begun", block, fakeanthropic.TypeOverloaded, ambiguous),
		row("overloaded after three pieces", pieces, fakeanthropic.TypeOverloaded, ambiguous),
		row("rate limit first", nothing, fakeanthropic.TypeRateLimit, rejected),
		row("rate limit after three pieces", pieces, fakeanthropic.TypeRateLimit, ambiguous),
		row("internal first", nothing, fakeanthropic.TypeAPI, ambiguous),
		row("internal after three pieces", pieces, fakeanthropic.TypeAPI, ambiguous),
		row("time over", pieces, fakeanthropic.TypeTimeout, ambiguous),
		row("invalid", nothing, fakeanthropic.TypeInvalidRequest, llmprovider.ClassRefused),
		row("billing", start, fakeanthropic.TypeBilling, llmprovider.ClassQuota),
		unknown(row("unknown type first", nothing, "new_in_2027", ambiguous), "new_in_2027"),
		row("no type", nothing, "", ambiguous),
	}
}

// streamFailure is a row for an error after so many frames of a stream; afterwards
// says what is known of the cost once there were any.
func streamFailure(name string, frames int, failure fakeprovider.Failure, want llmprovider.Class, afterwards Spend) Row[fakeprovider.Step] {
	text := strings.Repeat("word ", 40)
	row := Row[fakeprovider.Step]{
		Name: name, Step: fakeprovider.Step{Action: fakeprovider.FailInStream, Frames: frames, Text: &text, Failure: failure},
		Want: want, Spend: SpendUntold,
	}
	if frames > 0 {
		row.Generations, row.Spend = 1, afterwards
	}
	return row
}

func anthropicPermanent() []Row[fakeprovider.Step] {
	spendLimit := fail(429, fakeanthropic.TypeRateLimit)
	spendLimit.Failure.Code = fakeanthropic.CodeSpendLimit
	otherCode := fail(429, fakeanthropic.TypeRateLimit)
	otherCode.Failure.Code = "new_in_2027"
	twice := raw("application/json", `{"error":{"type":"api_error","type":"rate_limit_error"}}`)
	twice.Status, twice.Generates = 500, false
	misconfigured := llmprovider.ClassMisconfigured
	return slices.Concat([]Row[fakeprovider.Step]{
		{Name: "spend limit of the tier", Step: spendLimit, Want: llmprovider.ClassQuota},
		{Name: "another code", Step: otherCode, Want: llmprovider.ClassRejected, Unknown: "new_in_2027"},
		{Name: "billing", Step: fail(402, fakeanthropic.TypeBilling), Want: llmprovider.ClassQuota},
		{Name: "invalid, or too long, or a limit that was set", Step: fail(400, fakeanthropic.TypeInvalidRequest), Want: llmprovider.ClassRefused},
		{Name: "not signed in", Step: fail(401, fakeanthropic.TypeAuthentication), Want: misconfigured},
		{Name: "not allowed", Step: fail(403, fakeanthropic.TypePermission), Want: misconfigured},
		{Name: "no such model", Step: fail(404, fakeanthropic.TypeNotFound), Want: misconfigured},
		{Name: "body too large", Step: fail(413, fakeanthropic.TypeRequestTooLarge), Want: llmprovider.ClassInputTooLarge},
		{Name: "unknown type", Step: fail(400, "new_in_2027"), Want: llmprovider.ClassRefused, Unknown: "new_in_2027"},
		{Name: "unknown type and status", Step: fail(599, "new_in_2028"), Want: llmprovider.ClassAmbiguous, Unknown: "599"},
		{Name: "refusal with the status of a failure", Step: fail(503, fakeanthropic.TypeOverloaded), Want: llmprovider.ClassAmbiguous},
		{Name: "duplicate members", Step: twice, Want: llmprovider.ClassAmbiguous},
	}, bareStatuses(map[int]llmprovider.Class{413: llmprovider.ClassInputTooLarge, 418: llmprovider.ClassAmbiguous, 429: llmprovider.ClassRejected}, 413, 429))
}

func anthropicUnreadable() []Row[fakeprovider.Step] {
	const stop = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	const end = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n" + stop
	stream := func(body string) fakeprovider.Step { return raw("text/event-stream", body) }
	delta := func(text string) string {
		return "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":" + text + "}}\n\n"
	}
	event := func(name, data string) string {
		return "event: " + name + "\ndata: {\"type\":\"" + name + "\"" + data + "}\n\n"
	}
	success := bare(204)
	success.Generates = true
	return []Row[fakeprovider.Step]{
		unreadable("a document", raw("application/json", `{"type":"message"}`)),
		unreadable("no media type", raw("", "")),
		unreadable("another success", success),
		unreadable("nothing", stream("")),
		unreadable("not JSON", stream("event: content_block_delta\ndata: {\n\n"+end)),
		unreadable("duplicate members", stream(delta(`"a","text":"b"`)+end)),
		unreadable("bad UTF-8", stream(delta("\"a\xff\"")+end)),
		unreadable("lone surrogate", stream(delta(`"\ud83d"`)+end)),
		unreadable("events without names", stream(strings.ReplaceAll(delta(`"a"`)+end, "event: ", ": "))),
		unreadable("end without a reason", stream(delta(`"a"`)+stop)),
		unreadable("last line missing", stream(strings.TrimSuffix(delta(`"a"`)+end, "\n\n"))),
		unreadable("an error without details", stream("event: error\ndata: {}\n\n")),
		unreadable("an error that is not JSON", stream("event: error\ndata: overloaded_error\n\n")),
		unknown(unreadable("an event that nobody knows", stream(event("new_event", ""))), "new_event"),
		unknown(unreadable("a block that nobody knows", stream(event("content_block_start", `,"content_block":{"type":"new_block"}`))), "new_block"),
		unknown(unreadable("a delta that nobody knows", stream(event("content_block_delta", `,"delta":{"type":"new_delta"}`))), "new_delta"),
		{Name: "the same, whole", Step: stream(delta(`"a"`) + end), Text: "a", Generations: 1},
	}
}
