package fakeopenai

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// reply is what the model produced in a step.
type reply struct {
	id, model string
	created   int64
	text      string
	step      Step
	input     int // tokens
	output    int
	maxTokens int
}

func (s *Server) reply(j job, step Step, number int) reply {
	j.asked.Generation = number
	r := reply{
		id: fmt.Sprintf("fake%06d", number), model: j.asked.Model, created: s.options.Now().Unix(),
		text: s.text(j.asked, step), step: step, maxTokens: j.maxTokens,
		input: llmprovider.Chat{System: j.asked.System, Turns: j.asked.Turns}.EstimateTokens(),
	}
	if step.Fails {
		all := fakewire.Pieces(r.text, max(step.Pieces, 1))
		r.text = strings.Join(all[:min(step.Pieces, len(all))], "")
	}
	r.output = llmprovider.EstimateTokens(r.text + step.Refusal)
	return r
}

func (s *Server) text(asked Asked, step Step) string {
	switch {
	case step.NoText || step.NoChoices || step.Refusal != "":
		return ""
	case step.Bytes > 0:
		return strings.Repeat("x", step.Bytes)
	case step.Text != nil:
		return strings.ReplaceAll(*step.Text, "{{generation}}", strconv.Itoa(asked.Generation))
	case s.options.Reply != nil:
		return s.options.Reply(asked)
	}
	return fmt.Sprintf("Answer %d to “%s”.", asked.Generation, strings.TrimPrefix(lastLine(asked.Question()), "Question:"))
}

func lastLine(text string) string {
	return text[strings.LastIndexByte(strings.TrimRight(text, "\n"), '\n')+1:]
}

// hasText says whether there is a message at all.
func (r reply) hasText() bool { return !r.step.NoText && !r.step.NoChoices }

// streamPieces is in how many pieces a text is streamed.
const streamPieces = 3
