package fakeopenai

import (
	"bytes"
	"net/http"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// completion is a chat completion as the API description has it.
type completion struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []choice     `json:"choices"`
	Usage   *usage       `json:"usage,omitzero"`
	Error   *errorObject `json:"error,omitzero"` // no part of the description; gateways do it
}

type choice struct {
	Index        int            `json:"index"`
	Message      *choiceMessage `json:"message,omitzero"`
	Delta        *delta         `json:"delta,omitzero"`
	Logprobs     *struct{}      `json:"logprobs"`
	FinishReason *string        `json:"finish_reason"`
}

type choiceMessage struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`
}

type delta struct {
	Role    string  `json:"role,omitzero"`
	Content *string `json:"content,omitzero"`
	Refusal *string `json:"refusal,omitzero"`
}

type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

func (s *Server) serveChat(w http.ResponseWriter, r *http.Request) {
	x := s.begin(w, r, KindChat)
	x.serveWork(readChatRequest, func(j job, number int, step Step) {
		x.perform(step, chatAnswer(s.reply(j, step, number), j))
	})
}

// finish is why the model stopped, in the words of Chat Completions.
func (r reply) finish() *string {
	reason := r.step.Finish
	switch reason {
	case "-":
		return nil
	case "":
		reason = "stop"
	}
	return &reason
}

func chatAnswer(r reply, j job) answer {
	if j.stream {
		return answer{mediaStream, chatStream(r, j)}
	}
	if r.step.Fails {
		object := r.step.Failure.object(http.StatusOK)
		return jsonAnswer(completion{Error: &object})
	}
	c := r.completion("chat.completion")
	if !r.step.NoChoices {
		message := choiceMessage{Role: "assistant", Refusal: orNull(r.step.Refusal)}
		if r.hasText() && r.step.Refusal == "" {
			message.Content = &r.text
		}
		c.Choices = []choice{{Message: &message, FinishReason: r.finish()}}
	}
	if !r.step.NoUsage {
		c.Usage = r.usage()
	}
	return jsonAnswer(c)
}

func (r reply) completion(object string) completion {
	return completion{ID: "chatcmpl-" + r.id, Object: object, Created: r.created, Model: r.model, Choices: []choice{}}
}

func (r reply) usage() *usage {
	return &usage{PromptTokens: r.input, CompletionTokens: r.output, TotalTokens: r.input + r.output}
}

func chatStream(r reply, j job) []byte {
	var b bytes.Buffer
	chunk := func(d delta, finish *string) {
		c := r.completion("chat.completion.chunk")
		c.Choices = []choice{{Delta: &d, FinishReason: finish}}
		writeEvent(&b, "", fakewire.Encode(c))
	}
	empty := ""
	if !r.step.NoChoices && (!r.step.Fails || r.step.Pieces > 0) {
		chunk(delta{Role: "assistant", Content: &empty}, nil)
	}
	for _, piece := range fakewire.Pieces(r.text, max(streamPieces, r.step.Pieces)) {
		chunk(delta{Content: &piece}, nil)
	}
	if r.step.Refusal != "" {
		chunk(delta{Refusal: &r.step.Refusal}, nil)
	}
	if r.step.Fails {
		writeEvent(&b, "", fakewire.Encode(errorDocument{r.step.Failure.object(http.StatusOK)}))
		return b.Bytes()
	}
	if !r.step.NoChoices && r.finish() != nil {
		chunk(delta{}, r.finish())
	}
	if j.includeUsage && !r.step.NoUsage {
		last := r.completion("chat.completion.chunk")
		last.Usage = r.usage()
		writeEvent(&b, "", fakewire.Encode(last))
	}
	if !r.step.NoEnd {
		writeEvent(&b, "", []byte("[DONE]"))
	}
	return b.Bytes()
}

// writeEvent appends one event of a stream (WHATWG HTML, server-sent events).
func writeEvent(b *bytes.Buffer, name string, data []byte) {
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString("\n\n")
}
