package operator

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// page collects lines and remembers the first fault of the writer.
type page struct {
	w   io.Writer
	err error
}

func (p *page) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// table aligns what fill writes, whose cells end in tabs.
func (p *page) table(fill func(t *page)) {
	if p.err != nil {
		return
	}
	aligned := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	inner := &page{w: aligned}
	fill(inner)
	if p.err = inner.err; p.err == nil {
		p.err = aligned.Flush()
	}
}

func (p *page) done() error {
	if p.err != nil {
		return fmt.Errorf("print: %w", p.err)
	}
	return nil
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
