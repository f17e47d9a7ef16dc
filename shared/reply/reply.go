// Package reply is the kind of task that answers one message: its input and its
// result. The prompt, a pure function of what was stored at accept, is made by
// package replywork, which makes the call too.
//
// The five answers that each kind of task owes:
//
//   - What is the same work? One message and one press of Send or Regenerate: the
//     task that the idempotency record points to. Never the prompt's text, or a
//     wanted second answer would be taken for a retry.
//   - Which repeated effect hurts? A second reply in the conversation. A second
//     call of the provider costs money and is bounded and shown.
//   - Where is it decided atomically? In the completion of the task item.
//   - What can be recovered? An operation whose id the provider documents to
//     keep; nothing else.
//   - Which is worse when unsure? By default no reply is worse than one more
//     call; a deployment may decide the other way.
package reply

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the task kind's name.
const Kind = "reply"

// PromptVersion is the version of the rule that makes a prompt. It is stored at
// accept: a task that was accepted under an older rule is answered under it.
const PromptVersion = 2

// Input is what a reply task works on. Everything else hangs on the message,
// which never changes.
type Input struct {
	Message       string `json:"message"` // id of the message in the task's conversation
	PromptVersion int    `json:"prompt"`
	Model         string `json:"model,omitzero"`
}

// Encode gives the task's stored input.
func (in Input) Encode() string { return encode(in) }

// DecodeInput reads what Encode wrote.
func DecodeInput(s string) (Input, error) {
	var in Input
	if err := json.Unmarshal([]byte(s), &in); err != nil {
		return Input{}, fmt.Errorf("decode input of a reply task: %w", err)
	}
	if in.Message == "" || in.PromptVersion < 1 {
		return Input{}, fmt.Errorf("decode input of a reply task: message or prompt version is missing")
	}
	return in, nil
}

// Result is a saved reply.
type Result struct {
	Text          string `json:"text"` // never empty
	CutShort      bool   `json:"cut_short,omitzero"`
	Provider      string `json:"provider"`
	Model         string `json:"model,omitzero"`
	LanguageModel bool   `json:"language_model,omitzero"`
}

// Encode gives the task's result body.
func (r Result) Encode() string { return encode(r) }

// DecodeResult reads what Encode wrote.
func DecodeResult(s string) (Result, error) {
	var r Result
	if err := json.Unmarshal([]byte(s), &r); err != nil {
		return Result{}, fmt.Errorf("decode result of a reply task: %w", err)
	}
	return r, nil
}

// encode writes our own structs of texts and numbers, which cannot fail. What
// is no UTF-8 becomes U+FFFD; nothing else is escaped than JSON asks for.
func encode(v any) string {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return string(b)
}
