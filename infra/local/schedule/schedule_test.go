package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
)

type function func(context.Context, []byte) error

func (f function) Invoke(ctx context.Context, req lambdaruntime.Request) (lambdaruntime.Result, error) {
	return lambdaruntime.Result{}, f(ctx, req.Payload)
}

const rule = "arn:aws:events:us-east-1:000000000000:rule/dispatch"

func TestTicksComeAtTheirRateWithTheDocumentedEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		arrived := make(chan events.CloudWatchEvent, 10)
		s := Start(Config{
			Period: 10 * time.Second, RuleARN: rule, AccountID: "000000000000", Region: "us-east-1",
			Function: function(func(_ context.Context, payload []byte) error {
				var event events.CloudWatchEvent
				if err := json.Unmarshal(payload, &event); err != nil {
					t.Error(err)
				}
				arrived <- event
				return nil
			}),
		})
		defer s.Close()
		begun := time.Now()
		time.Sleep(25 * time.Second)
		synctest.Wait()
		if len(arrived) != 2 {
			t.Fatalf("%d ticks in 25 s", len(arrived))
		}
		first, tick := <-arrived, <-arrived
		if tick.DetailType != "Scheduled Event" || tick.Source != "aws.events" || tick.Resources[0] != rule ||
			!tick.Time.Equal(begun.Add(20*time.Second)) || string(tick.Detail) != "{}" || tick.ID == first.ID {
			t.Errorf("event %+v", tick)
		}
	})
}

func TestTicksDoNotOverlap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most, total atomic.Int64
		slow := function(func(context.Context, []byte) error {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(2500 * time.Millisecond)
			running.Add(-1)
			total.Add(1)
			return nil
		})
		s := Start(Config{Period: time.Second, Function: slow})
		time.Sleep(9900 * time.Millisecond)
		s.Close()
		if most.Load() != 1 || total.Load() != 3 {
			t.Errorf("%d at a time, %d in all", most.Load(), total.Load())
		}
		overlapping := Start(Config{Period: time.Second, Function: slow, Overlap: true})
		time.Sleep(9900 * time.Millisecond)
		overlapping.Close()
		if most.Load() != 3 {
			t.Errorf("%d at a time when they may overlap", most.Load())
		}
	})
}

func TestTickByHand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		release := make(chan struct{})
		s := Start(Config{Function: function(func(context.Context, []byte) error {
			<-release
			return broken
		})})
		defer s.Close()
		done := make(chan error, 1)
		go func() { done <- s.Tick(t.Context()) }()
		synctest.Wait()
		if err := s.Tick(t.Context()); !errors.Is(err, ErrBusy) {
			t.Errorf("second tick: %v", err)
		}
		close(release)
		if err := <-done; !errors.Is(err, broken) {
			t.Errorf("tick: %v", err)
		}
	})
}

func TestFailedTickIsReportedAndTheNextComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failures atomic.Int64
		s := Start(Config{
			Period:   time.Second,
			Function: function(func(context.Context, []byte) error { return errors.New("broken") }),
			Failed:   func(error) { failures.Add(1) },
		})
		time.Sleep(2500 * time.Millisecond)
		s.Close()
		if failures.Load() != 2 {
			t.Errorf("%d failures", failures.Load())
		}
	})
}
