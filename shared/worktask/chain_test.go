package worktask_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

func TestProfilesAreChains(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "default", "short"} {
		profile, err := worktask.TimersNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := profile.Check(); err != nil {
			t.Errorf("profile %q: %v", name, err)
		}
	}
	if _, err := worktask.TimersNamed("shrot"); err == nil {
		t.Error("an unknown profile was accepted")
	}
}

// TestEveryLinkHolds breaks each link and looks for the terms that are blamed.
func TestEveryLinkHolds(t *testing.T) {
	t.Parallel()
	for blamed, spoil := range map[string]func(*worktask.Timers){
		"lease 0s":                         func(t *worktask.Timers) { t.Lease = 0 },
		"calls -1":                         func(t *worktask.Timers) { t.Calls = -1 },
		"unknown_repeats -1":               func(t *worktask.Timers) { t.UnknownRepeats = -1 },
		"renew_every 15s, lease 30s":       func(t *worktask.Timers) { t.RenewEvery = t.Lease / 2 },
		"lease_reserve 30s, lease 30s":     func(t *worktask.Timers) { t.LeaseReserve = t.Lease },
		"call_limit 2m0s, worker":          func(t *worktask.Timers) { t.CallLimit = t.WorkerLimit },
		"lease 2m0s, worker_limit 2m0s":    func(t *worktask.Timers) { t.Lease = t.WorkerLimit },
		"visibility 2m0s, worker":          func(t *worktask.Timers) { t.Visibility = t.WorkerLimit },
		"api_limit 29s, gateway":           func(t *worktask.Timers) { t.APILimit = t.GatewayLimit },
		"dispatch_every 10m0s, task":       func(t *worktask.Timers) { t.DispatchEvery = t.TaskDeadline },
		"handoff_grace 10m0s, task":        func(t *worktask.Timers) { t.HandoffGrace = t.TaskDeadline },
		"call_limit 1m30s, task":           func(t *worktask.Timers) { t.TaskDeadline = 89 * time.Second },
		"backoff_base 5m0.001s, backoff":   func(t *worktask.Timers) { t.BackoffBase = t.BackoffLimit + time.Millisecond },
		"task_deadline 24h0m0s, replay":    func(t *worktask.Timers) { t.TaskDeadline = t.ReplayWindow },
		"replay_window 24h0m0s, purge":     func(t *worktask.Timers) { t.PurgeAfter = time.Hour },
		"attempts 9, calls 8":              func(t *worktask.Timers) { t.Attempts = t.Calls + 1 },
		"unknown_repeats 1, attempts 1":    func(t *worktask.Timers) { t.Attempts = 1 },
		"at least 5 (max_receive_count 4)": func(t *worktask.Timers) { t.MaxReceiveCount = 4 },
	} {
		profile := worktask.DefaultTimers()
		spoil(&profile)
		err := profile.Check()
		if broken, ok := errors.AsType[*worktask.ChainError](err); !ok || broken.Profile != "default" || !strings.Contains(err.Error(), blamed) {
			t.Errorf("%v, want one that blames %s", err, blamed)
		}
	}
	none := worktask.DefaultTimers()
	none.UnknownRepeats = 0
	if err := none.Check(); err != nil {
		t.Errorf("no repeats after an unknown end: %v", err)
	}
}

// TestRetentionOfOperations: what a provider keeps must be kept until somebody
// looks, after a death and after the longest wait of a look-up that goes on.
func TestRetentionOfOperations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		retention time.Duration
		change    func(*worktask.Timers)
		blamed    string
	}{
		"none is documented":                  {0, nil, ""},
		"ten minutes, as documented":          {10 * time.Minute, nil, ""},
		"exactly twice the recovery interval": {184 * time.Second, func(t *worktask.Timers) { t.BackoffLimit = time.Minute }, ""},
		"a tick less":                         {183 * time.Second, func(t *worktask.Timers) { t.BackoffLimit = time.Minute }, "dispatch_every"},
		"a slow dispatcher":                   {10 * time.Minute, func(t *worktask.Timers) { t.DispatchEvery = 5 * time.Minute }, "dispatch_every 5m0s"},
		"shorter than the longest wait":       {389 * time.Second, nil, "backoff_limit 5m0s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timers := worktask.DefaultTimers()
			if tt.change != nil {
				tt.change(&timers)
			}
			err := timers.CheckRetention(tt.retention)
			broken, ok := errors.AsType[*worktask.ChainError](err)
			switch {
			case tt.blamed == "" && err != nil:
				t.Error(err)
			case tt.blamed != "" && (!ok || !strings.Contains(broken.Error(), tt.blamed) || !strings.Contains(broken.Error(), "lookup_retention")):
				t.Errorf("%v, want one that blames %s", err, tt.blamed)
			}
		})
	}
	if err := worktask.ShortTimers().CheckRetention(10 * time.Minute); err != nil {
		t.Error(err)
	}
}
