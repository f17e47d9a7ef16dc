package providertest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

// ModelName is the model that the server says it uses when none was asked for.
const ModelName = "scripted-1"

// answerFor makes the answer of a step for a prompt. The same step, prompt and
// generation number give the same answer.
func answerFor(step Step, body scripted.AnswerRequest, prompt llmprovider.Prompt, generation int) scripted.AnswerDocument {
	answer := scripted.AnswerDocument{
		ID:    "ans_" + hash(body.Prompt)[:12] + "_" + strconv.Itoa(generation),
		Model: body.Model,
		Usage: scripted.Usage{InputTokens: llmprovider.EstimateTokens(string(body.Prompt))},
	}
	if answer.Model == "" {
		answer.Model = ModelName
	}
	if step.Action == NoAnswer {
		return answer
	}
	answer.StopReason = step.StopReason
	if answer.StopReason == "" {
		answer.StopReason = scripted.StopEnd
	}
	if !step.NoText {
		text := textFor(step, prompt, generation)
		answer.Text = &text
		answer.Usage.OutputTokens = llmprovider.EstimateTokens(text)
	}
	return answer
}

func textFor(step Step, prompt llmprovider.Prompt, generation int) string {
	switch {
	case step.Bytes > 0:
		return strings.Repeat("x", step.Bytes)
	case step.Text != nil:
		return strings.ReplaceAll(*step.Text, "{{generation}}", strconv.Itoa(generation))
	default:
		return fmt.Sprintf("Scripted answer to “%s”, from “%s”, version %d, with %d earlier turns.",
			prompt.Question, prompt.Document.Title, prompt.Document.Version, len(prompt.History))
	}
}
