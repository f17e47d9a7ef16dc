package taskflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// ReadResult gives the body of a saved result, wherever it is kept. A large one
// is handed out only if it is what the completion saved; one that is missing or
// differs is storeerror.ErrCorrupt.
func ReadResult(ctx context.Context, objects Objects, saved worktask.Result) (string, error) {
	if saved.ObjectKey == "" {
		return saved.Body, nil
	}
	object, err := objects.GetObject(ctx, saved.ObjectKey)
	if errors.Is(err, storeerror.ErrNotFound) {
		return "", fmt.Errorf("object %s is missing: %w", saved.ObjectKey, storeerror.ErrCorrupt)
	}
	if err != nil {
		return "", fmt.Errorf("read object %s: %w", saved.ObjectKey, err)
	}
	body := string(object)
	if int64(len(body)) != saved.Bytes || digest(body) != saved.SHA256 {
		return "", fmt.Errorf("object %s: %w", saved.ObjectKey, storeerror.ErrCorrupt)
	}
	return body, nil
}

// digest is the SHA-256 of a body in hexadecimal.
func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}
