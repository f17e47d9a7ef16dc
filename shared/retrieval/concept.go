package retrieval

import "strings"

// concept is a word of a question and what else may be written for it.
type concept struct{ alternatives []alternative }

// alternative is a term that stands for a concept; its discount says how surely.
type alternative struct {
	hash     uint32
	discount float64
}

const (
	// synonymDiscount is what another word for the same is worth.
	synonymDiscount = 0.5
	// maxConcepts bounds the words of a question that are looked for.
	maxConcepts = 40
)

// conceptsOf takes the words of the question or, when it has none but stop words,
// of the newest earlier one that has. If none has, nothing is found.
func conceptsOf(question Question) []concept {
	for _, text := range append([]string{question.Text}, question.Earlier...) {
		if found := readConcepts(text); len(found) > 0 {
			return found
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
	c := concept{alternatives: []alternative{{hash: termHash(term), discount: 1}}}
	for _, other := range synonyms[term] {
		c.alternatives = append(c.alternatives, alternative{hash: termHash(other), discount: synonymDiscount})
	}
	return c
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

// strength is what a concept says about a passage.
type strength struct{ score, discount float64 }

// strengths are those of the passages that the concept is in, by the best of its
// alternatives, and the concept's weight among others.
func (c concept) strengths(passages int, lists map[uint32]termList) (found map[int]strength, weight float64) {
	found = make(map[int]strength)
	for _, a := range c.alternatives {
		t, known := lists[a.hash]
		if !known || t.with == 0 {
			continue
		}
		idf := rarity(passages, t.with)
		// A concept weighs as much as its own word, or else as its best substitute.
		if a.discount == 1 || weight == 0 {
			weight = idf * a.discount
		}
		for _, p := range t.list {
			score := a.discount * idf * float64(p.impact) / impactUnit
			if score > found[p.passage].score {
				found[p.passage] = strength{score: score, discount: a.discount}
			}
		}
	}
	return found, weight
}

// inOrder lists the terms to read: the question's own, then their substitutes,
// those that come first in their groups first.
func inOrder(concepts []concept) []uint32 {
	var terms []uint32
	for rank := 0; ; rank++ {
		before := len(terms)
		for _, c := range concepts {
			if rank < len(c.alternatives) {
				terms = append(terms, c.alternatives[rank].hash)
			}
		}
		if len(terms) == before {
			return terms
		}
	}
}

// phrase is several words for one.
type phrase struct {
	words []string // stems
	term  string
}

var phrases, synonyms = readThesaurus(thesaurus)

// readThesaurus reads groups, one a line, of words that may stand for each other. A
// word with low lines is a phrase, which stands for the first word of its group.
func readThesaurus(text string) ([]phrase, map[string][]string) {
	var found []phrase
	others := make(map[string][]string)
	for line := range strings.Lines(text) {
		var group []string
		for word := range strings.FieldsSeq(line) {
			if !strings.Contains(word, "_") {
				group = appendNew(group, stem(word))
				continue
			}
			var stems []string
			for part := range strings.SplitSeq(word, "_") {
				stems = append(stems, stem(part))
			}
			found = append(found, phrase{words: stems, term: group[0]})
		}
		for _, word := range group {
			for _, other := range group {
				if other != word {
					others[word] = appendNew(others[word], other)
				}
			}
		}
	}
	return found, others
}

func appendNew(list []string, word string) []string {
	for _, known := range list {
		if known == word {
			return list
		}
	}
	return append(list, word)
}
