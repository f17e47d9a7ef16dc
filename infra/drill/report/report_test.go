package report_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/drill/report"
	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/worktask"
)

// outcome is a drill that came to something.
func outcome(t *testing.T, id string, change ...func(*drills.Result)) suite.Outcome {
	t.Helper()
	d, found := drills.Find(id)
	if !found {
		t.Fatalf("no drill %s", id)
	}
	r := drills.Result{
		Drill: id, Act: d.Acts[0].Title, Took: 1500 * time.Millisecond,
		Seen: []drills.Seen{{Status: worktask.Completed, Requests: 2, Calls: 2, Unknown: 1, Version: 2, Refused: 3, RefusedClaims: 2, Replies: 1}},
		Timeline: drills.Timeline{
			EndsMS: 1500, Lanes: []string{"browser", "worker-1", "task"},
			Points: []drills.Moment{
				{AtMS: 10, Lane: "browser", Text: "ada presses Send <twice>"},
				{AtMS: 900, Lane: "worker-1", Text: "its save is refused", Mark: drills.Refusal},
			},
			Bars: []drills.Bar{{FromMS: 20, ToMS: 800, Lane: "worker-1", Text: "assignment 1", Kind: drills.Lease}},
		},
	}
	for _, c := range change {
		c(&r)
	}
	return suite.Outcome{Drill: d, Results: []drills.Result{r}, Took: r.Took}
}

func fails(r *drills.Result) {
	r.Deviations, r.Findings = []string{"status: failed, want completed"}, []string{"P1 task t: two results were saved (#1 #2)"}
}

func made(outcomes ...suite.Outcome) report.Report {
	return report.New(outcomes, "real processes", "short", time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC), 3*time.Second)
}

func TestAGoodRun(t *testing.T) {
	t.Parallel()
	r := made(outcome(t, "D11"))
	if !r.Passed || r.Drills[0].Status != report.Passed {
		t.Errorf("the report says %+v", r)
	}
	table := r.Table()
	for _, want := range []string{"D11 A worker wakes up", "completed at assignment 2; 2 requests, 2 calls, 1 answer lost", "1 + 2", "1.5", "✓", "1 drills went as expected"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
}

func TestADeviationIsShownEverywhere(t *testing.T) {
	t.Parallel()
	r := made(outcome(t, "D07"), outcome(t, "D11", fails))
	var page, data bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&data); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"table": r.Table(), "page": page.String(), "JSON": data.String()} {
		if !strings.Contains(text, "status: failed, want completed") || !strings.Contains(text, "two results were saved") {
			t.Errorf("the %s does not tell:\n%s", what, text)
		}
	}
	if r.Passed || !strings.Contains(r.Table(), "NOT as expected: 1 of 2") {
		t.Errorf("the report passes:\n%s", r.Table())
	}
	var back report.Report
	if err := json.Unmarshal(data.Bytes(), &back); err != nil || back.Passed || len(back.Drills) != 2 || back.Drills[1].Status != report.Failed {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

func TestARunOfNothingShowsNothing(t *testing.T) {
	t.Parallel()
	d, _ := drills.Find("D25")
	r := made(suite.Outcome{Drill: d, Skipped: []suite.Skipped{{Why: "there are no years here"}}})
	if r.Passed || !strings.Contains(r.Table(), "there are no years here") {
		t.Errorf("a run of nothing: %s", r.Table())
	}
}

func TestThePictureTellsEverything(t *testing.T) {
	t.Parallel()
	svg := report.Picture(outcome(t, "D11").Results[0].Timeline)
	for _, want := range []string{`class="lease"`, `sign-refused`, "ada presses Send &lt;twice&gt;", "0.90 s: its save is refused", ">worker-1<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %s:\n%s", want, svg)
		}
	}
	if strings.Count(svg, "<") != strings.Count(svg, ">") || !strings.HasSuffix(svg, "</svg>") {
		t.Error("the picture is not whole")
	}
	if empty := report.Picture(drills.Timeline{}); !strings.HasSuffix(empty, "</svg>") {
		t.Error("there is no picture of nothing")
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	a := report.ActOf(outcome(t, "D11").Drill, outcome(t, "D11").Results[0])
	want := "The question got one saved reply. That took 2 assignments and 2 requests to the provider; the answer to one was lost to the service. " +
		"The store refused 1 write and 2 claims."
	if a.Told != want {
		t.Errorf("told: %s", a.Told)
	}
	if !slices.ContainsFunc(outcome(t, "D11").Drill.Acts, func(act drills.Act) bool { return act.Expected() == a.Expected }) {
		t.Errorf("expected: %s", a.Expected)
	}
}

