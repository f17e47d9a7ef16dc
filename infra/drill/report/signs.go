package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/drills"
)

// sign is a mark as it is drawn, around the middle of a box of 16 by 16. Shapes
// tell marks apart; colours only help.
type sign struct {
	mark    drills.Mark
	drawn   string
	meaning string
}

// signs are in the order of the legend. The marks of what a service never does
// come last.
var signs = []sign{
	{"", `<circle r="3"/>`, "something else happens: point at it, or see the list of everything"},
	{drills.Trouble, `<path d="M1.6-7.4-4.8 1.2h4l-1.4 6.2 6.6-9h-4.2z"/>`, "the drill does something to the service"},
	{drills.Death, `<rect x="-6.5" y="-6.5" width="13" height="13" rx="2.5"/><path class="line" d="M-3-3 3 3M3-3-3 3"/>`, "a process is killed"},
	{drills.Loss, `<circle class="dashed" r="5.8"/><path class="stroke" d="M-6.5 6.5 6.5-6.5"/>`, "an answer or an acknowledgement is lost"},
	{drills.LeaseOver, `<path class="stroke" d="M-5-7H5M-5 7H5M-4-6.5 4 6.5M4-6.5-4 6.5"/>`, "the time is over for which a worker may hold the task"},
	{drills.TurnedAway, `<circle class="ring" r="6"/><path class="stroke" d="M-3 0H3"/>`, "a claim is refused: a worker came while the task was not free"},
	{drills.Refusal, `<circle r="7"/><path class="line" d="M-4 0H4"/>`, "a write is refused: the protection at work"},
	{drills.Saved, `<circle class="ring" r="6"/><circle r="2.6"/>`, "a reply is saved"},
	{drills.Stale, `<path d="M0-8 8 0 0 8-8 0z"/><path class="line" d="M0-3.6V.8M0 3.6v.1"/>`, "a worker writes that no longer has the task: must never happen"},
	{drills.Overwritten, `<path d="M0-8 8 6.5H-8z"/><path class="line" d="M0-3.4V1.4M0 4.1v.1"/>`, "a saved reply is overwritten: must never happen"},
	{drills.Robbed, `<path d="M-3.3-8H3.3L8-3.3V3.3L3.3 8H-3.3L-8 3.3V-3.3z"/><path class="line" d="M-4 0H4"/>`, "the rightful worker is turned away: must never happen"},
}

// symbol draws a mark.
func symbol(m drills.Mark) string {
	i := slices.IndexFunc(signs, func(s sign) bool { return s.mark == m })
	if i < 0 {
		i = 0
	}
	return fmt.Sprintf(`<g class="sign sign-%s">%s</g>`, classOf(signs[i].mark), signs[i].drawn)
}

func classOf(m drills.Mark) string {
	if m == "" {
		return "plain"
	}
	return string(m)
}

// symbolInText draws a mark as large as a line of text.
func symbolInText(m drills.Mark) template.HTML {
	return template.HTML(`<svg class="inline" viewBox="-9 -9 18 18" width="18" height="18" aria-hidden="true">` + symbol(m) + `</svg>`) //nolint:gosec // signs are constants
}

// bars says what the kinds of bars mean.
var bars = []struct {
	kind    drills.BarKind
	meaning string
}{
	{drills.Lease, "a worker holds the task"},
	{drills.Calling, "the provider works on a request"},
	{drills.Frozen, "a process stands still, and knows nothing of it"},
}

// legendOf explains what occurs in a timeline.
func legendOf(t drills.Timeline) template.HTML {
	var out strings.Builder
	for _, s := range signs {
		if slices.ContainsFunc(t.Points, func(m drills.Moment) bool { return m.Mark == s.mark }) {
			fmt.Fprintf(&out, "<li>%s %s</li>", symbolInText(s.mark), s.meaning)
		}
	}
	for _, b := range bars {
		if slices.ContainsFunc(t.Bars, func(one drills.Bar) bool { return one.Kind == b.kind }) {
			fmt.Fprintf(&out, `<li><svg class="inline" viewBox="0 0 24 14" width="24" height="14" aria-hidden="true"><rect class="%s" x="1" y="1" width="22" height="12" rx="3"/></svg> %s</li>`, b.kind, b.meaning)
		}
	}
	return template.HTML(out.String()) //nolint:gosec // nothing in it comes from a record
}
