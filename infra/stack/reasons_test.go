package stack

import (
	"testing"

	"github.com/replyonce/replyonce/shared/worktask"
)

func TestEveryReasonHasAConcern(t *testing.T) {
	t.Parallel()
	for _, reason := range worktask.Reasons() {
		if concerns[reason] == "" {
			t.Errorf("%s concerns nobody: no alarm would tell", reason)
		}
	}
	if len(concerns) != len(worktask.Reasons()) {
		t.Errorf("%d reasons have a concern, there are %d", len(concerns), len(worktask.Reasons()))
	}
}
