package console

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/local/supervisor"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 14, 3, 5, 0, time.UTC)
	const task = "01KB7Z6M3V0000000000ABCDEF"
	cases := []struct {
		message string
		fields  map[string]any
		want    string // "" when there is nothing to tell
	}{
		{"task accepted", map[string]any{"task_id": task}, "14:03:05  worker-1      …ABCDEF  accepted"},
		{"task taken over", map[string]any{"task_id": task, "assignment_version": float64(2)}, "14:03:05  worker-1      …ABCDEF  taken over: assignment 2"},
		{"task failed", map[string]any{"task_id": task, "reason": "outcome_unknown"}, "14:03:05  worker-1      …ABCDEF  failed: outcome unknown"},
		{"process exited", map[string]any{"pid": 7, "reason": "signal: killed"}, "14:03:05  worker-1      process ended: signal: killed"},
		{"failed", map[string]any{"error": "no queue"}, "14:03:05  worker-1      problem: no queue"},
		{"reply saved", map[string]any{}, "14:03:05  worker-1      reply saved"},
		{"request", map[string]any{"status": float64(200)}, ""},
		{"task accepted", nil, ""}, // a line of text that only looks like it
	}
	for _, c := range cases {
		got, ok := Format(supervisor.Line{Process: "worker-1", Time: at, Message: c.message, Fields: c.fields})
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", c.message, got, ok)
		}
	}
}
