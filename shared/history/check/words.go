package check

import (
	"fmt"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// counted says how a count moved.
func counted(what string, before, after int) string {
	return fmt.Sprintf("moved the %s left from %d to %d", what, before, after)
}

// ended reports whether a caller is shown an end.
func ended(v history.View) bool { return worktask.Status(v.Status).Ended() }
