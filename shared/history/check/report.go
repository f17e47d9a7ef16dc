package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/history"
)

// Promise names what is decided: a promise by its number in the documentation,
// or a rule that the promises rest on.
type Promise string

// The promises and rules, in the order of reports.
const (
	P1  Promise = "P1"
	P2  Promise = "P2"
	P3  Promise = "P3"
	P4  Promise = "P4"
	P5  Promise = "P5"
	P6  Promise = "P6"
	P7  Promise = "P7"
	P8  Promise = "P8"
	P9  Promise = "P9"
	P10 Promise = "P10"
	P11 Promise = "P11"
	P12 Promise = "P12"
	P14 Promise = "P14"

	DueTime      Promise = "due-time"
	EndFinal     Promise = "end-final"
	Linearizable Promise = "linearizable"
)

// Status is the verdict in one word.
type Status string

// The verdicts.
const (
	Kept      Status = "kept"
	Broken    Status = "broken"
	Undecided Status = "undecided"
	NotSeen   Status = "not seen"
)

// Finding is one case against a promise, or one that could not be decided.
type Finding struct {
	Promise   Promise
	Undecided bool
	Task      history.Ref // empty where no task is concerned
	Events    []int64     // order numbers of the events that show it
	Text      string      // in plain words
}

func (f Finding) String() string {
	var at strings.Builder
	for i, seq := range f.Events {
		if i > 0 {
			at.WriteString(" ")
		}
		fmt.Fprintf(&at, "#%d", seq)
	}
	subject := ""
	if f.Task != "" {
		subject = " task " + string(f.Task)
	}
	return fmt.Sprintf("%s%s: %s (%s)", f.Promise, subject, f.Text, at.String())
}

// Verdict is what was decided of one promise.
type Verdict struct {
	Promise  Promise
	Title    string // the promise in a few words
	Cases    int    // how many were decided
	Skipped  int    // cases left out because another promise names them already
	Findings []Finding
}

// Status is the verdict in one word.
func (v Verdict) Status() Status {
	status := NotSeen
	if v.Cases > 0 {
		status = Kept
	}
	for _, f := range v.Findings {
		if !f.Undecided {
			return Broken
		}
		status = Undecided
	}
	return status
}

// Report has a verdict for each promise that was asked for.
type Report struct {
	Verdicts []Verdict
}

// Of is the verdict on one promise.
func (r Report) Of(p Promise) Verdict {
	for _, v := range r.Verdicts {
		if v.Promise == p {
			return v
		}
	}
	return Verdict{Promise: p}
}

// Broken lists the promises that were not kept.
func (r Report) Broken() []Promise { return r.with(Broken) }

// Undecided lists the promises of which nothing is broken and something could
// not be decided.
func (r Report) Undecided() []Promise { return r.with(Undecided) }

func (r Report) with(s Status) []Promise {
	var list []Promise
	for _, v := range r.Verdicts {
		if v.Status() == s {
			list = append(list, v.Promise)
		}
	}
	return list
}

// Good reports whether nothing is broken and nothing undecided.
func (r Report) Good() bool { return len(r.Broken()) == 0 && len(r.Undecided()) == 0 }

// Findings lists all of them, the broken promises first.
func (r Report) Findings() []Finding {
	var list []Finding
	for _, v := range r.Verdicts {
		list = append(list, v.Findings...)
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		switch {
		case a.Undecided == b.Undecided:
			return 0
		case b.Undecided:
			return -1
		}
		return 1
	})
	return list
}

// findingsShown bounds how many findings of one promise are printed.
const findingsShown = 5

// Print writes the report for people.
func (r Report) Print(w io.Writer) error {
	var text strings.Builder
	for _, v := range r.Verdicts {
		skipped := ""
		if v.Skipped > 0 {
			skipped = fmt.Sprintf(", %d left out, named above", v.Skipped)
		}
		fmt.Fprintf(&text, "%-9s %-12s %s (%d cases%s)\n", v.Status(), v.Promise, v.Title, v.Cases, skipped)
		for i, f := range v.Findings {
			if i == findingsShown {
				fmt.Fprintf(&text, "            … and %d more\n", len(v.Findings)-findingsShown)
				break
			}
			fmt.Fprintf(&text, "            %s\n", f)
		}
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	return nil
}
