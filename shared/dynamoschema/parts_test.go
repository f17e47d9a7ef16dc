package dynamoschema

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplitTextCutsBetweenCharacters(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":           "",
		"short":           "hi",
		"exactly a part":  strings.Repeat("a", 8),
		"one byte more":   strings.Repeat("a", 9),
		"two bytes each":  strings.Repeat("é", 20),
		"three bytes":     strings.Repeat("漢", 20),
		"four bytes":      strings.Repeat("👍", 20),
		"shifted by one":  "a" + strings.Repeat("👍", 20),
		"not valid UTF-8": strings.Repeat("\x80", 40),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkParts(t, text, 8)
		})
	}
}

func checkParts(t *testing.T, text string, limit int) {
	t.Helper()
	parts := SplitText(text, limit)
	if joined := strings.Join(parts, ""); joined != text {
		t.Errorf("joined parts differ: %q, want %q", joined, text)
	}
	for i, part := range parts {
		if part == "" || len(part) > limit {
			t.Errorf("part %d has %d bytes, want 1 to %d", i, len(part), limit)
		}
		if utf8.ValidString(text) && !utf8.ValidString(part) {
			t.Errorf("part %d was cut inside a character: %q", i, part)
		}
	}
}

func FuzzSplitText(f *testing.F) {
	f.Add("a👍🏽é漢", 5)
	f.Add("", 4)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		checkParts(t, text, max(limit, utf8.UTFMax))
	})
}
