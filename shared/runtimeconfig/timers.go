package runtimeconfig

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Timers reads the timers that every function with this environment has.
func Timers(environment map[string]string) (worktask.Timers, error) {
	raw, p := parse[commonVariables](environment)
	c := raw.read(&p)
	return c.Timers, p.errorFor("the timers")
}

// readTimers takes the profile, puts the budget of new tasks in it where it is
// set, and checks the whole.
func (raw commonVariables) readTimers(local bool, p *problems) worktask.Timers {
	timers, err := worktask.TimersNamed(raw.Profile)
	if err != nil {
		p.add("PROFILE", "%v.", err)
		return timers
	}
	if local && timers.DispatchEvery > localDispatchEvery {
		timers.DispatchEvery = localDispatchEvery
	}
	before := len(*p)
	timers.Attempts = readCount("ATTEMPTS", raw.Attempts, timers.Attempts, p)
	timers.Calls = readCount("CALLS", raw.Calls, timers.Calls, p)
	timers.TaskDeadline = readDuration("DEADLINE", raw.Deadline, timers.TaskDeadline, p)
	if len(*p) == before {
		raw.blame(timers.Check(), p)
	}
	return timers
}

// blame reports a broken chain under the variable that broke it. The profiles
// are whole by themselves, so one of those that are set is part of the link.
func (raw commonVariables) blame(err error, p *problems) {
	if err == nil {
		return
	}
	variable, text := "PROFILE", raw.Profile
	if broken, ok := errors.AsType[*worktask.ChainError](err); ok {
		for _, set := range []struct{ timer, variable, text string }{
			{"task_deadline", "DEADLINE", raw.Deadline}, {"calls", "CALLS", raw.Calls}, {"attempts", "ATTEMPTS", raw.Attempts},
		} {
			if set.text != "" && slices.ContainsFunc(broken.Of, func(t worktask.Term) bool { return t.Name == set.timer }) {
				variable, text = set.variable, set.text
			}
		}
	}
	p.add(variable, "is %q, which does not fit: %v.", text, err)
}

func readCount(variable, text string, otherwise int, p *problems) int {
	if text == "" {
		return otherwise
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 {
		p.add(variable, "is %q. Set it to a whole number above 0.", text)
	}
	return value
}

func readDuration(variable, text string, otherwise time.Duration, p *problems) time.Duration {
	if text == "" {
		return otherwise
	}
	value, err := time.ParseDuration(text)
	if err != nil || value <= 0 {
		p.add(variable, `is %q. Set it to a time such as "90s" or "10m".`, text)
	}
	return value
}
