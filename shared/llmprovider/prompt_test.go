package llmprovider_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

func samplePrompt() llmprovider.Prompt {
	return llmprovider.Prompt{
		Instruction: "Answer from the document.",
		Document:    llmprovider.DocumentText{ID: "01JDOC", Title: "Bylaws <draft>", Version: 3, Text: "§1 Café & bar\n"},
		History:     []llmprovider.Turn{{Question: "Who?", Answer: "The board."}},
		Question:    "When?",
		Version:     2,
	}
}

func TestPromptEncodeIsCanonical(t *testing.T) {
	t.Parallel()
	const want = `{"schema":1,"instruction":"Answer from the document.",` +
		`"document":{"id":"01JDOC","title":"Bylaws <draft>","version":3,"text":"§1 Café & bar\n"},` +
		`"history":[{"question":"Who?","answer":"The board."}],"question":"When?","prompt_version":2}`
	if got := string(samplePrompt().Encode()); got != want {
		t.Errorf("Encode\n got %s\nwant %s", got, want)
	}
}

func TestPromptEncodeTreatsNilAndEmptyHistoryAlike(t *testing.T) {
	t.Parallel()
	without, empty := samplePrompt(), samplePrompt()
	without.History, empty.History = nil, []llmprovider.Turn{}
	if without.Hash() != empty.Hash() {
		t.Errorf("nil history %s, empty history %s", without.Encode(), empty.Encode())
	}
}

func TestPromptHashSeesEveryPart(t *testing.T) {
	t.Parallel()
	base := samplePrompt().Hash()
	changes := map[string]func(*llmprovider.Prompt){
		"instruction":      func(p *llmprovider.Prompt) { p.Instruction += " " },
		"document id":      func(p *llmprovider.Prompt) { p.Document.ID += "x" },
		"document title":   func(p *llmprovider.Prompt) { p.Document.Title += "x" },
		"document version": func(p *llmprovider.Prompt) { p.Document.Version++ },
		"document text":    func(p *llmprovider.Prompt) { p.Document.Text += "\n" },
		"history":          func(p *llmprovider.Prompt) { p.History = nil },
		"question":         func(p *llmprovider.Prompt) { p.Question = "Cafe\u0301" },
		"composed form":    func(p *llmprovider.Prompt) { p.Question = "Caf\u00e9" },
		"prompt version":   func(p *llmprovider.Prompt) { p.Version++ },
	}
	seen := map[string]string{base: "unchanged"}
	for name, change := range changes {
		prompt := samplePrompt()
		change(&prompt)
		if other, taken := seen[prompt.Hash()]; taken {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[prompt.Hash()] = name
	}
}

// One odd message must not spoil every later request of its conversation.
func TestCaseM8PromptIsValidUTF8WhateverTheHistoryHolds(t *testing.T) {
	t.Parallel()
	prompt := samplePrompt()
	prompt.History[0].Answer = "torn \xf0\x9f\x91"
	prompt.Document.Text = "\xff"
	encoded := prompt.Encode()
	if !utf8.Valid(encoded) {
		t.Fatalf("encoded prompt is not UTF-8: %q", encoded)
	}
	var decoded llmprovider.Prompt
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		t.Fatalf("a strict reader refuses the prompt: %v", err)
	}
	if !strings.HasPrefix(decoded.History[0].Answer, "torn \uFFFD") {
		t.Errorf("answer = %q", decoded.History[0].Answer)
	}
}

func FuzzPromptEncode(f *testing.F) {
	f.Add("title", "text", "question", "answer")
	f.Add("\x00", "\xff\xfe", "\u2028</script>", "👍🏽\xed\xa0\x80")
	f.Fuzz(func(t *testing.T, title, text, question, answer string) {
		prompt := llmprovider.Prompt{
			Document: llmprovider.DocumentText{Title: title, Text: text},
			History:  []llmprovider.Turn{{Question: question, Answer: answer}},
			Question: question,
		}
		encoded := prompt.Encode()
		var decoded llmprovider.Prompt
		if err := json.Unmarshal(encoded, &decoded); err != nil {
			t.Fatalf("a strict reader refuses %q: %v", encoded, err)
		}
		if again := decoded.Encode(); string(again) != string(encoded) {
			t.Fatalf("not stable:\n%q\n%q", encoded, again)
		}
		if utf8.ValidString(question) && decoded.Question != question {
			t.Fatalf("question changed from %q to %q", question, decoded.Question)
		}
	})
}
