package main

import (
	"strings"
	"testing"
)

func TestTheCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		out  string
	}{
		{[]string{"-list", "-seed", "3", "-duration", "5s"}, good, "lose_answer worker at "},
		{[]string{"-break", "everything"}, misused, "-break \"everything\" is unknown"},
		{[]string{"-profile", "slow"}, misused, "slow"},
		{[]string{"-on-unknown", "hope"}, misused, "neither retry nor stop"},
		{[]string{"-duration", "0s"}, misused, "there must be some time"},
		{[]string{"5m"}, misused, "\"5m\" is no flag"},
	} {
		var out strings.Builder
		if code := run(t.Context(), c.args, &out, &out); code != c.code || !strings.Contains(out.String(), c.out) {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s", c.args, code, c.code, c.out, out.String())
		}
	}
}
