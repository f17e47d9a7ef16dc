package rates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/local/stack"
)

// Tasks is how many tasks are queued before the workers begin.
const Tasks = 2000

const (
	fillers    = 8                // submits at a time
	drainLimit = 60 * time.Second // for one drain
)

// Drain is how fast worker processes emptied the queue.
type Drain struct {
	Workers int           `json:"workers"`
	Tasks   int           `json:"tasks"`
	Took    time.Duration `json:"took_ns"`
	// PerSecond is tasks saved per second.
	PerSecond float64 `json:"tasks_per_second"`
	// Bare is how many tasks per second their DynamoDB requests alone came to,
	// sent bare at the same concurrency to the same table just before.
	Bare float64 `json:"bare_tasks_per_second"`
	// Writes is how many conditional writes of small items per second the same
	// emulator took just before.
	Writes float64 `json:"bare_writes_per_second"`
}

// MeasureDrain starts a stack with that many workers, queues the tasks while
// nothing is delivered, and then lets the workers have them. The provider is the
// built-in one on a text of one sentence, which takes next to no time.
func MeasureDrain(ctx context.Context, workers int, progress func(string)) (Drain, error) {
	gate := make(chan struct{})
	saved := newSaved(Tasks)
	s, err := stack.Start(ctx, stack.Options{
		Workers: workers, APIs: 1, NoFaults: true, Progress: progress, Observe: saved.observe,
		Hold: func(ctx context.Context, _ []types.Message) {
			select {
			case <-gate:
			case <-ctx.Done():
			}
		},
	})
	if err != nil {
		return Drain{}, fmt.Errorf("start the stack: %w", err)
	}
	d := Drain{Workers: workers, Tasks: Tasks}
	err = d.measure(ctx, s, saved, func() { close(gate) })
	return d, errors.Join(err, s.Close()) //nolint:contextcheck // what was started is stopped, whatever has ended
}

func (d *Drain) measure(ctx context.Context, s *stack.Stack, saved *saved, open func()) (err error) {
	subject, err := newSubject(ctx, s.DirectAWSConfig(), stack.Table, s.QueueURL(), nil)
	if err != nil {
		return err
	}
	// Past the gateway, which is not what is measured.
	err = each(ctx, fillers, d.Tasks, func(ctx context.Context, _ int) error {
		_, err := subject.submit(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("queue the tasks: %w", err)
	}
	if d.Writes, err = writesPerSecond(ctx, s.DirectAWSConfig(), "bench-writes"); err != nil {
		return fmt.Errorf("measure bare writes: %w", err)
	}
	if d.Bare, err = bareTasksPerSecond(ctx, subject, d.Workers*s.BatchSize()); err != nil {
		return fmt.Errorf("measure bare requests: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, drainLimit, fmt.Errorf("the queue was not empty after %s", drainLimit))
	defer cancel()
	begun := time.Now()
	open()
	if err := saved.wait(ctx); err != nil {
		return err
	}
	d.Took = time.Since(begun)
	d.PerSecond = float64(d.Tasks) / d.Took.Seconds()
	return nil
}
