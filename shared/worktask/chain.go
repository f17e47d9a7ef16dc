package worktask

import (
	"fmt"
	"strings"
	"time"
)

// Term is one timer or count with its value.
type Term struct {
	Name  string // as in the rules: "task_deadline", "attempts"
	Value any    // time.Duration or int
}

// ChainError is a broken link of the chain of timers.
type ChainError struct {
	Profile string
	Rule    string
	Of      []Term // what the rule compares, with the values that break it
}

func (e *ChainError) Error() string {
	values := make([]string, len(e.Of))
	for i, term := range e.Of {
		values[i] = fmt.Sprintf("%s %v", term.Name, term.Value)
	}
	return fmt.Sprintf("timer profile %q: %s (%s)", e.Profile, e.Rule, strings.Join(values, ", "))
}

// CheckRetention checks the timers against a provider that keeps operations for
// so long; zero is one that keeps none or does not say. An operation that was
// saved by a worker that died is looked at by the dispatcher's next tick after the
// lease, and by a look of its own that may wait for the longest backoff: either
// must come while the provider still knows it, with one tick to spare. The error
// is a [*ChainError].
func (t Timers) CheckRetention(retention time.Duration) error {
	if retention == 0 {
		return nil
	}
	kept := Term{"lookup_retention", retention}
	for _, link := range []link{
		{
			"lookup_retention must be at least 2 x (lease + skew_margin + dispatch_every)", retention >= 2*t.RecoveryInterval(),
			append([]Term{kept}, t.terms("lease", "skew_margin", "dispatch_every")...),
		},
		{
			"lookup_retention must be at least backoff_limit + handoff_grace + dispatch_every",
			retention >= t.BackoffLimit+t.HandoffGrace+t.DispatchEvery,
			append([]Term{kept}, t.terms("backoff_limit", "handoff_grace", "dispatch_every")...),
		},
	} {
		if !link.holds {
			return &ChainError{Profile: t.Profile, Rule: link.rule, Of: link.of}
		}
	}
	return nil
}

type link struct {
	rule  string
	holds bool
	of    []Term
}

func (t Timers) chain() []link {
	idle := t.notPositive()
	return []link{
		{"every duration and count must be positive", len(idle) == 0, idle},
		{"renew_every must be at most a third of lease", 3*t.RenewEvery <= t.Lease, t.terms("renew_every", "lease")},
		{
			"skew_margin + lease_reserve must be shorter than lease - renew_every", t.SkewMargin+t.LeaseReserve < t.Lease-t.RenewEvery,
			t.terms("skew_margin", "lease_reserve", "lease", "renew_every"),
		},
		{
			"call_limit + worker_reserve must be within worker_limit", t.CallLimit+t.WorkerReserve <= t.WorkerLimit,
			t.terms("call_limit", "worker_reserve", "worker_limit"),
		},
		{"lease must be shorter than worker_limit", t.Lease < t.WorkerLimit, t.terms("lease", "worker_limit")},
		{"visibility must be at least 6 x worker_limit", t.Visibility >= 6*t.WorkerLimit, t.terms("visibility", "worker_limit")},
		{"api_limit must be shorter than gateway_limit", t.APILimit < t.GatewayLimit, t.terms("api_limit", "gateway_limit")},
		{"dispatch_every must be shorter than task_deadline", t.DispatchEvery < t.TaskDeadline, t.terms("dispatch_every", "task_deadline")},
		{"handoff_grace must be shorter than task_deadline", t.HandoffGrace < t.TaskDeadline, t.terms("handoff_grace", "task_deadline")},
		{
			"handoff_grace must be within lease + skew_margin", t.HandoffGrace <= t.Lease+t.SkewMargin,
			t.terms("handoff_grace", "lease", "skew_margin"),
		},
		{"call_limit must be within task_deadline", t.CallLimit <= t.TaskDeadline, t.terms("call_limit", "task_deadline")},
		{"backoff_base must be at most backoff_limit", t.BackoffBase <= t.BackoffLimit, t.terms("backoff_base", "backoff_limit")},
		{"task_deadline must be shorter than replay_window", t.TaskDeadline < t.ReplayWindow, t.terms("task_deadline", "replay_window")},
		{"replay_window must be at most purge_after", t.ReplayWindow <= t.PurgeAfter, t.terms("replay_window", "purge_after")},
		{"attempts must be at most calls", t.Attempts <= t.Calls, t.terms("attempts", "calls")},
		{"unknown_repeats must be less than attempts", t.UnknownRepeats < t.Attempts, t.terms("unknown_repeats", "attempts")},
		{"max_receive_count must be at least 5", t.MaxReceiveCount >= 5, t.terms("max_receive_count")},
	}
}

// all lists every timer and count by the name that the rules use.
func (t Timers) all() []Term {
	return []Term{
		{"lease", t.Lease},
		{"renew_every", t.RenewEvery},
		{"skew_margin", t.SkewMargin},
		{"lease_reserve", t.LeaseReserve},
		{"call_limit", t.CallLimit},
		{"worker_limit", t.WorkerLimit},
		{"worker_reserve", t.WorkerReserve},
		{"api_limit", t.APILimit},
		{"gateway_limit", t.GatewayLimit},
		{"handoff_grace", t.HandoffGrace},
		{"visibility", t.Visibility},
		{"dispatch_every", t.DispatchEvery},
		{"task_deadline", t.TaskDeadline},
		{"backoff_base", t.BackoffBase},
		{"backoff_limit", t.BackoffLimit},
		{"replay_window", t.ReplayWindow},
		{"purge_after", t.PurgeAfter},
		{"max_receive_count", t.MaxReceiveCount},
		{"attempts", t.Attempts},
		{"calls", t.Calls},
		{"unknown_repeats", t.UnknownRepeats},
	}
}

func (t Timers) terms(names ...string) []Term {
	var found []Term
	for _, name := range names {
		for _, term := range t.all() {
			if term.Name == name {
				found = append(found, term)
			}
		}
	}
	return found
}

// notPositive lists what is below its least value: no repeats after an unknown
// end is a choice, no time and no attempts is not.
func (t Timers) notPositive() []Term {
	var found []Term
	for _, term := range t.all() {
		switch value := term.Value.(type) {
		case time.Duration:
			if value <= 0 {
				found = append(found, term)
			}
		case int:
			if value < 0 || value == 0 && term.Name != "unknown_repeats" {
				found = append(found, term)
			}
		}
	}
	return found
}
