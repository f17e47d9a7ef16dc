package document

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/replyonce/replyonce/shared/inputcheck"
)

// Limits of a document.
const (
	MaxTitleCharacters = 200
	MaxTextBytes       = 1 << 20 // UTF-8
)

func checkTitle(title string) error { return inputcheck.Line("title", title, MaxTitleCharacters) }

func checkText(text string) error {
	if err := inputcheck.Text("text", text, MaxTextBytes, inputcheck.CodeDocumentTooLarge); err != nil {
		return err
	}
	return inputcheck.TextFile("text", text)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
