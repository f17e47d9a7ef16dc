package texttable_test

import (
	"testing"

	"github.com/replyonce/replyonce/infra/local/texttable"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	got := texttable.Format([][]string{{"what", "count", "seen"}, {"né", "7", "✓"}, {"longer", "12.5", "✗"}})
	want := "what    count  seen\n──────  ─────  ────\nné          7  ✓\nlonger   12.5  ✗\n"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if got := texttable.Format(nil); got != "" {
		t.Errorf("no rows give %q", got)
	}
}
