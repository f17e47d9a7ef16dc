package retrieval

import (
	_ "embed"
	"strings"
)

// thesaurus has words of everyday questions beside those that rules, manuals and
// contracts use for the same, a group of words that may stand for each other a
// line. It is about English in general; no line was made for a question.
//
//go:embed thesaurus.txt
var thesaurus string

// phrase is several words for one.
type phrase struct {
	words []string // stems
	term  string
}

var phrases, synonyms = readThesaurus(thesaurus)

// readThesaurus reads groups. A word with low lines is a phrase, which stands for
// the first word of its group; no group begins with one.
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
