package onemachine

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/replyonce/replyonce/infra/drill/broken"
	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/stack"
)

// BuildBroken builds the programs with one rule of the source taken out, for
// worlds in which drills have to fail.
func BuildBroken(ctx context.Context, root string, b broken.Build, progress func(string)) (folder string, err error) {
	if root, err = filepath.Abs(root); err != nil { // "" is the working directory
		return "", fmt.Errorf("find working directory: %w", err)
	}
	if root, err = binaries.FindRoot(root); err != nil {
		return "", fmt.Errorf("find the functions' source: %w", err)
	}
	change, err := b.Change(root)
	if err != nil {
		return "", err //nolint:wrapcheck // says what it is
	}
	folder, err = stack.Build(ctx, stack.Options{Root: root, Tags: []string{clockTag}, Change: change, Progress: progress})
	if err != nil {
		return "", fmt.Errorf("build %s for drills: %w", b.Name, err)
	}
	return folder, nil
}
