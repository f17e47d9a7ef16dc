package dispatchhandler_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/shared/dispatchhandler"
	"github.com/replyonce/replyonce/shared/taskflow"
)

// counted counts sweeps.
type counted struct{ sweeps *int }

func (c counted) Dispatch(context.Context) taskflow.Sweep {
	*c.sweeps++
	return taskflow.Sweep{}
}

// FuzzTick feeds whole events of the schedule to the handler: what is an event
// makes one sweep, what is none makes none.
func FuzzTick(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		sweeps := 0
		h := dispatchhandler.Handler{
			Dispatcher: counted{&sweeps}, Remaining: func(context.Context) time.Duration { return time.Minute }, Reserve: time.Second,
		}
		_, err := lambda.NewHandler(h.Handle).Invoke(t.Context(), payload)
		if want := map[bool]int{true: 1, false: 0}[err == nil]; sweeps != want {
			t.Errorf("%d sweeps, and the error is %v", sweeps, err)
		}
	})
}
