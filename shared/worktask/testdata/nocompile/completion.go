// Package nocompile has what must not compile; see compile_test.go.
package nocompile

import (
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

var now time.Time

var _ = worktask.Complete(now, worktask.Result{}, worktask.Report{}) // no assignment

var _ = worktask.Completion{result: worktask.Result{}} // fields are not settable

var _ = worktask.Assignment{version: 7} // nor is a version

var _ worktask.Transition = worktask.Result{} // a result is no write
