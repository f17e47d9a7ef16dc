package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
)

// Story tells what happened to one task, line by line, with what was done
// meanwhile to the processes that had to do with it.
func Story(h history.History, task history.Ref) string {
	part := Part(h, task)
	line := drills.TimelineOf(part, nil)
	var out strings.Builder
	fmt.Fprintf(&out, "task %s\n", task)
	for _, bar := range line.Bars {
		if bar.Kind == drills.Frozen {
			line.Points = append(line.Points, drills.Moment{AtMS: bar.FromMS, Lane: bar.Lane, Text: fmt.Sprintf("stands still for %.1f s", float64(bar.ToMS-bar.FromMS)/1000)})
		}
	}
	slices.SortStableFunc(line.Points, func(a, b drills.Moment) int { return cmp.Compare(a.AtMS, b.AtMS) })
	for _, m := range line.Points {
		at := line.Begun.Add(time.Duration(m.AtMS) * time.Millisecond)
		fmt.Fprintf(&out, "  %s  %+9.3f s  %-12s %s\n", at.Format("15:04:05.000"), float64(m.AtMS)/1000, m.Lane, m.Text)
	}
	return out.String()
}

// Part is the part of a history that tells of one task, for people: what was done
// to the processes that had to do with it is in it, reads of idempotency records,
// which name no task, are not.
func Part(h history.History, task history.Ref) history.History {
	about := func(e history.Event) bool { return e.Task == task }
	first := slices.IndexFunc(h.Events, about)
	if first < 0 {
		return history.History{Header: h.Header}
	}
	actors, asks, last := map[string]bool{}, map[int64]bool{}, first
	for i, e := range h.Events {
		if about(e) {
			actors[e.Actor] = true
			if !ofCaller(e.Kind) {
				last = i // whoever reads it later on sees its end
			}
			asks[e.Op] = e.Kind == history.RequestAnswered // which alone names the task of a submit
		}
	}
	part := history.History{Header: h.Header}
	places := map[int64]int64{} // order numbers in the part, by those in the whole
	for i, e := range h.Events {
		lifecycle := i >= first && i <= last && actors[e.Actor] && ofProcess(e.Kind)
		if !about(e) && !lifecycle && !asks[e.Seq] && e.Kind != history.Drained {
			continue
		}
		e.Op = places[e.Op]
		places[e.Seq] = int64(len(part.Events)) + 1
		e.Seq = places[e.Seq]
		part.Events = append(part.Events, e)
	}
	return part
}

func ofCaller(kind history.Kind) bool {
	switch kind { //nolint:exhaustive // the others are of the service
	case history.RequestSent, history.RequestAnswered, history.ReadSent, history.ReadDone:
		return true
	}
	return false
}

func ofProcess(kind history.Kind) bool {
	switch kind { //nolint:exhaustive // the others are about tasks
	case history.ProcessKilled, history.ProcessFrozen, history.ProcessThawed, history.ProcessStarted, history.ClockStepped:
		return true
	}
	return false
}
