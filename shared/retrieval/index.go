package retrieval

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
)

// Settings names this way of splitting, reading words and laying out an index. It
// changes whenever the same text would give other parts; work that made an index
// under another name is of another pipeline.
const Settings = "retrieval-2"

// The constants of BM25, and what other fields count next to the passage's own
// words.
const (
	saturation      = 1.2 // k1
	lengthInfluence = 0.6 // b: lists are long for other reasons than verbosity
	headingWeight   = 1.0
	introWeight     = 0.5
	shortestTerms   = 20 // shorter passages gain nothing by being short
)

// posting says how much a term tells about a passage.
type posting struct {
	passage int
	// impact is the term's part of the BM25 score without its rarity, in units of
	// 1/impactUnit. It is computed when the index is built, so that a question
	// needs no lengths of passages.
	impact uint8
}

// impactUnit makes the largest impact, saturation + 1, fit a byte.
const impactUnit = 100

// termHash is by what a term is kept: two terms that share it are taken for one,
// which among 10,000 terms happens once in a hundred documents and costs little.
func termHash(term string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(term)) // never fails
	return h.Sum32()
}

// frequencies are how often each term stands in the fields of one passage, weighed.
type frequencies struct {
	terms  map[uint32]float64
	length float64
}

func count(p Passage) frequencies {
	f := frequencies{terms: make(map[uint32]float64)}
	eachTerm(p.Text, func(term string) {
		f.terms[termHash(term)]++
		f.length++
	})
	addOnce(f.terms, headingWeight, p.Headings...)
	addOnce(f.terms, introWeight, p.intro)
	return f
}

// addOnce counts every term of a field once: a heading that repeats a word is no
// more about it.
func addOnce(terms map[uint32]float64, weight float64, texts ...string) {
	seen := make(map[uint32]bool)
	for _, text := range texts {
		eachTerm(text, func(term string) {
			if hash := termHash(term); !seen[hash] {
				seen[hash] = true
				terms[hash] += weight
			}
		})
	}
}

// postings are those of every term, by its hash.
func postings(passages []Passage) map[uint32][]posting {
	counted := make([]frequencies, len(passages))
	total := 0.0
	for i, p := range passages {
		counted[i] = count(p)
		total += max(counted[i].length, shortestTerms)
	}
	average := total / float64(max(1, len(passages)))
	lists := make(map[uint32][]posting)
	for i, f := range counted {
		norm := saturation * (1 - lengthInfluence + lengthInfluence*max(f.length, shortestTerms)/average)
		for hash, frequency := range f.terms {
			impact := frequency * (saturation + 1) / (frequency + norm)
			lists[hash] = append(lists[hash], posting{passage: i, impact: uint8(max(1, math.Round(impact*impactUnit)))})
		}
	}
	return lists
}

// strongest keeps the postings with the greatest impact, in the order of passages.
func strongest(list []posting, n int) []posting {
	if len(list) <= n {
		return list
	}
	kept := slices.Clone(list)
	slices.SortStableFunc(kept, func(a, b posting) int { return cmp.Compare(b.impact, a.impact) })
	kept = kept[:n]
	slices.SortFunc(kept, func(a, b posting) int { return cmp.Compare(a.passage, b.passage) })
	return kept
}

// rarity is the inverse document frequency of BM25.
func rarity(passages, with int) float64 {
	n, df := float64(passages), float64(with)
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}
