package check_test

import (
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/indexing"
)

// shelf writes versions of one document into a script.
type shelf struct {
	s       *script
	current int // where the pointer stands; what a broken service makes of it is said
}

// create makes a version; one that is ready is current at once.
func (b *shelf) create(number int, state string) {
	v := history.Version{Workspace: "acme", Document: "d", Number: number, State: state, SHA256: text(number)}
	if state == "ready" {
		b.current = number
	}
	v.Current = b.current
	record := b.s.record(fmt.Sprintf("v-%d", number), "f")
	record.Operation, record.Target = "add_document_version", fmt.Sprintf("/v1/documents/d/versions/%d", number)
	b.s.event("store", history.Event{Kind: history.Created, Creation: &history.Creation{What: history.CreatesVersion, Record: record, Version: &v}})
}

func text(number int) string { return fmt.Sprintf("text of version %d", number) }

// write lands.
func (b *shelf) write(index history.Index) {
	index.Workspace, index.Document, index.Pipeline, index.Current = "acme", "d", "0a1b2c3d", b.current
	sent := b.s.event("indexer-1", history.Event{Kind: history.IndexSent, Index: &index})
	b.s.event("store", history.Event{Kind: history.Indexed, Op: sent, Index: &index})
	b.s.event("indexer-1", history.Event{Kind: history.IndexDone, Op: sent, Outcome: history.Landed})
}

func (b *shelf) take(number int, writer int64) {
	b.write(history.Index{What: history.IndexTake, Version: number, Writer: writer})
}

// stored are two entries of a version.
func stored(number int) []indexing.Stored {
	var all []indexing.Stored
	for part, stage := range []indexing.Stage{indexing.Extract, indexing.Search} {
		all = append(all, indexing.Stored{Key: indexing.Key{Stage: stage, Part: part}, Bytes: 7, SHA256: fmt.Sprintf("%s of %d", stage, number)})
	}
	return all
}

// entries writes some of the version's two entries.
func (b *shelf) entries(number int, writer int64, which ...int) {
	var entries []history.IndexEntry
	for _, i := range which {
		e := stored(number)[i]
		entries = append(entries, history.IndexEntry{Stage: string(e.Stage), Part: e.Part, Bytes: e.Bytes, SHA256: e.SHA256})
	}
	b.write(history.Index{What: history.IndexEntries, Version: number, Writer: writer, Entries: entries})
}

func (b *shelf) publish(number int, writer int64) {
	b.current = max(b.current, number)
	b.write(history.Index{What: history.IndexPublish, Version: number, Writer: writer, Count: 2, Manifest: indexing.Manifest(stored(number))})
}

// index is the whole life of an index.
func (b *shelf) index(number int) {
	b.take(number, 1)
	b.entries(number, 1, 0, 1)
	b.publish(number, 1)
}

// shows answers a reader, who may have asked earlier.
func (b *shelf) shows(current int, since ...int64) {
	b.answers(history.Answer{Status: http.StatusOK, Document: &history.DocumentView{Workspace: "acme", Document: "d", Current: current}}, since...)
}

func (b *shelf) reads(number int, sum string, status int) {
	b.answers(history.Answer{Status: status, Text: &history.TextView{Workspace: "acme", Document: "d", Version: number, SHA256: sum}})
}

func (b *shelf) asks() int64 {
	return b.s.event("alice", history.Event{Kind: history.RequestSent, Request: &history.Request{
		Workspace: "acme", Caller: "alice", Operation: history.OperationReadDocument,
	}})
}

func (b *shelf) answers(a history.Answer, since ...int64) {
	if len(since) == 0 {
		since = []int64{b.asks()}
	}
	b.s.event("alice", history.Event{Kind: history.RequestAnswered, Op: since[0], Answer: &a})
}

// begun is a document with a version that can be read and one that is indexed.
func begun(s *script) *shelf {
	b := &shelf{s: s}
	b.create(1, "ready")
	b.create(2, "indexing")
	return b
}

// indexed: versions are made, taken over, published and read.
func indexed(s *script) {
	b := begun(s)
	b.create(3, "indexing")
	b.shows(1)
	early := b.asks()
	b.take(2, 1)
	b.take(2, 1)
	b.entries(2, 1, 0)
	b.take(2, 2) // the first worker is gone
	b.entries(2, 2, 0, 1)
	b.index(3)
	b.publish(2, 2) // overtaken
	b.publish(2, 3) // by an attempt that finds it so
	b.shows(3)
	b.shows(1, early)
	b.create(4, "indexing")
	b.take(4, 1)
	b.write(history.Index{What: history.IndexFail, Version: 4, Writer: 1, Reason: "no_text"})
	b.reads(3, text(3), http.StatusOK)
	b.reads(2, text(2), http.StatusOK)
	b.reads(4, "", http.StatusConflict)
	b.create(5, "indexing")
	b.take(5, 1)
	b.write(history.Index{What: history.IndexClose, Version: 5, Reason: "deadline"})
	b.write(history.Index{What: history.IndexClose, Version: 3, Reason: "deadline"}) // which is ready, and stays so
	b.reads(3, text(3), http.StatusOK)
	b.publish(9, 1) // of a version that nobody saw being made
}

