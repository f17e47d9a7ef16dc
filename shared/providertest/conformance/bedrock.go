package conformance

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// BedrockCredentials are those that the fake accepts: of a role, with a session token.
var BedrockCredentials = aws.Credentials{
	AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret-access-key-0123456789", SessionToken: "session-token-0123456789",
}

// Bedrock is the arm of Amazon Bedrock's Converse, and of ConverseStream.
func Bedrock(streaming bool) Arm[fakeprovider.Step] {
	cut := fakeprovider.Step{Action: fakeprovider.CutWhole}
	if streaming {
		cut = fakeprovider.Step{Action: fakeprovider.CutStream, Frames: fakebedrock.FrameText}
	}
	arm := Arm[fakeprovider.Step]{
		Start: func(t *testing.T, reply string) Fake[fakeprovider.Step] {
			t.Helper()
			return providerFake{fakeprovider.Start(t, fakeprovider.Options{
				Dialect: fakebedrock.Dialect{Credentials: BedrockCredentials}, Now: time.Now, Reply: func(fakeprovider.Asked) string { return reply },
			})}
		},
		Model: "eu.vendor.model-1:0",
		Steps: fakeSteps(
			fakeprovider.Failure{Status: 429, Type: fakebedrock.TypeThrottling}, fakeprovider.Failure{Status: 500, Type: fakebedrock.TypeInternal}, cut),
		Cases: []Case[fakeprovider.Step]{
			{"TestCaseM1LostOrRefused", bedrockLost()},
			{"TestCaseM6NoAnswerIsNoSuccess", noAnswer([]string{"content_filtered", "guardrail_intervened"}, []string{"tool_use", "malformed_model_output", "malformed_tool_use"})},
			{"TestCaseM7PermanentErrors", bedrockPermanent()},
			{"UnreadableAnswerIsAmbiguous", bedrockUnreadable(streaming)},
		},
		Logs: true, Limits: true, Milliseconds: []string{"Retry-After-Ms", "X-Amz-Retry-After"},
		Secrets: []string{BedrockCredentials.SecretAccessKey, BedrockCredentials.SessionToken},
	}
	if streaming {
		arm.Waits = []Wait[fakeprovider.Step]{
			{"hangs before the text", fakeprovider.Step{Action: fakeprovider.HangStream, Frames: fakebedrock.FrameStart + 1}},
			{"hangs in the text", fakeprovider.Step{Action: fakeprovider.HangStream, Frames: fakebedrock.FrameText + 1}},
		}
		arm.Cases = append(arm.Cases,
			Case[fakeprovider.Step]{"TestCaseM1BrokenStream", bedrockBroken()},
			Case[fakeprovider.Step]{"TestCaseM4OverloadInsideSuccess", bedrockFailures()})
	}
	return arm
}

func bedrockLost() []Row[fakeprovider.Step] {
	ambiguous, rejected := llmprovider.ClassAmbiguous, llmprovider.ClassRejected
	modelError := fakeprovider.Step{
		Action: fakeprovider.Raw, Status: 424, Body: `{"message":"m","originalStatusCode":503,"resourceName":"r"}`,
		Header: http.Header{"X-Amzn-Errortype": {fakebedrock.TypeModelError}},
	}
	return slices.Concat([]Row[fakeprovider.Step]{
		{Name: "408", Step: fail(408, fakebedrock.TypeModelTimeout), Want: ambiguous},
		{Name: "424", Step: fail(424, fakebedrock.TypeModelError), Want: ambiguous},
		{Name: "424 with the model's status", Step: modelError, Want: ambiguous},
		{Name: "429, model not ready", Step: fail(429, fakebedrock.TypeModelNotReady), Want: rejected},
		{Name: "503", Step: fail(503, fakebedrock.TypeUnavailable), Want: ambiguous},
	}, bareStatuses(map[int]llmprovider.Class{502: ambiguous, 504: ambiguous, 529: rejected}))
}

