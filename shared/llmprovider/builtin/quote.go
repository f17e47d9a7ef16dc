package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

const (
	// maxQuoted is how many passages an answer quotes.
	maxQuoted = 5
	// maxListItems and maxListBytes limit what follows a quoted introduction of a list.
	maxListItems = 12
	maxListBytes = 1500
	// openingPassages is how much of the beginning is shown when nothing matches.
	openingPassages = 3

	omitted = "…"
)

// answerText answers from the document, with at most quoted passages.
func answerText(prompt llmprovider.Prompt, doc document, best []ranked, quoted int) string {
	source := fmt.Sprintf("“%s”, version %d", oneLine(prompt.Document.Title), prompt.Document.Version)
	switch {
	case len(doc.passages) == 0:
		return fmt.Sprintf("No language model was used. The document %s has no text to quote.", source)
	case len(best) == 0:
		opening := make([]int, 0, openingPassages)
		for i := range min(openingPassages, len(doc.passages)) {
			opening = append(opening, i)
		}
		return fmt.Sprintf("No language model was used. No passage of %s shares a word with the question. The document begins:%s",
			source, quote(doc, opening))
	}
	return fmt.Sprintf("No language model was used: this is quoted from %s, the passages that share the most words with the question.%s",
		source, quote(doc, selection(doc, best[:min(quoted, len(best))])))
}

func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// selection returns the passages to print, in the document's order: the best,
// with the introduction of an item's list and the items after an introduction.
func selection(doc document, best []ranked) []int {
	var chosen []int
	for _, candidate := range best {
		chosen = append(chosen, candidate.passage)
		if intro := doc.passages[candidate.passage].intro; intro != none {
			chosen = append(chosen, intro)
		}
		chosen = append(chosen, itemsOf(doc, candidate.passage)...)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen)
}

// itemsOf returns the first items of the list that a passage introduces.
func itemsOf(doc document, intro int) []int {
	var items []int
	size := 0
	for i := nextItem(doc, intro, intro); i != none; i = nextItem(doc, intro, i) {
		size += len(doc.passages[i].text)
		if len(items) == maxListItems || size > maxListBytes {
			break
		}
		items = append(items, i)
	}
	return items
}

// nextItem is the item after a passage in the list of an introduction, or none.
func nextItem(doc document, intro, after int) int {
	for i := after + 1; i < len(doc.passages); i++ {
		if doc.passages[i].section != doc.passages[intro].section {
			break
		}
		if doc.passages[i].intro == intro {
			return i
		}
	}
	return none
}

// quote prints passages under the names of their sections. Passages that belong
// together stand in one pair of quotation marks, others apart.
func quote(doc document, chosen []int) string {
	var b strings.Builder
	for n, i := range chosen {
		switch {
		case n > 0 && follows(doc, chosen[n-1], i):
			b.WriteString(joint(doc, chosen[n-1], i))
		case n > 0:
			b.WriteString(closing(doc, chosen[n-1]))
			b.WriteString(opening(doc, i, doc.passages[chosen[n-1]].section))
		default:
			b.WriteString(opening(doc, i, none))
		}
		b.WriteString(printed(doc.passages[i]))
	}
	b.WriteString(closing(doc, chosen[len(chosen)-1]))
	return b.String()
}

// opening names the section, unless it is that of the quotation before.
func opening(doc document, i, sectionBefore int) string {
	p := doc.passages[i]
	if name := doc.sections[p.section]; name != "" && p.section != sectionBefore && !p.title {
		return "\n\n" + name + "\n“"
	}
	return "\n\n“"
}

// closing marks a list that goes on, so that nobody takes a part for the whole.
func closing(doc document, i int) string {
	if intro := doc.passages[i].intro; intro != none && nextItem(doc, intro, i) != none {
		return "\n" + omitted + "”"
	}
	return "”"
}

// follows says whether two chosen passages are printed in one quotation: the
// second comes next in the text, or is an item of a list that the first is in.
func follows(doc document, before, i int) bool {
	if doc.passages[before].section != doc.passages[i].section {
		return false
	}
	intro := doc.passages[i].intro
	return i == before+1 || intro != none && (before == intro || doc.passages[before].intro == intro)
}

// joint is what stands between two passages of one quotation. A gap in a list is
// marked.
func joint(doc document, before, i int) string {
	switch {
	case doc.passages[before].block == doc.passages[i].block:
		return " "
	case itemsBetween(doc, before, i):
		return "\n" + omitted + "\n"
	default:
		return "\n"
	}
}

// itemsBetween says whether whole list items lie between two printed passages.
func itemsBetween(doc document, before, i int) bool {
	for _, p := range doc.passages[before+1 : i] {
		if p.marker != "" {
			return true
		}
	}
	return false
}

func printed(p passage) string {
	if p.marker == "" {
		return p.text
	}
	return p.marker + " " + p.text
}
