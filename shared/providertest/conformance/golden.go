package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares the bytes of a request with those in a file of testdata. They belong
// to the prompt version: a release that sends other bytes for a task that was accepted
// before it breaks "the same at every attempt". An SDK that writes them in another
// order shows here too.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != strings.TrimSuffix(string(want), "\n") {
		t.Errorf("%s\n got %s\nwant %s", path, got, want)
	}
}
