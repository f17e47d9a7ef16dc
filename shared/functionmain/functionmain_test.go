package functionmain_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/functionmain"
)

func TestRemaining(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		if got := functionmain.Remaining(t.Context()); got != 0 {
			t.Errorf("outside a runtime %s remain, want none", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		time.Sleep(10 * time.Second)
		if got := functionmain.Remaining(ctx); got != 50*time.Second {
			t.Errorf("%s remain, want 50s", got)
		}
	})
}