func TestATerminalShowsFewOfTheSameFindings(t *testing.T) {
	t.Parallel()
	r := report.Report{Drills: []report.Drill{{ID: "D13", Status: report.Failed, Acts: []report.Act{{
		Findings: []string{"P10 one", "P1 a", "P1 b", "P1 c", "P1 d", "P1 e"},
	}}}}}
	table := r.Table()
	for text, want := range map[string]bool{"P10 one": true, "P1 c": true, "P1 d": false, "P1 … and 2 more": true} {
		if strings.Contains(table, text) != want {
			t.Errorf("%q is shown: %t\n%s", text, !want, table)
		}
	}
}

// TestEverySignIsExplained: each mark has a shape of its own, and a page explains
// those that it has.
func TestEverySignIsExplained(t *testing.T) {
	t.Parallel()
	shapes := map[string]drills.Mark{}
	for _, m := range []drills.Mark{
		"", drills.Refusal, drills.TurnedAway, drills.LeaseOver, drills.Loss, drills.Death, drills.Saved, drills.Trouble, drills.Stale, drills.Overwritten, drills.Robbed,
	} {
		one := drills.Timeline{EndsMS: 9, Lanes: []string{"worker-1"}, Points: []drills.Moment{{AtMS: 5, Lane: "worker-1", Text: "it", Mark: m}}}
		svg := report.Picture(one)
		_, drawn, _ := strings.Cut(svg, `class="sign`)
		_, drawn, _ = strings.Cut(drawn, ">")
		drawn, _, _ = strings.Cut(drawn, "</g>")
		if other, taken := shapes[drawn]; taken || drawn == "" {
			t.Errorf("%q looks like %q: %s", m, other, drawn)
		}
		shapes[drawn] = m
		var page bytes.Buffer
		r := made(outcome(t, "D11", func(r *drills.Result) { r.Timeline = one }))
		if err := r.WriteHTML(&page); err != nil {
			t.Fatal(err)
		}
		_, legend, _ := strings.Cut(page.String(), `<ul class="legend">`)
		if legend, _, _ = strings.Cut(legend, "</ul>"); strings.Count(legend, "<li>") != 1 || !strings.Contains(legend, drawn) {
			t.Errorf("%q is not explained: %s", m, legend)
		}
	}
}

// TestNothingIsDrawnOverSomethingElse: bars of a lane that overlap lie below each
// other, and marks of the same instant side by side.
func TestNothingIsDrawnOverSomethingElse(t *testing.T) {
	t.Parallel()
	svg := report.Picture(drills.Timeline{
		EndsMS: 9000, Lanes: []string{"worker-1"},
		Points: []drills.Moment{
			{AtMS: 5000, Lane: "worker-1", Text: "a", Mark: drills.Refusal}, {AtMS: 5000, Lane: "worker-1", Text: "b"}, {AtMS: 5001, Lane: "worker-1", Text: "c", Mark: drills.Refusal},
		},
		Bars: []drills.Bar{
			{FromMS: 0, ToMS: 3000, Lane: "worker-1", Text: "assignment 1", Kind: drills.Lease}, {FromMS: 300, ToMS: 5000, Lane: "worker-1", Text: "worker-1 stands still", Kind: drills.Frozen},
		},
	})
	places := map[string]bool{}
	for _, found := range regexp.MustCompile(`translate\([^)]*\)|<rect class="(?:lease|frozen)" x="[^"]*" (y="[^"]*")`).FindAllStringSubmatch(svg, -1) {
		place := found[0]
		if found[1] != "" {
			place = found[1]
		}
		if places[place] {
			t.Errorf("two things are at %s", place)
		}
		places[place] = true
	}
	if len(places) != 5 || !strings.Contains(svg, ">holds the task: assignment 1<") || !strings.Contains(svg, ">stands still<") {
		t.Errorf("%d places in %s", len(places), svg)
	}
}
