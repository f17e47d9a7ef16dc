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
		{[]string{"-list", "d11"}, good, "D11  A worker wakes up with an answer, too late"},
		{[]string{"-list"}, good, "D30  Everything at once"},
		{[]string{"D99"}, misused, "there is no drill D99"},
		{[]string{"-break", "everything"}, misused, "-break \"everything\" is unknown"},
		{[]string{"-broken", "everything"}, misused, "no broken build is named \"everything\""},
		{[]string{"-list", "-broken", "unfenced-save"}, good, "D11  A worker wakes up"},
		{[]string{"-profile", "slow", "-endpoint", "http://127.0.0.1:1", "D01"}, deviates, "slow"},
		{[]string{"-endpoint", "http://127.0.0.1:1", "D01"}, deviates, "NOT as expected: 1 of 1"},
	} {
		var out strings.Builder
		if code := run(t.Context(), c.args, &out, &out); code != c.code || !strings.Contains(out.String(), c.out) {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s", c.args, code, c.code, c.out, out.String())
		}
	}
}
