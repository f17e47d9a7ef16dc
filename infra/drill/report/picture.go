package report

import (
	"fmt"
	"html"
	"strings"

	"github.com/replyonce/replyonce/shared/drills"
)

// The measures of a picture, in pixels.
const (
	gutter     = 90 // for the names of lanes
	laneHeight = 34
	minWidth   = 900
	perSecond  = 140
	maxWidth   = 4000
	dot        = 4
	axis       = 22
)

// Picture draws a timeline as SVG: a lane for each who takes part, bars for what
// lasts, dots for what happens. Each dot says in words what it is.
func Picture(t drills.Timeline) string {
	width := min(max(minWidth, int(t.EndsMS)*perSecond/1000), maxWidth)
	height := axis + len(t.Lanes)*laneHeight + 6
	p := picture{timeline: t, width: width}
	fmt.Fprintf(&p.out, `<svg width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="timeline">`, gutter+width+20, height, gutter+width+20, height)
	p.seconds(height)
	for i, lane := range t.Lanes {
		y := axis + i*laneHeight
		fmt.Fprintf(&p.out, `<text class="lane" x="6" y="%d">%s</text><line class="grid" x1="%d" x2="%d" y1="%d" y2="%d"/>`,
			y+laneHeight/2+4, html.EscapeString(lane), gutter, gutter+width, y+laneHeight/2, y+laneHeight/2)
		p.lane(lane, y)
	}
	p.out.WriteString("</svg>")
	return p.out.String()
}

type picture struct {
	timeline drills.Timeline
	width    int
	out      strings.Builder
}

// x is the place of an instant.
func (p *picture) x(ms int64) int {
	if p.timeline.EndsMS == 0 {
		return gutter
	}
	return gutter + int(ms*int64(p.width)/p.timeline.EndsMS)
}

// seconds draws the time axis, with about ten marks.
func (p *picture) seconds(height int) {
	step := max(int64(1000), (p.timeline.EndsMS/10+999)/1000*1000)
	for ms := int64(0); ms <= p.timeline.EndsMS; ms += step {
		fmt.Fprintf(&p.out, `<line class="grid" x1="%d" x2="%d" y1="%d" y2="%d"/><text x="%d" y="12">%d s</text>`, p.x(ms), p.x(ms), axis-6, height, p.x(ms)+3, ms/1000)
	}
}

func (p *picture) lane(lane string, y int) {
	for _, b := range p.timeline.Bars {
		if b.Lane == lane {
			fmt.Fprintf(&p.out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="3"><title>%s</title></rect>`,
				html.EscapeString(string(b.Kind)), p.x(b.FromMS), y+5, max(p.x(b.ToMS)-p.x(b.FromMS), 2), laneHeight-10, html.EscapeString(b.Text))
			fmt.Fprintf(&p.out, `<text x="%d" y="%d" opacity=".75">%s</text>`, p.x(b.FromMS)+4, textAt(b, y), html.EscapeString(fits(b, p)))
		}
	}
	for _, m := range p.timeline.Points {
		if m.Lane != lane {
			continue
		}
		class, size := "dot", dot-1
		if m.Mark != "" {
			class, size = string(m.Mark), dot+1
		}
		x, center := p.x(m.AtMS), y+laneHeight/2
		title := fmt.Sprintf("<title>%d ms: %s</title>", m.AtMS, html.EscapeString(m.Text))
		if m.Mark == drills.Refusal {
			// A cross, so that it is not told by its colour alone.
			fmt.Fprintf(&p.out, `<path class="refused" d="M%d %dl3 3 -3 3 2 2 3 -3 3 3 2 -2 -3 -3 3 -3 -2 -2 -3 3 -3 -3z">%s</path>`, x-5, center-5, title)
			continue
		}
		fmt.Fprintf(&p.out, `<circle class="%s" cx="%d" cy="%d" r="%d">%s</circle>`, html.EscapeString(class), x, center, size, title)
	}
}

// textAt keeps the texts of bars apart that lie on each other.
func textAt(b drills.Bar, y int) int {
	if b.Kind == drills.Frozen {
		return y + laneHeight - 8
	}
	return y + 14
}

// fits is a bar's text, if there is room for it.
func fits(b drills.Bar, p *picture) string {
	const perLetter = 6
	if (p.x(b.ToMS)-p.x(b.FromMS))/perLetter < len(b.Text) {
		return ""
	}
	return b.Text
}
