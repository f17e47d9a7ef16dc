package main

import (
	"io"
	"strings"
	"testing"
)

// FuzzSettings reads flags and variables, a line each: what cannot be used is
// named, and a number is inside its limits.
func FuzzSettings(f *testing.F) {
	f.Add("-workers\n3", "REPLYONCE_PORT=8081\nREPLYONCE_APIS=2")
	f.Fuzz(func(t *testing.T, flags, variables string) {
		given := map[string]string{}
		for line := range strings.SplitSeq(variables, "\n") {
			name, value, _ := strings.Cut(line, "=")
			given[name] = value
		}
		var args []string
		if flags != "" {
			args = strings.Split(flags, "\n")
		}
		o, err := parse(args, func(name string) string { return given[name] }, io.Discard)
		if err == nil && (o.Workers < 1 || o.Workers > maxWorkers || o.Port < 0 || o.Port > 65535) {
			t.Errorf("%q and %q became %d workers on port %d", flags, variables, o.Workers, o.Port)
		}
	})
}
