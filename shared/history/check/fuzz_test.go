package check_test

import (
	"bytes"
	"testing"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
)

// FuzzCheck: whatever reads as a history gets verdicts, and never a panic.
func FuzzCheck(f *testing.F) {
	for _, play := range []func(*script){answered, replaced, lostEverything, overAndCancelled} {
		s := newScript(f)
		play(s)
		var file bytes.Buffer
		if _, err := s.r.History().WriteTo(&file); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := history.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		if _, err := check.Check(h, check.Options{Steps: 500}); err != nil {
			t.Fatal(err)
		}
	})
}