func brokenIndexes() []brokenHistory {
	return []brokenHistory{
		{"an older version publishes last", check.P12, func(s *script) {
			b := begun(s)
			b.create(3, "indexing")
			b.index(3)
			b.take(2, 1)
			b.entries(2, 1, 0, 1)
			b.current = 0 // a pointer without its condition
			b.publish(2, 1)
		}, "went back from 3 to 2"},
		{"published by halves", check.P12, func(s *script) {
			b := begun(s)
			b.take(2, 1)
			b.entries(2, 1, 0)
			b.publish(2, 1)
		}, "published with 2 entries, and 1 are kept"},
		{"published with another version's entries", check.P12, func(s *script) {
			b := begun(s)
			b.take(2, 1)
			e := stored(1)
			b.write(history.Index{What: history.IndexEntries, Version: 2, Writer: 1, Entries: []history.IndexEntry{
				{Stage: string(e[0].Stage), Part: e[0].Part, Bytes: e[0].Bytes, SHA256: e[0].SHA256},
				{Stage: string(e[1].Stage), Part: e[1].Part, Bytes: e[1].Bytes, SHA256: e[1].SHA256},
			}})
			b.publish(2, 1)
		}, "or others"},
		{"current before it is ready", check.P12, func(s *script) {
			b := begun(s)
			b.take(2, 1)
			b.current = 2
			b.entries(2, 1, 0)
		}, "became current while it was indexing"},
		{"a replaced worker writes", check.P12, func(s *script) {
			b := begun(s)
			b.take(2, 1)
			b.take(2, 2)
			b.entries(2, 1, 0)
		}, "while version 2 was with assignment 2"},
		{"a replaced worker takes the version back", check.P12, func(s *script) {
			b := begun(s)
			b.take(2, 2)
			b.take(2, 1)
		}, "take by assignment 1"},
		{"an entry is overwritten", check.P12, func(s *script) {
			b := begun(s)
			b.take(2, 1)
			b.entries(2, 1, 0)
			other := stored(9)[0]
			b.write(history.Index{What: history.IndexEntries, Version: 2, Writer: 1, Entries: []history.IndexEntry{
				{Stage: string(other.Stage), Part: other.Part, Bytes: 7, SHA256: other.SHA256},
			}})
		}, "was replaced by another one"},
		{"entries after the end", check.P12, func(s *script) {
			b := begun(s)
			b.index(2)
			b.entries(2, 1, 1)
		}, "although version 2 was ready"},
		{"published after it was closed", check.P12, func(s *script) {
			b := begun(s)
			b.take(2, 1)
			b.entries(2, 1, 0, 1)
			b.write(history.Index{What: history.IndexClose, Version: 2, Reason: "deadline"})
			b.publish(2, 1)
		}, "although version 2 was failed"},
		{"one number, two versions", check.P12, func(s *script) {
			b := begun(s)
			b.create(3, "indexing")
			b.s.wait(2 * s.timers.PurgeAfter)
			b.create(3, "indexing")
		}, "made twice"},
	}
}

func brokenReaders() []brokenHistory {
	return []brokenHistory{
		{"an older version is shown", check.P12, func(s *script) {
			b := begun(s)
			b.index(2)
			b.shows(1)
		}, "was shown when it had moved to 2"},
		{"readers see it go back", check.P12, func(s *script) {
			b := begun(s)
			early := b.asks()
			b.shows(2, early)
			b.index(2)
			b.s.wait(1)
			b.shows(1)
		}, "was shown"},
		{"shown before it is ready", check.P12, func(s *script) {
			b := begun(s)
			b.shows(2)
			b.index(2)
		}, "was shown as current and was not ready"},
		{"read before it is ready", check.P12, func(s *script) {
			b := begun(s)
			b.reads(2, text(2), http.StatusOK)
			b.index(2)
		}, "was read and was not ready"},
		{"read with the end of another one", check.P12, func(s *script) {
			b := begun(s)
			b.index(2)
			b.reads(2, text(2)+" and more", http.StatusOK)
		}, "another text than it was made with"},
		{"two texts of a file", check.P12, func(s *script) {
			b := &shelf{s: s}
			b.reads(1, "one", http.StatusOK)
			b.reads(1, "another", http.StatusOK)
		}, "read with two texts"},
		{"current and not to be read", check.P12, func(s *script) {
			b := begun(s)
			b.index(2)
			b.shows(2)
			b.reads(2, "", http.StatusConflict)
		}, "cannot be read"},
	}
}
