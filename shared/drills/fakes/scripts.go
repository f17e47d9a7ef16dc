package fakes

import (
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// openAIScripts steers the fake of OpenAI's APIs.
type openAIScripts struct{ *fakeopenai.Server }

// Script implements drills.Scripted.
func (s openAIScripts) Script(script providertest.Script) (providertest.Script, error) {
	steps, err := translate(script.Steps, openAIStep)
	if err == nil {
		err = s.AddScript(script.Match, script.Repeat, steps)
	}
	return script, err
}

// Calls implements drills.Scripted.
func (s openAIScripts) Calls() []providertest.Call {
	var calls []providertest.Call
	for _, r := range s.Requests() {
		if r.Starts() {
			calls = append(calls, call(r.ID, question(r.Question), r.Generation, providertest.Call{ReceivedAt: r.At, EndedAt: r.EndedAt, BodySHA256: r.BodySHA256}))
		}
	}
	return calls
}

// dialectScripts steers a fake of package fakeprovider.
type dialectScripts struct {
	*fakeprovider.Server
	words words
}

// words are what the steps of drills are called in an API.
type words struct {
	limited   fakeprovider.Failure
	filtered  string // reason to stop
	cutShort  string
	cutAnswer fakeprovider.Step
}

var (
	anthropicWords = words{
		limited:  fakeprovider.Failure{Status: 429, Type: fakeanthropic.TypeRateLimit},
		filtered: "refusal", cutShort: "max_tokens",
		cutAnswer: fakeprovider.Step{Action: fakeprovider.CutStream, Frames: fakeanthropic.FrameText + 1},
	}
	bedrockWords = words{
		limited:  fakeprovider.Failure{Status: 429, Type: fakebedrock.TypeThrottling},
		filtered: "content_filtered", cutShort: "max_tokens",
		cutAnswer: fakeprovider.Step{Action: fakeprovider.CutWhole},
	}
)

// Script implements drills.Scripted.
func (s dialectScripts) Script(script providertest.Script) (providertest.Script, error) {
	steps, err := translate(script.Steps, s.words.step)
	if err == nil {
		err = s.AddScript(script.Match, script.Repeat, steps)
	}
	return script, err
}

// Calls implements drills.Scripted.
func (s dialectScripts) Calls() []providertest.Call {
	var calls []providertest.Call
	for _, r := range s.Requests() {
		calls = append(calls, call(r.ID, question(r.Asked.Question()), r.Generated, providertest.Call{ReceivedAt: r.At, EndedAt: r.EndedAt}))
	}
	return calls
}

func call(id, question string, generated bool, c providertest.Call) providertest.Call {
	c.RequestID, c.Question = id, question
	if generated {
		c.Generation = 1
	}
	return c
}

func translate[S any](steps []providertest.Step, one func(providertest.Step) (S, error)) ([]S, error) {
	translated := make([]S, len(steps))
	for i, step := range steps {
		var err error
		if translated[i], err = one(step); err != nil {
			return nil, err
		}
	}
	return translated, nil
}

func openAIStep(step providertest.Step) (fakeopenai.Step, error) {
	switch step.Action { //nolint:exhaustive // the others are about the scripted provider's own API
	case providertest.Answer:
		// The words for the ends of answers are the same.
		return fakeopenai.Step{Text: step.Text, Bytes: step.Bytes, NoText: step.NoText, Finish: step.StopReason, Hold: step.HoldAnswer}, nil
	case providertest.CutBeforeAnswer:
		return fakeopenai.Step{Action: fakeopenai.Reset}, nil
	case providertest.CutInAnswer:
		return fakeopenai.Step{Action: fakeopenai.Cut}, nil
	case providertest.Fail:
		return fakeopenai.Step{Action: fakeopenai.Refuse, Status: step.Status, Failure: fakeopenai.Failure{Code: "rate_limit_exceeded"}, Header: retryAfter(step)}, nil
	}
	return fakeopenai.Step{}, untranslatable(step)
}

func (w words) step(step providertest.Step) (fakeprovider.Step, error) {
	switch step.Action { //nolint:exhaustive // the others are about the scripted provider's own API
	case providertest.Answer:
		reasons := map[string]string{scripted.StopContentFilter: w.filtered, scripted.StopLength: w.cutShort}
		return fakeprovider.Step{Text: step.Text, Bytes: step.Bytes, NoContent: step.NoText, StopReason: reasons[step.StopReason], Hold: step.HoldAnswer}, nil
	case providertest.CutBeforeAnswer:
		return fakeprovider.Step{Action: fakeprovider.CutBeforeAnswer}, nil
	case providertest.CutInAnswer:
		return w.cutAnswer, nil
	case providertest.Fail:
		return fakeprovider.Step{Action: fakeprovider.Fail, Failure: w.limited, Header: retryAfter(step)}, nil
	}
	return fakeprovider.Step{}, untranslatable(step)
}
