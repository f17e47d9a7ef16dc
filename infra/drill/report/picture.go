package report

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/drills"
)

// The measures of a picture, in pixels; its texts are 12 pixels high or more.
const (
	gutter    = 92 // for the names of lanes
	minWidth  = 940
	perSecond = 140
	maxWidth  = 4000
	axis      = 24
	markRow   = 30 // of a lane, for what happens
	barRow    = 21 // of a lane, for what lasts; as many as lie on each other
	laneLeast = 34
	endRoom   = 86 // for the marks of the last instant, side by side
	perLetter = 6.6
)

// Picture draws a timeline as SVG: a lane for each who takes part, bars for what
// lasts, marks for what happens. Each mark says in words what it is, and those
// that stand out have the number that they have in the list of steps.
func Picture(t drills.Timeline) string {
	width := min(max(minWidth, int(t.EndsMS)*perSecond/1000), maxWidth)
	p := picture{timeline: t, width: width, moments: momentsOf(t)}
	lanes := make([]lane, len(t.Lanes))
	height := axis
	for i, name := range t.Lanes {
		lanes[i] = layOut(t, name, height)
		height = lanes[i].bottom
	}
	whole := gutter + width + endRoom
	fmt.Fprintf(&p.out, `<svg class="timeline" style="min-width:%dpx" viewBox="0 0 %d %d" role="img" aria-label="Timeline; the list below says the same in words">`, whole, whole, height)
	for i, l := range lanes {
		if i%2 == 0 {
			fmt.Fprintf(&p.out, `<rect class="band" x="0" y="%d" width="%d" height="%d"/>`, l.top, whole, l.bottom-l.top)
		}
	}
	p.seconds(height)
	for _, l := range lanes {
		p.lane(l, whole)
	}
	p.out.WriteString("</svg>")
	return p.out.String()
}

type picture struct {
	timeline drills.Timeline
	moments  []moment
	width    int
	out      strings.Builder
}

// lane is the place of one who takes part.
type lane struct {
	name        string
	bars        []placed
	top, bottom int
}

// placed is a bar in a row of its lane.
type placed struct {
	drills.Bar
	row int
}

// layOut puts bars that overlap into rows of their own.
func layOut(t drills.Timeline, name string, top int) lane {
	l := lane{name: name, top: top}
	var ends []int64
	bars := slices.DeleteFunc(slices.Clone(t.Bars), func(b drills.Bar) bool { return b.Lane != name })
	slices.SortStableFunc(bars, func(a, b drills.Bar) int { return cmp.Compare(a.FromMS, b.FromMS) })
	for _, b := range bars {
		row := slices.IndexFunc(ends, func(end int64) bool { return end <= b.FromMS })
		if row < 0 {
			row, ends = len(ends), append(ends, 0)
		}
		ends[row] = b.ToMS
		l.bars = append(l.bars, placed{b, row})
	}
	l.bottom = top + max(laneLeast, markRow+len(ends)*barRow+4)
	return l
}

// x is the place of an instant.
func (p *picture) x(ms int64) float64 {
	if p.timeline.EndsMS == 0 {
		return gutter
	}
	return gutter + float64(ms)*float64(p.width)/float64(p.timeline.EndsMS)
}

// seconds draws the time axis, with about ten marks.
func (p *picture) seconds(height int) {
	step := max(int64(1000), (p.timeline.EndsMS/10+999)/1000*1000)
	for ms := int64(0); ms <= p.timeline.EndsMS; ms += step {
		fmt.Fprintf(&p.out, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="13">%d s</text>`, p.x(ms), p.x(ms), axis-6, height, p.x(ms)+3, ms/1000)
	}
}

func (p *picture) lane(l lane, whole int) {
	middle := l.top + markRow/2
	fmt.Fprintf(&p.out, `<text class="lane" x="6" y="%d">%s</text><line class="grid" x1="%d" x2="%d" y1="%d" y2="%d"/>`,
		middle+4, html.EscapeString(l.name), gutter-6, whole, middle, middle)
	for i, b := range l.bars {
		free := float64(whole)
		for _, next := range l.bars[i+1:] {
			if next.row == b.row {
				free = p.x(next.FromMS)
				break
			}
		}
		p.bar(b, l.top+markRow+b.row*barRow, free)
	}
	p.marks(l.name, middle, float64(whole-20))
}

// bar draws a bar, with its text in it or, up to where it is free, behind it.
func (p *picture) bar(b placed, y int, free float64) {
	from, to := p.x(b.FromMS), max(p.x(b.ToMS), p.x(b.FromMS)+3)
	fmt.Fprintf(&p.out, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d" rx="3"><title>%s: %s to %s</title></rect>`,
		html.EscapeString(string(b.Kind)), from, y, to-from, barRow-4, html.EscapeString(barText(b.Bar)), secondsAt(b.FromMS), secondsAt(b.ToMS))
	write := func(x float64, text string) {
		fmt.Fprintf(&p.out, `<text x="%.1f" y="%d">%s</text>`, x, y+13, html.EscapeString(text))
	}
	switch texts := []string{barText(b.Bar), b.Text}; {
	case length(texts[0]) < to-from-8:
		write(from+5, texts[0])
	case length(texts[1]) < to-from-8:
		write(from+5, texts[1])
	case length(texts[1]) < free-to-8:
		write(to+5, texts[1])
	}
}

// length is about how wide a text is.
func length(text string) float64 { return perLetter * float64(len(text)) }

func barText(b drills.Bar) string {
	switch b.Kind {
	case drills.Lease:
		return "holds the task: " + b.Text
	case drills.Frozen:
		return "stands still"
	case drills.Calling:
	}
	return b.Text
}

// marks draws what happens in a lane. Neighbours give way to the right, so that
// each can be told; what stands out lies on top.
func (p *picture) marks(name string, y int, last float64) {
	var marked strings.Builder
	free := 0.0
	for _, m := range p.moments {
		if m.Lane != name {
			continue
		}
		at := min(max(p.x(m.AtMS), free), last)
		out, number := &p.out, ""
		free = at + 12
		if m.Mark != "" {
			out, free = &marked, at+19
		}
		if m.number > 0 {
			number = fmt.Sprintf(`<text class="number" x="8" y="-5">%d</text>`, m.number)
			free += 4 * float64(len(fmt.Sprint(m.number)))
		}
		fmt.Fprintf(out, `<g transform="translate(%.1f %d)"><title>%s: %s</title>%s%s</g>`, at, y, secondsAt(m.AtMS), html.EscapeString(m.text()), symbol(m.Mark), number)
	}
	p.out.WriteString(marked.String())
}
