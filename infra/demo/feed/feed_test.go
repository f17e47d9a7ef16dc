package feed_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/infra/demo/feed"
)

func TestWaitFindsWhatIsThereAndWhatComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := feed.New[int]()
		f.Add(1)
		f.Add(2)
		even := func(n int) bool { return n%2 == 0 }
		if got, err := f.Wait(t.Context(), even); got != 2 || err != nil {
			t.Errorf("got %d, %v, want 2", got, err)
		}
		time.AfterFunc(time.Minute, func() { f.Add(7) })
		if got, err := f.Wait(t.Context(), func(n int) bool { return n > 2 }); got != 7 || err != nil {
			t.Errorf("got %d, %v, want 7", got, err)
		}
		if got := f.All(); len(got) != 3 {
			t.Errorf("all are %v", got)
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := errors.New("too late")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, late)
		defer cancel()
		if _, err := feed.New[int]().Wait(ctx, func(int) bool { return true }); !errors.Is(err, late) {
			t.Errorf("err = %v", err)
		}
	})
}
