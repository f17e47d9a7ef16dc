// Package schedule invokes a function at a fixed rate, as an EventBridge rule does.
package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
)

// ErrBusy says that a tick was left out because the one before it still ran.
var ErrBusy = errors.New("the previous tick is still running")

// Invoker is the function.
type Invoker interface {
	Invoke(context.Context, lambdaruntime.Request) (lambdaruntime.Result, error)
}

// Config describes a rule.
type Config struct {
	Function  Invoker
	RuleARN   string
	AccountID string
	Region    string
	Period    time.Duration // 0 or less: no tick comes by itself
	Overlap   bool          // let ticks run at the same time
	Failed    func(error)   // gets the errors of ticks that came by themselves; may be nil
}

// Schedule is a rule at work.
type Schedule struct {
	config  Config
	cancel  context.CancelFunc
	done    sync.WaitGroup
	running chan struct{} // holds one token while a tick runs
}

// Start begins to tick, the first time after one period.
func Start(config Config) *Schedule {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Schedule{config: config, cancel: cancel, running: make(chan struct{}, 1)}
	if config.Period > 0 {
		s.done.Go(func() { s.run(ctx) })
	}
	return s
}

// Close stops ticking. A running tick is given up; the function's process ends it or finishes it.
func (s *Schedule) Close() {
	s.cancel()
	s.done.Wait()
}

// Tick invokes the function now and waits for its end. It returns [ErrBusy] when a tick is running and
// ticks must not overlap.
func (s *Schedule) Tick(ctx context.Context) error {
	if !s.config.Overlap {
		select {
		case s.running <- struct{}{}:
			defer func() { <-s.running }()
		default:
			return ErrBusy
		}
	}
	payload, err := s.event(time.Now())
	if err != nil {
		return err
	}
	if _, err := s.config.Function.Invoke(ctx, lambdaruntime.Request{Payload: payload}); err != nil {
		return fmt.Errorf("tick: %w", err)
	}
	return nil
}

func (s *Schedule) run(ctx context.Context) {
	ticker := time.NewTicker(s.config.Period)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.done.Go(func() { s.tick(ctx) })
		case <-ctx.Done():
			return
		}
	}
}

func (s *Schedule) tick(ctx context.Context) {
	err := s.Tick(ctx)
	if err == nil || errors.Is(err, ErrBusy) || ctx.Err() != nil || s.config.Failed == nil {
		return
	}
	s.config.Failed(err)
}

// event is the scheduled event:
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
func (s *Schedule) event(now time.Time) ([]byte, error) {
	payload, err := json.Marshal(events.CloudWatchEvent{
		Version:    "0",
		ID:         uuid.NewString(),
		DetailType: "Scheduled Event",
		Source:     "aws.events",
		AccountID:  s.config.AccountID,
		Time:       now.UTC().Truncate(time.Second),
		Region:     s.config.Region,
		Resources:  []string{s.config.RuleARN},
		Detail:     json.RawMessage("{}"),
	})
	if err != nil {
		return nil, fmt.Errorf("write scheduled event: %w", err)
	}
	return payload, nil
}
