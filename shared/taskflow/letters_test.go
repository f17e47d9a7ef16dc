package taskflow_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// someLetters are dead letters by the ids of their tasks.
type someLetters struct {
	ids        []string
	unreadable int
	err        error
}

func (l someLetters) Look(_ context.Context, most int) ([]worktask.Ref, int, error) {
	var refs []worktask.Ref
	for _, id := range l.ids[:min(most, len(l.ids))] {
		refs = append(refs, worktask.Ref{Workspace: "acme", Scope: "C#x", ID: id})
	}
	return refs, l.unreadable, l.err
}

// tasksByStatus are named after their status.
type tasksByStatus struct{ down bool }

func (s tasksByStatus) Get(_ context.Context, ref worktask.Ref) (worktask.Task, error) {
	switch {
	case s.down:
		return worktask.Task{}, storeerror.ErrUnavailable
	case ref.ID == "absent":
		return worktask.Task{}, storeerror.ErrNotFound
	}
	return worktask.Task{Ref: ref, Status: worktask.Status(ref.ID)}, nil
}

// gauges keeps the last value of each.
type gauges struct {
	telemetry.NoMetrics
	values map[telemetry.Metric]float64
}

func (g *gauges) Gauge(metric telemetry.Metric, value float64, _ ...telemetry.Dimension) {
	g.values[metric] = value
}

func TestLetterWatchCountsOpenTasks(t *testing.T) {
	t.Parallel()
	all := []string{"pending", "running", "completed", "failed", "cancelled", "absent", "pending"} // one twice
	for name, c := range map[string]struct {
		letters someLetters
		down    bool
		want    float64 // less than 0: no number
	}{
		"none":               {someLetters{}, false, 0},
		"all kinds":          {someLetters{ids: all, unreadable: 2}, false, 2},
		"ended ones":         {someLetters{ids: all[2:5]}, false, 0},
		"more than the most": {someLetters{ids: []string{"completed", "failed", "cancelled", "completed", "failed", "cancelled", "completed", "running"}}, false, -1},
		"queue is down":      {someLetters{ids: all, err: errors.New("queue is down")}, false, -1},
		"store is down":      {someLetters{ids: all}, true, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := &gauges{values: map[telemetry.Metric]float64{}}
			var out bytes.Buffer
			w := taskflow.LetterWatch{
				Letters: c.letters, Tasks: tasksByStatus{c.down}, Metrics: seen, Log: slog.New(slog.NewTextHandler(&out, nil)), Most: 7,
			}
			w.Look(t.Context())
			got, told := seen.values[telemetry.OpenDeadLetters]
			if told != (c.want >= 0) || told && got != c.want {
				t.Errorf("gauge %v, told: %t, want %v\n%s", got, told, c.want, &out)
			}
		})
	}
}
