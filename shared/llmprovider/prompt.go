package llmprovider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// promptSchema numbers the shape of Encode's bytes. It grows when the shape
// changes, so that a prompt hash from an older build is never taken for a
// difference in content.
const promptSchema = 1

// Prompt is what a model is asked. It is a pure function of what the task
// stored at accept: no clock, no random number, nothing read later.
type Prompt struct {
	// Instruction is the system instruction of the prompt version.
	Instruction string `json:"instruction"`
	// Document is the text that the question is about.
	Document DocumentText `json:"document"`
	// History holds the earlier turns that the asker chose, oldest first.
	History []Turn `json:"history"`
	// Question is the asker's text, exactly as typed.
	Question string `json:"question"`
	// Version is the prompt version: the wording and arrangement used.
	Version int `json:"prompt_version"`
}

// DocumentText is one version of a document.
type DocumentText struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Version int    `json:"version"`
	Text    string `json:"text"`
}

// Turn is an earlier question with its saved answer.
type Turn struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

type encodedPrompt struct {
	Schema int `json:"schema"`
	Prompt `json:",inline"`
}

// Encode returns the canonical bytes of the prompt: one JSON object with its
// members in a fixed order. Equal prompts give equal bytes, and a nil history
// equals an empty one. The bytes are valid UTF-8 whatever the texts hold: a byte
// that is not becomes U+FFFD, because one odd message in the history must not
// make a provider refuse every later request of that conversation.
func (p Prompt) Encode() []byte {
	encoded, err := json.Marshal(encodedPrompt{Schema: promptSchema, Prompt: p},
		json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		// Strings and integers in plain structs always marshal; only a change of
		// the types above can get here, and the tests would show it.
		panic(fmt.Sprintf("encode prompt: %v", err))
	}
	return encoded
}

// Hash returns the SHA-256 of Encode in lower-case hexadecimal. It identifies a
// prompt in logs without showing any of it.
func (p Prompt) Hash() string {
	sum := sha256.Sum256(p.Encode())
	return hex.EncodeToString(sum[:])
}
