package builtin

import (
	"cmp"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Gap stands in an excerpt where text of the document is left out.
const Gap = "[" + omitted + "]"

// Ranking picks passages by the ranking by which the provider answers.
type Ranking struct{}

// Passages returns what of the document fits the question best, in at most limit
// bytes: whole passages in the document's order, under the names of their sections,
// with Gap where something is left out. Where no passage shares a word with the
// question, it is the document's beginning. It is a pure function.
func (Ranking) Passages(text, question string, limit int) string {
	doc := readDocument(text)
	excerpt := doc.excerpt(doc.fitting(question, limit))
	if excerpt == "" {
		return llmprovider.CutText(clean(text), max(0, limit))
	}
	return excerpt
}

// fitting are the passages of the document that fit into limit bytes, the best first
// chosen, in the document's order.
func (d document) fitting(question string, limit int) []int {
	r := &ranker{doc: d, terms: newTerms(question)}
	r.read()
	r.weigh()
	best := r.scoreAll(false)
	slices.SortStableFunc(best, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	if len(best) == 0 {
		for i := range d.passages {
			best = append(best, ranked{passage: i})
		}
	}
	var chosen []int
	left, seen := limit-len(Gap), make(map[string]bool)
	for _, candidate := range best {
		size, text := d.size(candidate.passage), d.passages[candidate.passage].text
		if size <= left && !seen[text] {
			chosen = append(chosen, candidate.passage)
			left -= size
			seen[text] = true
		}
	}
	slices.Sort(chosen)
	return chosen
}

// size is the most that a passage adds to an excerpt: itself, the name of its section
// and what stands between.
func (d document) size(i int) int {
	p := d.passages[i]
	return len(printed(p)) + len(d.sections[p.section]) + len("\n"+Gap+"\n\n\n\n")
}

// excerpt prints chosen passages.
func (d document) excerpt(chosen []int) string {
	var b strings.Builder
	before, section := none, none
	for _, i := range chosen {
		p := d.passages[i]
		if i != before+1 {
			b.WriteString("\n" + Gap + "\n")
		}
		if p.section != section && d.sections[p.section] != "" && !p.title {
			b.WriteString("\n" + d.sections[p.section] + "\n")
		}
		b.WriteString(printed(p) + "\n")
		before, section = i, p.section
	}
	if len(chosen) > 0 && before != len(d.passages)-1 {
		b.WriteString(Gap)
	}
	return strings.TrimSpace(b.String())
}
