package check_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
)

// FuzzCheck: whatever reads as a history gets verdicts, and never a panic.
func FuzzCheck(f *testing.F) {
	for _, play := range []func(*script){answered, replaced, lostEverything, overAndCancelled} {
		s := newScript(f)
		play(s)
		var file bytes.Buffer
		if _, err := s.r.History().WriteTo(&file); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := history.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		if _, err := check.Check(h, check.Options{Steps: 500}); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzCheckSpoilt: a good history of which events are taken out, put elsewhere
// or robbed of their content gets verdicts too.
func FuzzCheckSpoilt(f *testing.F) {
	f.Add(uint8(0), []byte{0, 5})
	f.Add(uint8(1), []byte{1, 7, 2, 9, 1, 1})
	f.Add(uint8(2), []byte{2, 3, 2, 4, 2, 5, 0, 0})
	f.Add(uint8(3), []byte{1, 2, 0, 3})
	f.Fuzz(func(t *testing.T, which uint8, spoil []byte) {
		plays := []func(*script){answered, replaced, lostEverything, overAndCancelled}
		s := newScript(t)
		plays[int(which)%len(plays)](s)
		h := s.r.History()
		for i := 0; i+1 < len(spoil) && len(h.Events) > 1; i += 2 {
			h.Events = spoilt(h.Events, spoil[i], int(spoil[i+1])%len(h.Events))
		}
		if h = renumbered(h); h.Check() != nil {
			return
		}
		if _, err := check.Check(h, check.Options{Steps: 500}); err != nil {
			t.Fatal(err)
		}
	})
}

func spoilt(events []history.Event, how byte, at int) []history.Event {
	switch how % 3 {
	case 0:
		return slices.Delete(events, at, at+1)
	case 1:
		next := (at + 1) % len(events)
		events[at], events[next] = events[next], events[at]
	case 2:
		events[at].Item, events[at].Before = nil, nil
		if c := events[at].Creation; c != nil {
			events[at].Creation = &history.Creation{What: c.What, Record: c.Record}
		}
	}
	return events
}

// renumbered gives the events their order numbers again; ends whose beginning is
// gone, or comes later now, go too.
func renumbered(h history.History) history.History {
	out := history.History{Header: h.Header}
	seq := map[int64]int64{}
	for _, e := range h.Events {
		op, known := seq[e.Op]
		if e.Op != 0 && !known {
			continue
		}
		seq[e.Seq] = int64(len(out.Events)) + 1
		e.Seq, e.Op = seq[e.Seq], op
		out.Events = append(out.Events, e)
	}
	return out
}
