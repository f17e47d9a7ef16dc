package rates

import (
	"context"
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// saved follows the workers' log until every task has its reply.
type saved struct {
	want int
	done chan struct{} // closed when all are saved, or one was saved twice

	mu    sync.Mutex
	tasks map[string]struct{}
	twice string // the first task that was
}

func newSaved(want int) *saved {
	return &saved{want: want, done: make(chan struct{}), tasks: make(map[string]struct{}, want)}
}

func (s *saved) observe(line supervisor.Line) {
	if line.Message != "reply saved" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.twice != "" || len(s.tasks) == s.want {
		return
	}
	task := line.String(telemetry.KeyTaskID)
	if _, again := s.tasks[task]; again {
		s.twice = task
		close(s.done)
		return
	}
	s.tasks[task] = struct{}{}
	if len(s.tasks) == s.want {
		close(s.done)
	}
}

func (s *saved) wait(ctx context.Context) error {
	select {
	case <-s.done:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.twice != "":
		return fmt.Errorf("task %s was saved twice", s.twice)
	case len(s.tasks) < s.want:
		return fmt.Errorf("%d of %d tasks are saved: %w", len(s.tasks), s.want, context.Cause(ctx))
	}
	return nil
}
