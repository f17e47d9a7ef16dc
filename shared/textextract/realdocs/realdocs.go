// Package realdocs gives tests and measurements the real documents that lie
// outside the project. Where they are missing, tests skip.
package realdocs

import (
	"fmt"
	"os"
	"path/filepath"
)

// FindDir is the folder of the documents: shared/data beside the module that dir
// lies in. It is an error when there is none.
func FindDir(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			data := filepath.Join(filepath.Dir(at), "shared", "data")
			if _, err := os.Stat(data); err != nil {
				return "", fmt.Errorf("find real documents: %w", err)
			}
			return data, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("find real documents: no module around %s", dir)
		}
	}
}

// tester is a testing.TB, by the methods that are used here.
type tester interface {
	Helper()
	Skipf(format string, arguments ...any)
	Fatalf(format string, arguments ...any)
}

// Read is the content of a document; the test skips where the folder is missing.
func Read(t tester, name string) []byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("find working directory: %v", err)
	}
	data, err := FindDir(dir)
	if err != nil {
		t.Skipf("the real documents lie outside the project: %v", err)
		return nil
	}
	content, err := os.ReadFile(filepath.Join(data, name)) //nolint:gosec // names are those of tests
	if err != nil {
		t.Fatalf("read document: %v", err)
	}
	return content
}
