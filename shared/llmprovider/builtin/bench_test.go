package builtin_test

import (
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
)

// BenchmarkCall answers from the largest document that the product takes.
func BenchmarkCall(b *testing.B) {
	const mebibyte = 1 << 20
	for name, text := range map[string]string{
		"english":         sampleText(b),
		"accents":         "Über die Änderung beschließt das Präsidium. Le comité décide à la majorité. ",
		"chinese":         "委员会由五名成员组成。每项决定由多数票通过。",
		"short items":     "\n1. a b",
		"one long line":   "words without an end ",
		"one long word":   "aé",
		"only full stops": ". ",
		"headings":        "\n\n# Title of a section\n\nText.",
	} {
		b.Run(name, func(b *testing.B) {
			request := llmprovider.Request{Prompt: llmprovider.Prompt{
				Question: "Who decides, and by which majority?",
				Document: llmprovider.DocumentText{Title: "Big", Text: strings.Repeat(text, mebibyte/len(text))},
			}}
			b.SetBytes(int64(len(request.Prompt.Document.Text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := builtin.New().Call(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
