package taskflow_test

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// counts are metrics that remember how often what was counted.
type counts struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counts) Count(metric telemetry.Metric, n int, dimensions ...telemetry.Dimension) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := []string{string(metric)}
	for _, d := range dimensions {
		name = append(name, d.Value)
	}
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[strings.Join(name, " ")] += n
}

func (c *counts) Gauge(telemetry.Metric, float64, ...telemetry.Dimension) {}

// of gives the counts of the metrics with this beginning.
func (c *counts) of(prefix string) map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := maps.Clone(c.n)
	maps.DeleteFunc(found, func(name string, _ int) bool { return !strings.HasPrefix(name, prefix) })
	return found
}

func (r *rig) apply(tr worktask.Transition) {
	if _, err := r.mem.Apply(context.Background(), r.ref, tr); err != nil {
		r.t.Error(err)
	}
}

// TestRefusedWritesHaveTheirCause: operators tell workers that came too late
// from callers who changed their minds.
func TestRefusedWritesHaveTheirCause(t *testing.T) {
	t.Parallel()
	replace := func(r *rig) {
		time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		r.claimAndDie()
	}
	cancel := func(r *rig) { r.apply(worktask.Cancel{Now: time.Now()}) }
	tests := map[string]struct {
		asleep time.Duration // how long the worker is frozen in its call
		do     func(r *rig)  // in the meantime
		want   string
	}{
		"replaced": {40 * time.Second, replace, "stale"},
		"replaced, and completed by the other": {40 * time.Second, func(r *rig) {
			time.Sleep(r.timers.Lease + r.timers.SkewMargin)
			r.wantAction(r.run(), taskflow.Delete)
		}, "stale"},
		"replaced, and cancelled then": {40 * time.Second, func(r *rig) { replace(r); cancel(r) }, "stale"},
		"not replaced":                 {40 * time.Second, func(*rig) {}, "lease_over"},
		"ended at its deadline": {40 * time.Second, func(r *rig) {
			time.Sleep(r.timers.Lease + r.timers.SkewMargin)
			r.dispatcher().Dispatch(context.Background())
		}, "ended"},
		"cancelled": {5 * time.Second, cancel, "cancelled"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtually(t, worktask.RetryUnknown, func(r *rig) {
				if tt.want == "ended" {
					time.Sleep(r.timers.TaskDeadline - r.timers.LeaseReserve)
				}
				metrics := &counts{}
				sleeper := r.worker(nil)
				sleeper.Timers.RenewEvery, sleeper.Metrics = time.Hour, metrics
				r.provider.then(deaf("late", tt.asleep), answer("because", time.Second))
				var slept sync.WaitGroup
				slept.Go(func() { r.runOn(sleeper) })
				time.Sleep(time.Second / 2)
				tt.do(r)
				slept.Wait()
				want := map[string]int{"refused_writes complete " + tt.want: 1}
				if diff := cmp.Diff(want, metrics.of("refused_writes")); diff != "" {
					t.Errorf("counted (-want +got)\n%s", diff)
				}
			})
		})
	}
}

// TestRefusedRenewalHasItsCause: a cancel is noticed by the renewal, and by the
// write that follows.
func TestRefusedRenewalHasItsCause(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		metrics := &counts{}
		worker := r.worker(nil)
		worker.Metrics = metrics
		r.provider.then(answer("unwanted", 25*time.Second))
		time.AfterFunc(5*time.Second, func() { r.apply(worktask.Cancel{Now: time.Now()}) })
		r.wantAction(r.runOn(worker), taskflow.Delete)
		want := map[string]int{"refused_writes renew cancelled": 1, "refused_writes release cancelled": 1}
		if diff := cmp.Diff(want, metrics.of("refused_writes")); diff != "" {
			t.Errorf("counted (-want +got)\n%s", diff)
		}
	})
}

// TestTokensAreCounted as the provider reported them: also those of a call that
// brought nothing, and of an answer that was refused.
func TestTokensAreCounted(t *testing.T) {
	t.Parallel()
	spent := worktask.Report{Tokens: worktask.Tokens{Input: 1200, Output: 340}}
	answered := worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: "because"}, Report: spent}
	for name, tt := range map[string]struct {
		outcome worktask.Outcome
		cancel  bool
		want    map[string]int
	}{
		"saved":             {outcome: answered, want: map[string]int{"input_tokens": 1200, "output_tokens": 340}},
		"refused":           {outcome: answered, cancel: true, want: map[string]int{"input_tokens": 1200, "output_tokens": 340}},
		"declined":          {outcome: worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.Declined, Report: spent}, want: map[string]int{"input_tokens": 1200, "output_tokens": 340}},
		"to be tried again": {outcome: worktask.Outcome{Kind: worktask.Retryable, Report: worktask.Report{Tokens: worktask.Tokens{Input: 8}}}, want: map[string]int{"input_tokens": 8}},
		"nothing reported":  {outcome: worktask.Outcome{Kind: worktask.Rejected}, want: map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtually(t, worktask.RetryUnknown, func(r *rig) {
				metrics := &counts{}
				worker := r.worker(nil)
				worker.Metrics = metrics
				r.provider.then(func(context.Context, func(context.Context, string) error) worktask.Outcome {
					if tt.cancel {
						r.apply(worktask.Cancel{Now: time.Now()})
					}
					return tt.outcome
				})
				r.runOn(worker)
				got := metrics.of("input_tokens")
				maps.Copy(got, metrics.of("output_tokens"))
				if !maps.Equal(got, tt.want) {
					t.Errorf("counted %v, want %v", got, tt.want)
				}
			})
		})
	}
}