// bedrockBroken are streams that break off. The text is sent in one piece, and then
// come contentBlockStop and messageStop.
func bedrockBroken() []Row[fakeprovider.Step] {
	const blockStop, messageStop = fakebedrock.FrameText + 1, fakebedrock.FrameText + 2
	broken := func(name string, action fakeprovider.Action, frames int) Row[fakeprovider.Step] {
		return Row[fakeprovider.Step]{Name: name, Step: onePiece(action, frames), Want: llmprovider.ClassAmbiguous, Generations: 1, Spend: SpendUntold}
	}
	return []Row[fakeprovider.Step]{
		broken("cut in the first event", fakeprovider.CutStream, 0),
		broken("cut in the text", fakeprovider.CutStream, fakebedrock.FrameText),
		broken("cut after the text", fakeprovider.CutStream, blockStop),
		broken("cut in the end marker", fakeprovider.CutStream, messageStop),
		broken("ended in order without the end marker", fakeprovider.EndStream, messageStop),
		broken("ended in order without anything", fakeprovider.EndStream, 0),
		// A whole answer is one even if the connection broke after it.
		{Name: "cut after the end marker", Step: onePiece(fakeprovider.CutStream, messageStop+1), Text: "One piece.", Generations: 1, Spend: SpendUntold},
		{Name: "cut after everything", Step: onePiece(fakeprovider.CutStream, 100), Text: "One piece.", Generations: 1, Spend: SpendTold},
	}
}

func bedrockFailures() []Row[fakeprovider.Step] {
	const (
		nothing = 0
		start   = fakebedrock.FrameStart + 1
		pieces  = fakebedrock.FrameText + 3
	)
	row := func(name string, frames int, failure fakeprovider.Failure, want llmprovider.Class) Row[fakeprovider.Step] {
		failure.Message = "ThrottlingException is not what this is"
		return streamFailure(name, frames, failure, want, SpendUntold)
	}
	exception := func(name string) fakeprovider.Failure { return fakeprovider.Failure{Type: name} }
	rejected, ambiguous := llmprovider.ClassRejected, llmprovider.ClassAmbiguous
	return []Row[fakeprovider.Step]{
		row("throttled first", nothing, exception(fakebedrock.TypeThrottling), rejected),
		row("throttled after messageStart", start, exception(fakebedrock.TypeThrottling), rejected),
		row("throttled after three pieces", pieces, exception(fakebedrock.TypeThrottling), ambiguous),
		row("internal first", nothing, exception(fakebedrock.TypeInternal), ambiguous),
		row("internal after three pieces", pieces, exception(fakebedrock.TypeInternal), ambiguous),
		row("unavailable first", nothing, exception(fakebedrock.TypeUnavailable), ambiguous),
		row("model's stream failed", pieces, exception(fakebedrock.TypeModelStream), ambiguous),
		row("invalid", nothing, exception(fakebedrock.TypeValidation), llmprovider.ClassRefused),
		row("unknown exception first", nothing, exception("NewIn2027Exception"), ambiguous),
		row("no exception type", nothing, exception(""), ambiguous),
		row("message of type error, known code", nothing, fakeprovider.Failure{Code: fakebedrock.TypeThrottling}, rejected),
		unknown(row("message of type error, unknown code", nothing, fakeprovider.Failure{Code: "InternalError"}, ambiguous), "InternalError"),
	}
}

func bedrockPermanent() []Row[fakeprovider.Step] {
	rejected, misconfigured := llmprovider.ClassRejected, llmprovider.ClassMisconfigured
	inBody := bare(429)
	inBody.Body = `{"__type":"com.amazon.coral#ThrottlingException"}`
	return slices.Concat([]Row[fakeprovider.Step]{
		{Name: "invalid, or too long", Step: fail(400, fakebedrock.TypeValidation), Want: llmprovider.ClassRefused},
		{Name: "quota of the account", Step: fail(400, fakebedrock.TypeServiceQuota), Want: rejected},
		{Name: "signature too old", Step: fail(400, fakebedrock.TypeRequestExpired), Want: rejected},
		{Name: "credentials too old", Step: fail(403, fakebedrock.TypeExpiredToken), Want: rejected},
		{Name: "subscription in the making", Step: fail(403, "MPAgreementBeingCreated"), Want: misconfigured},
		{Name: "not allowed", Step: fail(403, fakebedrock.TypeAccessDenied), Want: misconfigured},
		{Name: "not signed right", Step: fail(403, fakebedrock.TypeInvalidSignature), Want: misconfigured},
		{Name: "no such model", Step: fail(404, fakebedrock.TypeNotFound), Want: misconfigured},
		{Name: "no use case details", Step: fail(404, "FTUFormNotFilled"), Want: misconfigured},
		{Name: "code in the body", Step: inBody, Want: rejected},
		{Name: "unknown code", Step: fail(400, "NewIn2027Exception"), Want: llmprovider.ClassRefused, Unknown: "NewIn2027Exception"},
		{Name: "unknown code and status", Step: fail(599, "NewIn2028Exception"), Want: llmprovider.ClassAmbiguous, Unknown: "599"},
		{Name: "refusal with the status of a failure", Step: fail(500, fakebedrock.TypeThrottling), Want: llmprovider.ClassAmbiguous},
	}, bareStatuses(map[int]llmprovider.Class{
		429: rejected, 403: misconfigured, 413: llmprovider.ClassInputTooLarge, 418: llmprovider.ClassAmbiguous,
	}, 429, 403))
}

