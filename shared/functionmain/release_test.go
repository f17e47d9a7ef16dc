package functionmain_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// mark stands in every build whose clock can be set wrong, and in no other.
const mark = "REPLYONCE_DRILL_CLOCK"

// TestReleasesHaveTheRealClock builds the worker as releases are built, and once
// more as drills are.
func TestReleasesHaveTheRealClock(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipping a test that builds the worker twice")
	}
	for tags, want := range map[string]bool{"lambda.norpc": false, "lambda.norpc,drillclock": true} {
		out := filepath.Join(t.TempDir(), "bootstrap")
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags", tags, "-ldflags", "-s -w", "-o", out, "../../functions/worker")
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build with the tags %s: %v\n%s", tags, err, text)
		}
		binary, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(binary, []byte(mark)) != want {
			t.Errorf("built with the tags %s, the worker's clock can be set wrong: %t, want %t", tags, !want, want)
		}
	}
}
