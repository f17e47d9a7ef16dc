package retrieval

import (
	"cmp"
	"slices"
)

// concept is a word of a question and what else may be written for it.
type concept struct {
	weight       float64
	alternatives []alternative // the word itself first
}

// alternative is a term that stands for a concept; its discount says how surely.
type alternative struct {
	hash     uint32
	discount float64
}

const (
	// synonymDiscount is what another word for the same is worth, and
	// substituteDiscount what it is where the question's own word is nowhere.
	synonymDiscount    = 0.5
	substituteDiscount = 0.8
	// everydayWeight is what a word counts that people use about anything.
	everydayWeight = 0.4
	// maxConcepts bounds the words of a question that are looked for.
	maxConcepts = 40
)

// conceptsOf takes the words of the question or, when it has none but stop words,
// of the newest earlier one that has. If none has, nothing is found.
func conceptsOf(question Question) []concept {
	for _, text := range append([]string{question.Text}, question.Earlier...) {
		if found := readConcepts(text); len(found) > 0 {
			return distinct(found)
		}
	}
	return nil
}

func readConcepts(text string) []concept {
	var found []concept
	seen := make(map[string]bool)
	add := func(term string) {
		if seen[term] || len(found) == maxConcepts {
			return
		}
		seen[term] = true
		found = append(found, conceptOf(term))
	}
	eachTerm(text, add)
	for _, p := range phrases {
		if containsWords(text, p.words) {
			add(p.term)
		}
	}
	return found
}

func conceptOf(term string) concept {
	c := concept{weight: 1, alternatives: []alternative{{hash: termHash(term), discount: 1}}}
	if everyday[term] {
		c.weight = everydayWeight
	}
	for _, other := range synonyms[term] {
		c.alternatives = append(c.alternatives, alternative{hash: termHash(other), discount: synonymDiscount})
	}
	return c
}

// distinct lets no word of the question stand for another one of it: "shared
// library" is not twice what a passage about libraries is about.
func distinct(concepts []concept) []concept {
	own := make(map[uint32]bool)
	for _, c := range concepts {
		own[c.alternatives[0].hash] = true
	}
	for i, c := range concepts {
		others := slices.DeleteFunc(c.alternatives[1:], func(a alternative) bool { return own[a.hash] })
		concepts[i].alternatives = c.alternatives[:1+len(others)]
	}
	return concepts
}

// containsWords says whether the words stand in the text one after the other, in
// any of their forms.
func containsWords(text string, words []string) bool {
	at := 0
	eachWord(text, func(word string) {
		switch base := stem(fold(word)); {
		case at == len(words):
		case base == words[at]:
			at++
		case base == words[0]:
			at = 1
		default:
			at = 0
		}
	}, func(string) {})
	return at == len(words)
}

// scores are what the concept says about the passages that it is in, by the best of
// its alternatives.
func (c concept) scores(passages int, lists map[uint32]termList) map[int]float64 {
	found := make(map[int]float64)
	absent := lists[c.alternatives[0].hash].with == 0
	for _, a := range c.alternatives {
		t := lists[a.hash]
		if absent {
			a.discount = substituteDiscount
		}
		for _, p := range t.list {
			score := a.discount * c.weight * rarity(passages, t.with) * float64(p.impact) / impactUnit
			found[p.passage] = max(found[p.passage], score)
		}
	}
	return found
}

// inOrder lists the terms to read that may be there: the question's own, then what
// may stand for them, the surest first.
func inOrder(concepts []concept, there sieve) []uint32 {
	var found []alternative
	for _, c := range concepts {
		for _, a := range c.alternatives {
			if there.mayHave(a.hash) {
				found = append(found, a)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b alternative) int { return cmp.Compare(b.discount, a.discount) })
	terms := make([]uint32, 0, len(found))
	for _, a := range found {
		terms = append(terms, a.hash)
	}
	return terms
}
