package runtimeconfig_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/worktask"
)

// readers read the sections of all functions.
var readers = map[string]func(map[string]string) (runtimeconfig.Common, error){
	"api": func(e map[string]string) (runtimeconfig.Common, error) {
		c, err := runtimeconfig.API(e)
		return c.Common, err
	},
	"worker": func(e map[string]string) (runtimeconfig.Common, error) {
		c, err := runtimeconfig.Worker(e)
		return c.Common, err
	},
	"dispatcher": func(e map[string]string) (runtimeconfig.Common, error) {
		c, err := runtimeconfig.Dispatcher(e)
		return c.Common, err
	},
	"authorizer": func(e map[string]string) (runtimeconfig.Common, error) {
		c, err := runtimeconfig.Authorizer(e)
		return c.Common, err
	},
}

func TestBudgetIsConfigurable(t *testing.T) {
	t.Parallel()
	environment := complete()
	environment["REPLYONCE_ATTEMPTS"] = "10" // more than the profile's calls
	environment["REPLYONCE_CALLS"] = "20"
	environment["REPLYONCE_DEADLINE"] = "1h30m"
	want := worktask.DefaultTimers()
	want.Attempts, want.Calls, want.TaskDeadline = 10, 20, 90*time.Minute
	for function, read := range readers {
		if c, err := read(environment); err != nil || c.Timers != want {
			t.Errorf("%s: %+v, %v", function, c.Timers, err)
		}
	}
	if timers, err := runtimeconfig.Timers(map[string]string{"REPLYONCE_PROFILE": "short", "REPLYONCE_DEADLINE": "1m"}); err != nil ||
		timers.Profile != "short" || timers.TaskDeadline != time.Minute || timers.Attempts != worktask.ShortTimers().Attempts {
		t.Errorf("short profile: %+v, %v", timers, err)
	}
}

// TestBudgetThatDoesNotFit: the message is about the variable that was set, and
// has both sides of the link.
func TestBudgetThatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		environment    map[string]string
		blamed, detail string
	}{
		{map[string]string{"ATTEMPTS": "four"}, "ATTEMPTS", `is "four". Set it to a whole number`},
		{map[string]string{"ATTEMPTS": "0"}, "ATTEMPTS", `is "0". Set it to a whole number`},
		{map[string]string{"CALLS": "1.5"}, "CALLS", `is "1.5". Set it to a whole number`},
		{map[string]string{"DEADLINE": "600"}, "DEADLINE", `is "600". Set it to a time such as "90s"`},
		{map[string]string{"DEADLINE": "-10m"}, "DEADLINE", `is "-10m". Set it to a time`},
		{map[string]string{"ATTEMPTS": "9"}, "ATTEMPTS", "attempts must be at most calls (attempts 9, calls 8)"},
		{map[string]string{"ATTEMPTS": "1"}, "ATTEMPTS", "unknown_repeats must be less than attempts (unknown_repeats 1, attempts 1)"},
		{map[string]string{"CALLS": "3"}, "CALLS", "attempts must be at most calls (attempts 4, calls 3)"},
		{map[string]string{"ATTEMPTS": "5", "CALLS": "4"}, "ATTEMPTS", "(attempts 5, calls 4)"},
		{map[string]string{"ATTEMPTS": "5", "DEADLINE": "1m"}, "DEADLINE", "dispatch_every must be shorter than task_deadline (dispatch_every 1m0s, task_deadline 1m0s)"},
		{map[string]string{"DEADLINE": "61s"}, "DEADLINE", "call_limit must be within task_deadline"},
		{map[string]string{"DEADLINE": "24h"}, "DEADLINE", "task_deadline must be shorter than replay_window"},
	} {
		environment := map[string]string{}
		for name, value := range tt.environment {
			environment["REPLYONCE_"+name] = value
		}
		_, err := runtimeconfig.Timers(environment)
		failed, ok := errors.AsType[*runtimeconfig.ConfigError](err)
		if !ok || len(failed.Problems) != 1 || failed.Problems[0].Variable != "REPLYONCE_"+tt.blamed || !strings.Contains(err.Error(), tt.detail) {
			t.Errorf("%v: %v, want %s: %s", tt.environment, err, tt.blamed, tt.detail)
		}
	}
}

func FuzzTimers(f *testing.F) {
	f.Add("short", "4", "8", "30s")
	f.Add("", "", "", "")
	f.Add("default", "-1", "99999999999999999999", "1h60m")
	f.Fuzz(func(t *testing.T, profile, attempts, calls, deadline string) {
		timers, err := runtimeconfig.Timers(map[string]string{
			"REPLYONCE_PROFILE": profile, "REPLYONCE_ATTEMPTS": attempts, "REPLYONCE_CALLS": calls, "REPLYONCE_DEADLINE": deadline,
		})
		if err == nil && timers.Check() != nil {
			t.Fatalf("a broken chain was accepted: %+v", timers)
		}
	})
}
