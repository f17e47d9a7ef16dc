package telemetry_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/telemetry"
)

func FuzzParseLevel(f *testing.F) {
	f.Add("info")
	f.Fuzz(func(t *testing.T, text string) {
		level, err := telemetry.ParseLevel(text)
		if err != nil {
			return
		}
		if again, err := telemetry.ParseLevel(level.String()); err != nil || again != level {
			t.Errorf("%q is %v, and that is %v: %v", text, level, again, err)
		}
	})
}
