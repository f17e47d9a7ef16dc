package drills

import (
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/indexing"
)

// landed tells a write that the store has taken: what its sender did, and what
// has become of the task.
func (b *teller) landed(s Sight) {
	w, item, lane := s.Event.Write, s.After, laneOf(s.Began.Actor)
	id := b.of(s.Task)
	defer func() { b.version[s.Task] = item.AssignmentVersion }()
	if b.stale(s, lane) {
		return
	}
	switch w.Transition {
	case history.Claim, history.LookupClaim:
		for other, bar := range b.leases {
			if bar.ToMS < 0 && strings.HasPrefix(other, string(s.Task)+" ") {
				b.end(bar, b.ms(s.At)) // its time was over
			}
		}
		bar := b.bar(s.At, lane, fmt.Sprintf("%sassignment %d", id, item.AssignmentVersion), Lease)
		b.leases[string(s.Task)+" "+w.AssignmentID], b.until[bar] = bar, b.ms(item.LeaseExpiresAt.Time())
		b.point(s.At, lane, fmt.Sprintf("%stakes the task: assignment %d", id, item.AssignmentVersion), "")
	case history.Renew:
		if bar := b.leases[string(s.Task)+" "+w.AssignmentID]; bar != nil {
			b.until[bar] = b.ms(item.LeaseExpiresAt.Time())
		}
		b.point(s.At, lane, id+"renews its hold", "")
	case history.Begin:
		b.point(s.At, lane, id+"notes that it is about to ask", "")
	case history.SaveOperation:
		b.point(s.At, lane, id+"notes the provider's number", "")
	case history.Complete:
		b.saves(s, lane)
		return
	case history.Release:
		b.point(s.At, lane, id+"gives the task back: "+strings.ReplaceAll(w.Mode, "_", " "), "")
	case history.Fail:
		b.point(s.At, lane, id+"ends the task: "+strings.ReplaceAll(w.Reason, "_", " "), "")
	case history.End:
		b.point(s.At, lane, id+"ends the task: "+strings.ReplaceAll(w.Reason, "_", " "), "")
	case history.Bump:
		b.point(s.At, lane, id+"finds the task due, moves its due time", "")
		return // which changes nothing that people see
	}
	b.endLease(s.Task, w.AssignmentID, s)
	if w.Transition != history.Renew && w.Transition != history.Begin {
		b.point(s.At, LaneTask, id+state(w, item), "")
	}
}

// state is what a task is after a write, in words.
func state(w *history.Write, item *history.Item) string {
	switch {
	case item.AssignmentVersion == 0 || w.Transition == history.Cancel: // which counts up, and assigns nothing
		return item.Status
	case w.Transition == history.Release:
		return fmt.Sprintf("%s, free again after assignment %d", item.Status, item.AssignmentVersion)
	}
	return fmt.Sprintf("%s, assignment %d", item.Status, item.AssignmentVersion)
}

// saves tells that a reply was saved.
func (b *teller) saves(s Sight, lane string) {
	id, w := b.of(s.Task), s.Event.Write
	if item := s.After; item.Kind == indexing.Kind {
		b.endLease(s.Task, w.AssignmentID, s)
		b.point(s.At, lane, id+"completes the task", "")
		b.point(s.At, LaneTask, id+state(w, item), "")
		return
	}
	who, what, mark := "saves the reply", fmt.Sprintf("completed: the reply of assignment %d is saved", w.AssignmentVersion), Saved
	if b.saved[s.Task] {
		who, what, mark = "saves another reply over the saved one", "the saved reply is overwritten by another one", Overwritten
	}
	b.saved[s.Task] = true
	b.endLease(s.Task, w.AssignmentID, s)
	b.point(s.At, lane, id+who, mark)
	b.point(s.At, LaneTask, id+what, mark)
}

// stale tells a write that the store has taken although the task was no longer
// its sender's, which only a broken service does.
func (b *teller) stale(s Sight, lane string) bool {
	w, item, id := s.Event.Write, s.After, b.of(s.Task)
	if !w.Fenced() || w.AssignmentVersion >= b.version[s.Task] {
		return false
	}
	what, mark := item.Status+", as a worker wants that no longer has it", Stale
	if w.Transition == history.Complete {
		what = fmt.Sprintf("completed: the wrong reply is saved, of assignment %d; the task was with assignment %d", w.AssignmentVersion, b.version[s.Task])
		if b.saved[s.Task] {
			what, mark = "the saved reply is overwritten by another one", Overwritten
		}
		b.saved[s.Task] = true
	}
	b.spoiled[s.Task] = true
	b.endLease(s.Task, w.AssignmentID, s)
	b.point(s.At, lane, fmt.Sprintf("%sits %s is taken, although the task is no longer its own", id, plainly[w.Transition]), Stale)
	b.point(s.At, LaneTask, id+what, mark)
	return true
}

