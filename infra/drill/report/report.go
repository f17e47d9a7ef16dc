// Package report writes what drills came to: as a table for terminals, as JSON,
// and as a page of HTML that needs nothing beside itself.
package report

import (
	"fmt"
	"io"
	"runtime"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
)

// Report is a run of drills.
type Report struct {
	MadeAt  time.Time `json:"made_at"`
	Where   string    `json:"where"`   // real processes on one machine, or an address
	Machine string    `json:"machine"` // that it was made on
	Profile string    `json:"profile"` // of the timers
	Seconds float64   `json:"seconds"` // with the start of everything
	Passed  bool      `json:"passed"`
	Drills  []Drill   `json:"drills"`
}

// Drill is a drill and what it came to.
type Drill struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Happens  string   `json:"happens"`
	MustSee  string   `json:"must_see"`
	Promises []string `json:"promises"`
	Status   Status   `json:"status"`
	Seconds  float64  `json:"seconds"`
	Acts     []Act    `json:"acts"`
	Skipped  []string `json:"skipped,omitempty"` // what was not played, and why
}

// Status is a drill's end in one word.
type Status string

// The ends.
const (
	Passed    Status = "passed"
	Failed    Status = "failed"
	NotPlayed Status = "not_played"
)

// Act is one script of a drill and what it came to.
type Act struct {
	Title      string          `json:"title,omitempty"`
	Passed     bool            `json:"passed"`
	Expected   string          `json:"expected"`
	Shown      string          `json:"shown"`
	Told       string          `json:"told"`    // what was seen, in sentences
	Calls      int             `json:"calls"`   // at the provider
	Replies    int             `json:"replies"` // saved
	Refused    int             `json:"refused"` // writes and claims
	Seconds    float64         `json:"seconds"`
	Deviations []string        `json:"deviations,omitempty"` // from what the drill expects
	Findings   []string        `json:"findings,omitempty"`   // against the promises
	Promises   []Promise       `json:"promises"`
	Seen       []drills.Seen   `json:"seen"`
	Timeline   drills.Timeline `json:"timeline"`

	RefusedClaims int `json:"refused_claims"` // of Refused
}

// Promise is the checker's verdict on one promise.
type Promise struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Verdict string `json:"verdict"`
	Cases   int    `json:"cases"`
}

// New describes outcomes.
func New(outcomes []suite.Outcome, where, profile string, madeAt time.Time, took time.Duration) Report {
	r := Report{
		MadeAt: madeAt.UTC().Truncate(time.Second), Where: where, Machine: machine(), Profile: profile, Seconds: seconds(took), Passed: true,
	}
	played := 0
	for _, o := range outcomes {
		d := DrillOf(o)
		r.Drills = append(r.Drills, d)
		r.Passed = r.Passed && d.Status != Failed
		if d.Status == Passed {
			played++
		}
	}
	r.Passed = r.Passed && played > 0 // a run of nothing shows nothing
	return r
}

func machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}

func seconds(d time.Duration) float64 { return float64(d.Milliseconds()/100) / 10 }

// DrillOf describes a drill and what it came to.
func DrillOf(o suite.Outcome) Drill {
	d := Drill{
		ID: o.Drill.ID, Name: o.Drill.Name, Happens: o.Drill.Happens, MustSee: o.Drill.MustSee, Promises: []string{}, Status: NotPlayed,
		Seconds: seconds(o.Took), Acts: []Act{},
	}
	for _, p := range o.Drill.Promises {
		d.Promises = append(d.Promises, string(p))
	}
	for _, s := range o.Skipped {
		text := s.Why
		if s.Act != "" {
			text = s.Act + ": " + s.Why
		}
		d.Skipped = append(d.Skipped, text)
	}
	for _, r := range o.Results {
		d.Acts = append(d.Acts, ActOf(o.Drill, r))
	}
	switch {
	case !o.Played():
	case o.Passed():
		d.Status = Passed
	default:
		d.Status = Failed
	}
	return d
}

// ActOf describes what an act came to.
func ActOf(d drills.Drill, r drills.Result) Act {
	a := Act{
		Title: r.Act, Passed: r.Passed(), Shown: r.Shown(), Seconds: seconds(r.Took), Deviations: r.Deviations, Findings: r.Findings,
		Promises: []Promise{}, Seen: r.Seen, Timeline: r.Timeline,
	}
	for _, act := range d.Acts {
		if act.Title == r.Act {
			a.Expected = act.Expected()
		}
	}
	for _, s := range r.Seen {
		a.Calls += s.Made()
		a.Replies += s.Replies
		a.Refused += s.Refused
		a.RefusedClaims += s.RefusedClaims
	}
	a.Told = told(r.Seen, r.Timeline)
	for _, v := range r.Report.Verdicts {
		a.Promises = append(a.Promises, Promise{string(v.Promise), v.Title, string(v.Status()), v.Cases})
	}
	return a
}

// WriteJSON writes the report.
func (r Report) WriteJSON(w io.Writer) error {
	if err := json.MarshalWrite(w, r, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
