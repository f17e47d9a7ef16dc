package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/worktask"
)

func TestDeviationsAreFound(t *testing.T) {
	t.Parallel()
	w := want{status: worktask.Completed, requests: 2, calls: 2, unknown: 1, version: 2, refused: 1}
	good := Row{Status: worktask.Completed, Tasks: 1, Requests: 2, Calls: 2, Unknown: 1, Replies: 1, Version: 2, Refused: 3}
	if got := w.compare(good); got != nil {
		t.Errorf("a good row deviates: %v", got)
	}
	for name, change := range map[string]func(*Row){
		"tasks":                     func(r *Row) { r.Tasks = 2 },
		"status":                    func(r *Row) { r.Status = worktask.Failed },
		"saved replies":             func(r *Row) { r.Replies = 2 },
		"provider calls":            func(r *Row) { r.Requests = 3 },
		"calls on the task":         func(r *Row) { r.Calls = 1 },
		"calls with an unknown end": func(r *Row) { r.Unknown = 0 },
		"assignment version":        func(r *Row) { r.Version = 3 },
		"refused writes":            func(r *Row) { r.Refused = 0 },
	} {
		row := good
		change(&row)
		if got := w.compare(row); len(got) != 1 || !strings.HasPrefix(got[0], name+": ") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestQuestionsCanBeToldApart: scripts are found by a part of the question, and the provider's log is
// counted by it.
func TestQuestionsCanBeToldApart(t *testing.T) {
	t.Parallel()
	all := scenarios()
	for i, a := range all {
		for j, b := range all {
			if i != j && strings.Contains(b.question, a.question) {
				t.Errorf("%q is a part of %q", a.question, b.question)
			}
		}
	}
}

func TestResultIsGoodOnlyWithoutAnyMark(t *testing.T) {
	t.Parallel()
	good := Result{Rows: []Row{{Scenario: "one"}}, Promises: []check.Promise{{ID: "P1"}}}
	for name, r := range map[string]Result{
		"nothing played":   {Promises: good.Promises},
		"nothing checked":  {Rows: good.Rows},
		"a row deviates":   {Rows: []Row{{Deviations: []string{"x"}}}, Promises: good.Promises},
		"a promise broken": {Rows: good.Rows, Promises: []check.Promise{{Broken: []string{"x"}}}},
	} {
		if r.Good() {
			t.Errorf("%s is good", name)
		}
		if !strings.Contains(summary(r), "NOT as expected") {
			t.Errorf("%s: the summary does not say so", name)
		}
	}
	if !good.Good() || !strings.Contains(summary(good), "every promise held") {
		t.Error("a good result is not")
	}
}

func TestSummaryListsWhatWasFound(t *testing.T) {
	t.Parallel()
	text := summary(Result{
		Rows:     []Row{{Scenario: "a killed worker", Took: 1500 * time.Millisecond, Deviations: []string{"tasks: 2, want 1"}}},
		Promises: []check.Promise{{ID: "P1", Text: "once", Broken: slices.Repeat([]string{"twice"}, maxBroken+2)}},
	})
	for _, part := range []string{"a killed worker", "1.5", "✗ 1. a killed worker: tasks: 2, want 1", "✗ P1  once", "and 2 more"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

func TestErrorsAreShortenedForTheEye(t *testing.T) {
	t.Parallel()
	got := plain("complete task acme/C#01M8KXERW8EG8DQ35ZHSNB6ZCB/01M8KXERWBZ4BP057X51AGNVBK: refused\nsecond line")
	if got != "complete task …AGNVBK: refused" {
		t.Errorf("got %q", got)
	}
	if got := plain(strings.Repeat("ä", 500)); len([]rune(got)) > 120 {
		t.Errorf("%d characters are left", len([]rune(got)))
	}
}

func TestLogLinesAreToldByTheirOwnTime(t *testing.T) {
	t.Parallel()
	read := time.Date(2026, 11, 29, 14, 0, 1, 0, time.UTC)
	line := supervisor.Line{Time: read, Fields: map[string]any{"time": "2026-11-29T14:00:00.250Z"}}
	if got := lineTime(line); !got.Equal(read.Add(-750 * time.Millisecond)) {
		t.Errorf("got %s", got)
	}
	if got := lineTime(supervisor.Line{Time: read}); !got.Equal(read) {
		t.Errorf("an event without a time of its own is at %s", got)
	}
}