// endLease ends the bar of an assignment that has given its task back; all those
// of an ended task.
func (b *teller) endLease(task history.Ref, assignment string, s Sight) {
	if s.Event.Write.Transition != history.Release && !s.After.Ended() {
		return
	}
	for key, bar := range b.leases {
		of, id, _ := strings.Cut(key, " ")
		if of == string(task) && bar.ToMS < 0 && (id == assignment || s.After.Ended()) {
			b.end(bar, b.ms(s.At))
		}
	}
}

// plainly names writes for people.
var plainly = map[string]string{
	history.Claim: "claim", history.LookupClaim: "claim", history.Begin: "note before the call", history.Renew: "renewal", history.SaveOperation: "note of the number",
	history.Complete: "save", history.Release: "giving back", history.Fail: "failure", history.End: "end", history.Cancel: "Stop", history.Bump: "new due time",
}

// plainOp names a request for people.
func plainOp(op Op) string {
	switch op { //nolint:exhaustive // the others are named by plainly, or by themselves
	case TakeVersion:
		return "taking of the version"
	case WriteEntries:
		return "write of entries"
	case PublishVersion:
		return "publication"
	}
	if name, known := plainly[string(op)]; known {
		return name
	}
	return string(op)
}

// heard tells what the sender of a write learns, unless it is what it wanted.
func (b *teller) heard(s Sight) {
	w := s.Write()
	if w == nil {
		return
	}
	what, lane := plainly[w.Transition], laneOf(s.Actor)
	switch s.Outcome { //nolint:exhaustive // a write that landed is told where it landed
	case history.RefusedBy:
		if w.Transition == history.Bump {
			return
		}
		b.refused(s, lane, what)
	case history.Lost:
		b.point(s.At, lane, fmt.Sprintf("%sdoes not hear what became of its %s", b.of(s.Task), what), Loss)
	case history.Unavailable:
		b.point(s.At, lane, fmt.Sprintf("%sthe store does not take its %s", b.of(s.Task), what), Loss)
	}
}

// refused tells a write that the store has not taken.
func (b *teller) refused(s Sight, lane, what string) {
	text, mark := "its "+what+" is refused", Refusal
	switch w := s.Write(); {
	case w.Claims():
		mark = TurnedAway
	case w.Fenced() && b.spoiled[s.Task] && w.AssignmentVersion == b.version[s.Task]:
		text, mark = "the rightful worker is turned away: "+text, Robbed
	}
	key := strings.Join([]string{s.Actor, s.Write().Transition, s.Write().AssignmentID}, " ")
	if b.refusals[key] { // a client sends again what was not answered in time
		text += " again"
	}
	b.refusals[key] = true
	b.point(s.At, lane, b.of(s.Task)+text, mark)
}

// killed is what the lease of a killed process says besides.
const killed = ", killed"

// call tells the provider's log.
func (b *teller) call(s Sight) {
	id := s.Call.RequestID
	switch s.Kind { //nolint:exhaustive // these are the provider's
	case history.CallReceived:
		b.requests[id] = len(b.requests) + 1
		b.calls[s.Seq] = b.bar(s.At, LaneProvider, fmt.Sprintf("%srequest %d", b.of(s.Task), b.requests[id]), Calling)
		b.point(s.At, LaneProvider, fmt.Sprintf("%srequest %d arrives", b.of(s.Task), b.requests[id]), "")
	case history.CallAnswered:
		text := "has its answer to request %d"
		if s.Call.Replayed {
			text = "knows request %d already: the same answer once more"
		} else if s.Call.Status >= 400 {
			text = "refuses request %d"
		}
		b.point(s.At, LaneProvider, b.of(s.Task)+fmt.Sprintf(text, b.requests[id]), "")
		b.endCall(s)
	case history.CallDelivered:
		b.endCall(s)
	}
}

func (b *teller) endCall(s Sight) {
	if bar := b.calls[s.Op]; bar != nil {
		bar.ToMS = b.ms(s.At)
	}
}

// process tells the lives of processes.
func (b *teller) process(s Sight) {
	lane := laneOf(s.Actor)
	switch s.Kind { //nolint:exhaustive // these are the processes'
	case history.ProcessStarted:
		b.point(s.At, lane, s.Actor+" starts anew", "")
	case history.ProcessKilled:
		b.point(s.At, lane, s.Actor+" is killed", Death)
		if bar := b.frozen[s.Actor]; bar != nil && bar.ToMS < 0 {
			bar.ToMS = b.ms(s.At) // its successor does not stand still
		}
		for _, bar := range b.leases {
			if bar.ToMS < 0 && bar.Lane == lane {
				bar.Text += killed
			}
		}
	case history.ProcessFrozen:
		b.frozen[s.Actor] = b.bar(s.At, lane, s.Actor+" stands still", Frozen)
	case history.ProcessThawed:
		if bar := b.frozen[s.Actor]; bar != nil && bar.ToMS < 0 {
			bar.ToMS = b.ms(s.At)
			b.point(s.At, lane, s.Actor+" wakes up", "")
		}
	case history.ClockStepped:
		b.point(s.At, lane, fmt.Sprintf("the clock of %s is %.1f s off", s.Actor, float64(s.Clock.OffsetMS)/1000), Trouble)
	}
}
