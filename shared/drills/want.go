package drills

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Want is what must become of a task.
type Want struct {
	Status   worktask.Status // "" leaves the end open
	Reason   worktask.Reason // of a failure
	Requests Range           // in the provider's own log
	Calls    Range           // recorded on the task
	Unknown  Range           // of these with an end that nobody saw
	Version  Range           // of the last assignment
	Refused  Range           // writes and claims that the store refused
	CutShort bool            // the reply is marked so
}

// Range is how many, from Min to Max.
type Range struct{ Min, Max int }

const unbounded = 1 << 30

func exactly(n int) Range         { return Range{n, n} }
func between(low, high int) Range { return Range{low, high} }
func atLeast(n int) Range         { return Range{n, unbounded} }

// any number is right.
var whatever = Range{0, unbounded}

func (r Range) holds(n int) bool { return r == whatever || (r.Min <= n && n <= r.Max) }

func (r Range) String() string {
	switch {
	case r.Min == r.Max:
		return fmt.Sprint(r.Min)
	case r.Max == unbounded:
		return fmt.Sprintf("%d or more", r.Min)
	}
	return fmt.Sprintf("%d–%d", r.Min, r.Max)
}

// Seen is what became of a task.
type Seen struct {
	Task     string          `json:"task"`
	Question string          `json:"question"`
	Status   worktask.Status `json:"status"`
	Reason   worktask.Reason `json:"reason,omitempty"`
	Requests int             `json:"requests"` // in the provider's own log; -1: it is not at hand
	Calls    int             `json:"calls"`    // recorded on the task
	Unknown  int             `json:"calls_unknown"`
	Version  int             `json:"assignment_version"`
	Refused  int             `json:"refused"` // writes and claims
	Replies  int             `json:"replies"`
	CutShort bool            `json:"cut_short,omitempty"`

	RefusedClaims int `json:"refused_claims"` // of Refused
}

// unseen is the number of requests where the provider's log is not at hand.
const unseen = -1

// once is the normal course: one request, one reply, nobody was refused.
var once = Want{Status: worktask.Completed, Requests: exactly(1), Calls: exactly(1), Version: exactly(1), Refused: whatever}

// twice is a reply at the second try, the first one's end unknown.
var twice = Want{
	Status: worktask.Completed, Requests: exactly(2), Calls: exactly(2), Unknown: exactly(1), Version: exactly(2), Refused: whatever,
}

// compare lists in what a task is not as wanted.
func (w Want) compare(s Seen) []string {
	var deviations []string
	differs := func(what string, got, want any) {
		deviations = append(deviations, fmt.Sprintf("%s: %v, want %v", what, got, want))
	}
	if !w.any() {
		deviations = w.compareEnd(s)
	}
	for _, number := range []struct {
		what string
		seen int
		want Range
	}{
		{"requests that the provider got", s.Requests, w.Requests},
		{"calls that the task recorded", s.Calls, w.Calls},
		{"calls whose answer was lost to the service", s.Unknown, w.Unknown},
		{"last assignment", s.Version, w.Version},
		{"refused writes and claims", s.Refused, w.Refused},
	} {
		if !number.want.holds(number.seen) {
			differs(number.what, number.seen, number.want)
		}
	}
	return deviations
}

// compareEnd lists in what the end of a task is not as wanted.
func (w Want) compareEnd(s Seen) []string {
	var deviations []string
	differs := func(what string, got, want any) {
		if got != want {
			deviations = append(deviations, fmt.Sprintf("%s: %v, want %v", what, got, want))
		}
	}
	differs("status", s.Status, w.Status)
	differs("reason of the failure", s.Reason, w.Reason)
	differs("reply marked as cut short", s.CutShort, w.CutShort)
	differs("saved replies", s.Replies, w.replies())
	return deviations
}

// any reports whether the want leaves the end open.
func (w Want) any() bool { return w.Status == "" }

func (w Want) replies() int {
	if w.Status == worktask.Completed {
		return 1
	}
	return 0
}

// String is the want in a few words, for tables.
func (w Want) String() string {
	var text strings.Builder
	text.WriteString(string(w.Status))
	if w.any() {
		text.WriteString("one end")
	}
	if w.Reason != "" {
		fmt.Fprintf(&text, " (%s)", plainReason(w.Reason))
	}
	lost := w.Unknown.String()
	if w.Unknown == whatever {
		lost = "0" // it says nothing
	}
	course(&text, w.Version.String(), w.Requests.String(), w.Calls.String(), lost)
	return text.String()
}

// Made is how many requests were made: those of the provider's log, or the calls
// that the task shows where the log is not at hand.
func (s Seen) Made() int {
	if s.Requests == unseen {
		return s.Calls
	}
	return s.Requests
}

// String is what was seen, in the words of the want.
func (s Seen) String() string {
	var text strings.Builder
	text.WriteString(string(s.Status))
	if s.Reason != "" {
		fmt.Fprintf(&text, " (%s)", plainReason(s.Reason))
	}
	requests := ""
	if s.Requests != unseen {
		requests = strconv.Itoa(s.Requests)
	}
	course(&text, strconv.Itoa(s.Version), requests, strconv.Itoa(s.Calls), strconv.Itoa(s.Unknown))
	return text.String()
}

// course says how a task came to its end: the last assignment, the requests that
// the provider got ("": its log is not at hand), the calls recorded on the task,
// and those of them whose answer the service did not get.
func course(text *strings.Builder, assignment, requests, calls, lost string) {
	if assignment == "0" {
		text.WriteString(", never assigned")
	} else {
		text.WriteString(" at assignment " + assignment)
	}
	if requests != "" {
		text.WriteString("; " + counted(requests, "request"))
	}
	text.WriteString(", " + counted(calls, "call"))
	if lost != "0" {
		text.WriteString(", " + counted(lost, "answer") + " lost")
	}
}

func plainReason(r worktask.Reason) string { return strings.ReplaceAll(string(r), "_", " ") }

func counted(number, noun string) string {
	if number != "1" {
		noun += "s"
	}
	return number + " " + noun
}

// Expected is what must become of the act's tasks, in a few words.
func (a Act) Expected() string {
	var words []string
	for _, w := range slices.Concat(append(a.wants(), a.Indexes)...) {
		words = append(words, w.String())
	}
	return several(words)
}

func (a Act) wants() [][]Want {
	lists := make([][]Want, len(a.Asks))
	for i, ask := range a.Asks {
		lists[i] = ask.Want
	}
	return lists
}

// Shown is what became of them.
func (r Result) Shown() string {
	words := make([]string, len(r.Seen))
	for i, s := range r.Seen {
		words[i] = s.String()
	}
	return several(words)
}

// several names equal texts once, with their number.
func several(words []string) string {
	var order []string
	count := map[string]int{}
	for _, w := range words {
		if count[w]++; count[w] == 1 {
			order = append(order, w)
		}
	}
	for i, w := range order {
		if n := count[w]; n > 1 {
			order[i] = fmt.Sprintf("%d × %s", n, w)
		}
	}
	return strings.Join(order, "; ")
}
