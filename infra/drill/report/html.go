package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/replyonce/replyonce/shared/worktask"
)

//go:embed report.tmpl
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"picture": func(a Act) template.HTML { return template.HTML(Picture(a.Timeline)) }, //nolint:gosec // escapes what is not its own
	"legend":  func(a Act) template.HTML { return legendOf(a.Timeline) },
	"steps":   func(a Act) []step { return stepsOf(a.Timeline) },
	"folded":  func(steps []step) bool { return len(steps) > longStory },
	"sign":    symbolInText,
	"plain":   plainly,
	"at":      secondsAt,
	"timers":  timers,
	"writes":  func(a Act) int { return a.Refused - a.RefusedClaims },
	"mark":    mark,
}).Parse(page))

// timers says what the name of a profile means.
func timers(profile string) string {
	for _, t := range []worktask.Timers{worktask.ShortTimers(), worktask.DefaultTimers()} {
		if t.Profile == profile {
			return fmt.Sprintf("Timers “%s”: a worker may hold a task for %.0f s at a time", profile, t.Lease.Seconds())
		}
	}
	return fmt.Sprintf("Timers “%s”", profile)
}

// WriteHTML writes the report as one page: styles and pictures are in it.
func (r Report) WriteHTML(w io.Writer) error {
	if err := pageTemplate.Execute(w, r); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
