package builtin

import (
	"cmp"
	"math"
	"slices"
)

// The constants of BM25, and what the other fields count next to the passage's
// own words. A word counts once per passage however often it stands there: a
// sentence that lists ten dates is not ten times the answer to "when".
const (
	saturation      = 1.2  // k1
	lengthInfluence = 0.75 // b
	sectionWeight   = 0.7
	introWeight     = 0.4
	shortestWords   = 6 // shorter passages gain nothing by being short

	// coverageShare is how much of the score depends on how many of the question's
	// words are there at all.
	coverageShare = 0.6
	// outsideOnly applies to a passage of which only the section or the list's
	// introduction matches, looseTitle to text that is not a sentence.
	outsideOnly = 0.5
	looseTitle  = 0.7

	// relevant is the part of the best score below which a passage is left out.
	relevant = 0.55

	// scoreUnit is the resolution of scores. Processors that fuse multiplication
	// and addition differ in the last bits; the order must not.
	scoreUnit = 1e-6
)

// matches are the terms that stand somewhere, as a set of their numbers.
type matches [maxTerms / 64]uint64

func (m *matches) add(id int) { m[id/64] |= 1 << (id % 64) }
func (m matches) or(other matches) matches {
	for i := range m {
		m[i] |= other[i]
	}
	return m
}

func (m matches) has(id int) bool { return m[id/64]&(1<<(id%64)) != 0 }

type ranked struct {
	passage int
	score   int64
}

type ranker struct {
	doc      document
	terms    *terms
	body     []matches // by passage
	words    []int     // by passage
	sections []matches // by section
	average  float64
	weights  []float64 // by term
}

// rank returns the passages that match the question, or the earlier ones that it
// refers to, best first and equal ones in the document's order. It leaves out
// what is far behind the best and what says the same word for word.
func rank(doc document, questions ...string) []ranked {
	r := &ranker{doc: doc, terms: newTerms(questions...)}
	r.read()
	r.weigh()
	best := r.scoreAll(false)
	if len(best) == 0 {
		best = r.scoreAll(true)
	}
	slices.SortStableFunc(best, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return distinct(doc, best)
}

func distinct(doc document, best []ranked) []ranked {
	var kept []ranked
	seen := make(map[string]bool)
	for _, candidate := range best {
		if float64(candidate.score) < relevant*float64(best[0].score) || len(kept) == maxQuoted {
			break
		}
		if text := doc.passages[candidate.passage].text; !seen[text] {
			seen[text] = true
			kept = append(kept, candidate)
		}
	}
	return kept
}

func (r *ranker) read() {
	r.body = make([]matches, len(r.doc.passages))
	r.words = make([]int, len(r.doc.passages))
	total := 0
	for i, p := range r.doc.passages {
		r.body[i], r.words[i] = r.match(p.text)
		total += r.words[i]
	}
	r.average = float64(total) / float64(max(1, len(r.words)))
	r.sections = make([]matches, len(r.doc.sections))
	for i, name := range r.doc.sections {
		r.sections[i], _ = r.match(name)
	}
}

func (r *ranker) match(text string) (found matches, words int) {
	eachWord(text, func(word string) {
		words++
		if id := r.terms.find(word); id != none {
			found.add(id)
		}
	})
	return found, words
}

// weigh gives rare terms more weight. Titles repeat what their sections say, so
// they are not counted.
func (r *ranker) weigh() {
	count := 0.0
	frequency := make([]float64, len(r.terms.ids))
	for i, p := range r.doc.passages {
		if p.title {
			continue
		}
		count++
		for id := range frequency {
			if r.body[i].has(id) {
				frequency[id]++
			}
		}
	}
	r.weights = make([]float64, len(frequency))
	for id, n := range frequency {
		r.weights[id] = math.Log(1 + (count-n+0.5)/(n+0.5))
	}
}

func (r *ranker) scoreAll(titles bool) []ranked {
	var found []ranked
	for i, p := range r.doc.passages {
		if p.title != titles {
			continue
		}
		if score := int64(math.Round(r.score(i) / scoreUnit)); score > 0 {
			found = append(found, ranked{passage: i, score: score})
		}
	}
	return found
}

func (r *ranker) score(i int) float64 {
	p := r.doc.passages[i]
	var intro matches
	length := float64(max(r.words[i], shortestWords))
	if p.intro != none {
		intro = r.body[p.intro]
		length += introWeight * float64(r.words[p.intro])
	}
	norm := saturation * (1 - lengthInfluence + lengthInfluence*length/r.average)
	if r.body[i].or(intro).or(r.sections[p.section]) == (matches{}) {
		return 0
	}
	sum, covered, all := 0.0, 0.0, 0.0
	for id, weight := range r.weights {
		all += weight
		strength := r.strength(i, id, intro)
		if strength > 0 {
			covered += weight
			sum += weight * strength * (saturation + 1) / (strength + norm)
		}
	}
	sum *= 1 - coverageShare + coverageShare*covered/all
	if r.body[i] == (matches{}) {
		sum *= outsideOnly
	}
	if p.loose {
		sum *= looseTitle
	}
	return sum
}

func (r *ranker) strength(i, id int, intro matches) float64 {
	strength := 0.0
	if r.body[i].has(id) {
		strength++
	}
	if r.sections[r.doc.passages[i].section].has(id) {
		strength += sectionWeight
	}
	if intro.has(id) {
		strength += introWeight
	}
	return strength
}
