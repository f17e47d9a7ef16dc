package scripted

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// documentFromStream joins the lines of a streamed answer. Half an answer is
// never taken for a whole one: without its end line the stream is Ambiguous. An
// error line before any text counts as what its type says. After text the model
// has run, so a refusal can no longer mean "not executed" and becomes Ambiguous.
func documentFromStream(body []byte) (AnswerDocument, error) {
	var text strings.Builder
	for raw := range bytes.Lines(body) {
		var line StreamLine
		if err := json.Unmarshal(raw, &line); err != nil {
			return AnswerDocument{}, unreadable(fmt.Sprintf("stream line: %v", err))
		}
		switch line.Line {
		case LinePiece:
			text.WriteString(line.Text)
		case LineEnd:
			whole := text.String()
			return AnswerDocument{
				ID: line.ID, Model: line.Model, Text: &whole, StopReason: line.StopReason, Usage: line.Usage,
			}, nil
		case LineError:
			return AnswerDocument{}, streamError(line.Error, text.Len() > 0)
		default:
			return AnswerDocument{}, unreadable("stream line of an unknown kind")
		}
	}
	return AnswerDocument{}, unreadable("stream ended without its last line")
}

func streamError(detail *ErrorDetail, afterText bool) *llmprovider.Error {
	if detail == nil {
		return unreadable("stream error without details")
	}
	failure := errorFromDetail(*detail)
	if afterText && failure.Kind == llmprovider.Rejected {
		failure.Kind = llmprovider.Ambiguous
	}
	return failure
}