func bedrockUnreadable(streaming bool) []Row[fakeprovider.Step] {
	success := bare(204)
	success.Generates = true
	if streaming {
		return append(unreadableStreams(), unreadable("another success", success), unreadable("a document for a stream", raw("application/json", bedrockWhole)))
	}
	whole := func(name, old, next string) Row[fakeprovider.Step] {
		return unreadable(name, raw("application/json", strings.Replace(bedrockWhole, old, next, 1)))
	}
	return []Row[fakeprovider.Step]{
		unreadable("another success", success),
		unreadable("a stream for a document", bedrockEvents(bedrockDelta(`{"text":"a"}`), bedrockStop)),
		unreadable("empty document", raw("application/json", "")),
		unreadable("half a document", raw("application/json", bedrockWhole[:len(bedrockWhole)/2])),
		unreadable("two documents", raw("application/json", bedrockWhole+bedrockWhole)),
		whole("duplicate members", `"text":"a"`, `"text":"a","text":"b"`),
		whole("bad UTF-8", `"a"`, "\"\xff\""),
		whole("no reason", `,"stopReason":"end_turn"`, ""),
		unknown(whole("a block that nobody knows, and no reason", `{"text":"a"}]}},"stopReason":"end_turn"`, `{"newBlock":{}}]}}`), "unknown_member"),
		unknown(whole("a tool, and no reason", `{"text":"a"}]}},"stopReason":"end_turn"`, `{"toolUse":{"name":"n"}}]}}`), "ContentBlockMemberToolUse"),
		{Name: "the same, whole", Step: raw("application/json", bedrockWhole), Text: "a", Generations: 1},
	}
}

const bedrockWhole = `{"output":{"message":{"role":"assistant","content":[{"text":"a"}]}},"stopReason":"end_turn"}`

var bedrockStop = fakebedrock.RawEvent("messageStop", []byte(`{"stopReason":"end_turn"}`))

func bedrockDelta(payload string) []byte {
	return fakebedrock.RawEvent("contentBlockDelta", []byte(`{"contentBlockIndex":0,"delta":`+payload+`}`))
}

// bedrockEvents is an answer of these frames.
func bedrockEvents(frames ...[]byte) fakeprovider.Step {
	return raw(fakebedrock.MediaTypeStream, string(slices.Concat(frames...)))
}

func unreadableStreams() []Row[fakeprovider.Step] {
	text := bedrockDelta(`{"text":"a"}`)
	broken := slices.Clone(text)
	broken[len(broken)-1] ^= 1 // the checksum
	return []Row[fakeprovider.Step]{
		unreadable("no media type", raw("", string(bedrockStop))),
		unreadable("nothing", bedrockEvents()),
		unreadable("not an event", bedrockEvents([]byte("data: {}\n\n"))),
		unreadable("payload is not JSON", bedrockEvents(bedrockDelta(`{`), bedrockStop)),
		unreadable("duplicate members", bedrockEvents(bedrockDelta(`{"text":"a","text":"b"}`), bedrockStop)),
		unreadable("bad UTF-8", bedrockEvents(bedrockDelta("{\"text\":\"a\xff\"}"), bedrockStop)),
		unreadable("lone surrogate", bedrockEvents(bedrockDelta(`{"text":"\ud83d"}`), bedrockStop)),
		unreadable("checksum", bedrockEvents(broken, bedrockStop)),
		unreadable("end without a reason", bedrockEvents(text, fakebedrock.RawEvent("messageStop", []byte(`{}`)))),
		unknown(unreadable("an event that nobody knows", bedrockEvents(fakebedrock.RawEvent("newEvent", []byte(`{}`)))), "newEvent"),
		unknown(unreadable("a delta that nobody knows", bedrockEvents(bedrockDelta(`{"newDelta":{}}`))), "unknown_member"),
		unknown(unreadable("a tool", bedrockEvents(bedrockDelta(`{"toolUse":{"input":"{}"}}`))), "ContentBlockDeltaMemberToolUse"),
		{Name: "the same, whole", Step: bedrockEvents(text, bedrockStop), Text: "a", Generations: 1},
	}
}
