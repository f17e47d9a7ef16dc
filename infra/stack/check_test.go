package stack_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/replyonce/replyonce/infra/stack"
	"github.com/replyonce/replyonce/shared/worktask"
)

// check is something that safety rests on, looked for in a template.
type check struct {
	name  string
	only  []string // configurations; none: all
	holds func(subject) error
}

// subject is a template with what it was made from.
type subject struct {
	template
	options stack.Options
}

func (s subject) timers() worktask.Timers { return s.options.Timers }

var checks = slices.Concat(chainChecks, dataChecks, roleChecks, apiChecks, signInChecks, operationChecks, traceChecks)

func (c check) concerns(config string) bool {
	return len(c.only) == 0 || slices.Contains(c.only, config)
}

// mutant is a template with one thing broken, which its check must notice.
type mutant struct {
	check  string
	config string // "": dev
	path   string
	value  any // nil: taken out
}

func (m mutant) String() string { return fmt.Sprintf("%s = %v", m.path, m.value) }

var mutants = slices.Concat(chainMutants, dataMutants, roleMutants, apiMutants, signInMutants, operationMutants, traceMutants)

func TestTemplate(t *testing.T) {
	t.Parallel()
	deployments := synthesise(t)
	for _, d := range deployments {
		for _, c := range checks {
			if !c.concerns(d.name) {
				continue
			}
			t.Run(d.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				if err := c.holds(subject{d.template, d.options}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestEachCheckFails breaks templates one value at a time: a check that passes a
// broken one is no check.
func TestEachCheckFails(t *testing.T) {
	t.Parallel()
	deployments := synthesise(t)
	broken := map[string]int{}
	for _, m := range mutants {
		broken[m.check]++
		d := deployments[m.config]
		if m.config == "" {
			d = deployments["dev"]
		}
		t.Run(m.check+"/"+m.String(), func(t *testing.T) {
			t.Parallel()
			mutated := d.template.clone()
			mutated.set(m.path, m.value)
			if err := checkNamed(t, m.check).holds(subject{mutated, d.options}); err == nil {
				t.Error("the check did not notice")
			} else {
				t.Log(err)
			}
		})
	}
	for _, c := range checks {
		if broken[c.name] == 0 {
			t.Errorf("nothing breaks the check %q", c.name)
		}
	}
}

func checkNamed(t *testing.T, name string) check {
	t.Helper()
	for _, c := range checks {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("there is no check %q", name)
	return check{}
}

// want collects differences, so that one run shows all of them.
type want struct{ errs []error }

func (w *want) equal(what string, got, wanted any) {
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		w.errs = append(w.errs, fmt.Errorf("%s is %v, want %v", what, got, wanted))
	}
}

func (w *want) that(ok bool, format string, args ...any) {
	if !ok {
		w.errs = append(w.errs, fmt.Errorf(format, args...))
	}
}

func (w *want) err() error { return errors.Join(w.errs...) }
