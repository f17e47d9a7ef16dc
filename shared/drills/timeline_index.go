package drills

import (
	"fmt"

	"github.com/replyonce/replyonce/shared/history"
)

// created tells what was accepted.
func (b *teller) created(s Sight) {
	switch v := s.Creation.Version; {
	case s.Task == "":
	case v != nil:
		b.point(s.At, LaneAPI, fmt.Sprintf("%sstores version %d and its task", b.of(s.Task), v.Number), "")
	default:
		b.point(s.At, LaneAPI, b.of(s.Task)+"stores the question and its task", "")
	}
}

// indexed tells a write of a version that the store has taken.
func (b *teller) indexed(s Sight) {
	w, lane := s.Index, laneOf(s.Began.Actor)
	switch w.What {
	case history.IndexTake:
		b.point(s.At, lane, fmt.Sprintf("may write version %d now, as assignment %d", w.Version, w.Writer), "")
	case history.IndexEntries:
		b.point(s.At, lane, fmt.Sprintf("writes %d entries of version %d", len(w.Entries), w.Version), "")
	case history.IndexPublish:
		b.point(s.At, lane, fmt.Sprintf("publishes version %d", w.Version), "")
		b.point(s.At, LaneTask, fmt.Sprintf("version %d is ready; version %d is the current one", w.Version, w.Current), Saved)
	case history.IndexFail, history.IndexClose:
		b.point(s.At, lane, fmt.Sprintf("says that version %d has failed", w.Version), "")
	}
}

// indexNames name writes of versions for people.
var indexNames = map[string]string{
	history.IndexTake: "taking", history.IndexEntries: "write of entries", history.IndexPublish: "publication", history.IndexFail: "failure",
	history.IndexClose: "end",
}

// heardIndex tells what the sender of such a write learns, unless it is what it
// wanted.
func (b *teller) heardIndex(s Sight) {
	w, lane := s.Began.Index, laneOf(s.Actor)
	switch s.Outcome { //nolint:exhaustive // a write that landed is told where it landed
	case history.RefusedBy:
		b.point(s.At, lane, fmt.Sprintf("its %s of version %d is refused", indexNames[w.What], w.Version), Refusal)
	case history.Lost:
		b.point(s.At, lane, fmt.Sprintf("does not hear what became of its %s of version %d", indexNames[w.What], w.Version), Loss)
	case history.Unavailable:
		b.point(s.At, lane, fmt.Sprintf("the store does not take its %s of version %d", indexNames[w.What], w.Version), Loss)
	}
}
