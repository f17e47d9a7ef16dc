package check

import (
	"cmp"
	"slices"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/indexing"
)

// indexedOnce decides P12: entries of an index are unique per document, version,
// stage and part; the current version never moves back; a version is current only
// when all of its entries are there.
//
// The writes that have landed are walked through in their order, document by
// document. Each write of a version must be the latest writer's, while the version
// is being indexed; an entry that is there is written again only as it is. A
// version is published with just the entries that are kept, and the pointer
// moves up only, to a version that is ready. What callers are shown is held
// against that in p12_shown.go. Of versions that were made before the record began
// only the pointer is known.
func indexedOnce(r *record, j *judgement) {
	all := newLibrary(j)
	for i := range r.history.Events {
		e := &r.history.Events[i]
		switch {
		case e.Kind == history.Created && e.Creation.Version != nil:
			all.create(e)
		case e.Kind == history.Indexed:
			all.write(e)
		}
	}
	shownWhole(r, all, j)
}

// address is a document's.
type address struct{ workspace, document string }

// library is what has landed so far.
type library struct {
	j    *judgement
	docs map[address]*doc
}

func newLibrary(j *judgement) *library { return &library{j, map[address]*doc{}} }

// doc is a document with the versions that the record knows.
type doc struct {
	versions map[int]*indexed
	moves    []move // of the current version, in order
}

type move struct {
	seq int64
	to  int
}

// indexed is a version and its entries.
type indexed struct {
	state   document.State
	sha256  string // of its text; "" for a file
	since   int64  // when it got its state
	writer  int64
	entries map[entryKey]kept

	manifest string // of a published one
}

// entryKey is what there is one entry of in a version.
type entryKey struct {
	pipeline, stage string
	part            int
}

type kept struct {
	history.IndexEntry
	seq int64
}

func (l *library) doc(workspace, id string) *doc {
	a := address{workspace, id}
	if l.docs[a] == nil {
		l.docs[a] = &doc{versions: map[int]*indexed{}}
	}
	return l.docs[a]
}

func (l *library) create(e *history.Event) {
	v := e.Creation.Version
	d := l.doc(v.Workspace, v.Document)
	l.j.decided()
	if earlier, there := d.versions[v.Number]; there {
		l.j.broken(e.Task, at(earlier.since, e.Seq), "version %d was made twice", v.Number)
		return
	}
	d.versions[v.Number] = &indexed{state: document.State(v.State), sha256: v.SHA256, since: e.Seq, entries: map[entryKey]kept{}}
	l.move(e, d, v.Current)
}

func (l *library) write(e *history.Event) {
	w := e.Index
	d := l.doc(w.Workspace, w.Document)
	l.j.decided()
	if v, known := d.versions[w.Version]; known {
		l.ofVersion(e, v)
	}
	l.move(e, d, w.Current)
}

// ofVersion holds a write against what is known of its version.
func (l *library) ofVersion(e *history.Event, v *indexed) {
	w := e.Index
	if v.state != document.Indexing {
		l.afterwards(e, v)
		return
	}
	if w.What == history.IndexClose { // by whoever found its task ended
		v.state, v.since = document.Failed, e.Seq
		return
	}
	if w.What == history.IndexTake && w.Writer >= v.writer {
		v.writer = w.Writer
		return
	}
	if w.Writer != v.writer {
		l.j.broken("", at(e.Seq), "%s by assignment %d was taken while version %d was with assignment %d", w.What, w.Writer, w.Version, v.writer)
	}
	switch w.What {
	case history.IndexEntries:
		l.entries(e, v)
	case history.IndexPublish:
		l.publish(e, v)
	case history.IndexFail:
		v.state, v.since = document.Failed, e.Seq
	}
}

// afterwards: a version that is ready or has failed stays so, whoever says once
// more what it is.
func (l *library) afterwards(e *history.Event, v *indexed) {
	w := e.Index
	again := w.What == history.IndexClose || w.What == history.IndexPublish && v.state == document.Ready && w.Manifest == v.manifest ||
		w.What == history.IndexFail && v.state == document.Failed
	if !again {
		l.j.broken("", at(v.since, e.Seq), "%s was taken although version %d was %s", w.What, w.Version, v.state)
	}
}

func (l *library) entries(e *history.Event, v *indexed) {
	for _, entry := range e.Index.Entries {
		key := entryKey{e.Index.Pipeline, entry.Stage, entry.Part}
		switch earlier, there := v.entries[key]; {
		case !there:
			v.entries[key] = kept{entry, e.Seq}
		case earlier.SHA256 != entry.SHA256:
			l.j.broken("", at(earlier.seq, e.Seq), "entry %s %d of version %d was replaced by another one", entry.Stage, entry.Part, e.Index.Version)
		}
	}
}

func (l *library) publish(e *history.Event, v *indexed) {
	w := e.Index
	stored := v.stored(w.Pipeline)
	if len(stored) != w.Count || indexing.Manifest(stored) != w.Manifest {
		l.j.broken("", at(e.Seq), "version %d was published with %d entries, and %d are kept, or others", w.Version, w.Count, len(stored))
	}
	v.state, v.since, v.manifest = document.Ready, e.Seq, w.Manifest
}

// stored are the entries in the order of stages and parts.
func (v *indexed) stored(pipeline string) []indexing.Stored {
	var all []indexing.Stored
	for key, e := range v.entries {
		if key.pipeline == pipeline {
			stage := indexing.Key{Stage: indexing.Stage(e.Stage), Part: e.Part}
			all = append(all, indexing.Stored{Key: stage, Bytes: e.Bytes, SHA256: e.SHA256})
		}
	}
	order := indexing.Stages()
	slices.SortFunc(all, func(a, b indexing.Stored) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Stage), slices.Index(order, b.Stage)), cmp.Compare(a.Part, b.Part))
	})
	return all
}

// move looks at the current version after a write.
func (l *library) move(e *history.Event, d *doc, to int) {
	last := d.last()
	if to == 0 || to == last.to {
		return
	}
	if to < last.to {
		l.j.broken(e.Task, at(last.seq, e.Seq), "the current version went back from %d to %d", last.to, to)
	}
	if v, known := d.versions[to]; known && v.state != document.Ready {
		l.j.broken(e.Task, at(v.since, e.Seq), "version %d became current while it was %s", to, v.state)
	}
	d.moves = append(d.moves, move{e.Seq, to})
}

// last is where the pointer was moved to last.
func (d *doc) last() move {
	if len(d.moves) == 0 {
		return move{}
	}
	return d.moves[len(d.moves)-1]
}

// currentAt is where the pointer stood at a place; 0: nowhere, or not known.
func (d *doc) currentAt(seq int64) int {
	to := 0
	for _, m := range d.moves {
		if m.seq <= seq {
			to = m.to
		}
	}
	return to
}
