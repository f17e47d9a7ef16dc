package report

import (
	"strings"

	"github.com/replyonce/replyonce/shared/drills"
)

// mostNumbers is how many numbers a picture has; more are noise.
const mostNumbers = 30

// moment is a point of a timeline with its number; 0: it has none.
type moment struct {
	drills.Moment
	number int
}

// momentsOf numbers what stands out.
func momentsOf(t drills.Timeline) []moment {
	marked := 0
	for _, p := range t.Points {
		if p.Mark != "" {
			marked++
		}
	}
	moments, last := make([]moment, len(t.Points)), 0
	for i, p := range t.Points {
		moments[i].Moment = p
		if p.Mark != "" && marked <= mostNumbers {
			last++
			moments[i].number = last
		}
	}
	return moments
}

// text is what happens, in the words of people.
func (m moment) text() string { return plainly(m.Text) }

// step is a line of the story.
type step struct {
	Number int // 0: it has none
	At     string
	Lane   string
	Text   string
	Mark   drills.Mark
}

// stepsOf are the moments that tell the story.
func stepsOf(t drills.Timeline) []step {
	var steps []step
	for _, m := range momentsOf(t) {
		if m.Mark != "" || m.Lane == drills.LaneBrowser || strings.Contains(m.Text, "takes the task") {
			steps = append(steps, step{m.number, secondsAt(m.AtMS), m.Lane, m.text(), m.Mark})
		}
	}
	return steps
}

// longStory is from how many steps on a story is folded.
const longStory = 40
