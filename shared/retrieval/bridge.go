package retrieval

import "strings"

const (
	// joinedDiscount is what two words of the question in one are worth ("file
	// name" for "filename"), partDiscount what a part of a word that is nowhere is.
	joinedDiscount = 0.8
	partDiscount   = 0.5
	// shortestPart is of a compound, in bytes; shortest ones are parts of anything.
	shortestPart = 3
)

var prefixes = []string{"re", "un", "non", "pre", "mis", "over", "under"}

// bridge adds what texts may write together or apart, or without a prefix: a
// "timestamp" is a "time stamp", and who "resubmits" submits again.
func bridge(concepts []concept, text string, there sieve) {
	joined := joinedWords(text)
	for i := range concepts {
		c := &concepts[i]
		for _, hash := range joined[c.word] {
			if there.mayHave(hash) {
				c.add(hash, joinedDiscount)
			}
		}
		if there.mayHave(c.alternatives[0].hash) {
			continue
		}
		for _, part := range partsOf(c.word) {
			if hash := termHash(stem(part)); there.mayHave(hash) {
				c.add(hash, partDiscount)
			}
		}
	}
}

// joinedWords are, for each word of a text, its terms together with the words
// before and after.
func joinedWords(text string) map[string][]uint32 {
	joined := make(map[string][]uint32)
	before := ""
	eachWord(text, func(word string) {
		folded := fold(word)
		if before != "" && len(before)+len(folded) <= maxWordBytes {
			hash := termHash(stem(before + folded))
			joined[before] = append(joined[before], hash)
			joined[folded] = append(joined[folded], hash)
		}
		before = folded
	}, func(string) { before = "" })
	return joined
}

// partsOf takes a word apart into two that the thesaurus has, and one with a prefix
// into what is behind it.
func partsOf(word string) []string {
	var parts []string
	for cut := shortestPart; cut <= len(word)-shortestPart; cut++ {
		if first, second := word[:cut], word[cut:]; known(first) && known(second) {
			parts = append(parts, first, second)
		}
	}
	for _, prefix := range prefixes {
		if rest, has := strings.CutPrefix(word, prefix); has && len(rest) > shortestPart && known(rest) {
			parts = append(parts, rest)
		}
	}
	return parts
}

func known(word string) bool { return len(synonyms[stem(word)]) > 0 }
