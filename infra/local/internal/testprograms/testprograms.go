// Package testprograms builds programs for tests of the one-machine stack.
package testprograms

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/emulator"
)

// Dir is a folder in which all functions are the test function, beside the emulator. It is for
// TestMain, which has no cleanup of its own: remove is to be called at the end.
func Dir() (dir string, remove func(), err error) {
	root, err := findRoot()
	if err != nil {
		return "", nil, err
	}
	built := filepath.Join(root, "dist", "local")
	err = binaries.Build(context.Background(), binaries.Options{
		Root: root, Out: built, Packages: []string{"./infra/local/internal/testlambda", emulator.Package},
	})
	if err != nil {
		return "", nil, fmt.Errorf("build test programs: %w", err)
	}
	dir, err = os.MkdirTemp("", "replyonce-programs-")
	if err != nil {
		return "", nil, fmt.Errorf("make folder for test programs: %w", err)
	}
	remove = func() { _ = os.RemoveAll(dir) }
	for name, program := range map[string]string{
		"api": "testlambda", "authorizer": "testlambda", "worker": "testlambda", "indexer": "testlambda",
		"dispatcher": "testlambda", "emulator": "emulator",
	} {
		err = errors.Join(err,
			os.MkdirAll(filepath.Join(dir, name), 0o750),
			os.Symlink(binaries.Path(built, program), binaries.Path(dir, name)))
	}
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("link test programs: %w", err)
	}
	return dir, remove, nil
}

func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find working directory: %w", err)
	}
	root, err := binaries.FindRoot(dir)
	if err != nil {
		return "", fmt.Errorf("find source: %w", err)
	}
	return root, nil
}
