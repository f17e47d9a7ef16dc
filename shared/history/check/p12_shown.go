package check

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/history"
)

// shownWhole decides the part of P12 about readers: they see one whole version.
//
// A current version that was shown, or had been written, before somebody asked is
// the least that the answer may show; one that had not been written when the answer
// came is too much. A version that was shown as current can be read from then on,
// and a version's text is always the same, the one that it was made with.
func shownWhole(r *record, all *library, j *judgement) {
	readers := map[address]*reader{}
	var seen []look
	for _, x := range r.exchanges {
		if l, ok := lookOf(x); ok {
			seen = append(seen, l)
		}
	}
	slices.SortStableFunc(seen, func(a, b look) int { return cmp.Compare(a.begin, b.begin) })
	of := func(l look) *reader {
		a := l.address()
		if readers[a] == nil {
			readers[a] = &reader{doc: all.docs[a], texts: map[int]look{}, told: map[int]bool{}, j: j}
			if readers[a].doc == nil {
				readers[a].doc = &doc{versions: map[int]*indexed{}}
			}
		}
		return readers[a]
	}
	inOrder(seen, func(l look) { of(l).learn(l) }, func(l look) { of(l).judge(l) })
}

// look is what a reader was shown of a document.
type look struct {
	span
	status   int
	document *history.DocumentView
	text     *history.TextView
}

func lookOf(x exchange) (look, bool) {
	if x.answered == nil {
		return look{}, false
	}
	a := x.answered.Answer
	return look{span{x.sent.Seq, x.answered.Seq}, a.Status, a.Document, a.Text}, a.Document != nil || a.Text != nil
}

func (l look) address() address {
	if l.document != nil {
		return address{l.document.Workspace, l.document.Document}
	}
	return address{l.text.Workspace, l.text.Document}
}

// reader is what readers of a document have been shown.
type reader struct {
	*doc
	highest look         // that showed the highest current version
	texts   map[int]look // the first of each version
	told    map[int]bool // versions that were found to be shown after a higher one
	j       *judgement
}

func (r *reader) current() int {
	if r.highest.document == nil {
		return 0
	}
	return r.highest.document.Current
}

func (r *reader) learn(l look) {
	switch {
	case l.document != nil && l.document.Current > r.current():
		r.highest = l
	case l.text != nil && l.text.SHA256 != "" && r.texts[l.text.Version].text == nil:
		r.texts[l.text.Version] = l
	}
}

func (r *reader) judge(l look) {
	r.j.decided()
	if l.document != nil {
		r.judgeDocument(l)
	}
	if l.text != nil {
		r.judgeText(l)
	}
}

func (r *reader) judgeDocument(l look) {
	current := l.document.Current
	if current < r.current() {
		if r.told[current] {
			return // somebody who goes on looking goes on seeing it
		}
		r.told[current] = true
		r.j.broken("", at(r.highest.end, l.end), "current version %d was shown after version %d", current, r.current())
		return
	}
	if least := r.currentAt(l.begin); current < least {
		r.j.broken("", at(l.begin, l.end), "current version %d was shown when it had moved to %d", current, least)
		return
	}
	if v, known := r.versions[current]; known && (v.state != document.Ready || v.since > l.end) {
		r.j.broken("", at(l.begin, l.end), "version %d was shown as current and was not ready", current)
	}
}

func (r *reader) judgeText(l look) {
	n, sum := l.text.Version, l.text.SHA256
	if sum == "" {
		if n == r.current() && l.status == http.StatusConflict {
			r.j.broken("", at(r.highest.end, l.end), "version %d was shown as current and cannot be read", n)
		}
		return
	}
	v, known := r.versions[n]
	switch first := r.texts[n]; {
	case known && (v.state != document.Ready || v.since > l.end):
		r.j.broken("", at(l.begin, l.end), "version %d was read and was not ready", n)
	case known && v.sha256 != "" && v.sha256 != sum:
		r.j.broken("", at(v.since, l.end), "version %d was read with another text than it was made with", n)
	case first.text != nil && first.text.SHA256 != sum:
		r.j.broken("", at(first.end, l.end), "version %d was read with two texts", n)
	}
}
