package builtin_test

import (
	"os"
	"testing"
)

// sampleText is a small document of ours in the manner of real ones: wrapped and
// indented lines, headings that touch the paragraph above, nested lists with
// numbers aligned to the right.
func sampleText(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile("testdata/bylaws.txt")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}
