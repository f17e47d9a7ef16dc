package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// maxTerms limits the different words of a question that are looked for.
const maxTerms = 128

// stopWords are English words too common to choose a passage by.
var stopWords = wordSet(`a about above after again all also am an and any are as at be because been before being below
	between both but by can could did do does doing down during each few for from further had has have having he her
	here hers him his how i if in into is it its itself just many may me might more most much must my no nor not now of off on once only or
	other our out over own same shall she should so some such tell than that the their them then there these they
	this those through to too under until up us very was we were what when where which while who whom whose why will
	with would you your`)

// irregular maps forms that no suffix rule reaches to the word that they come from.
var irregular = map[string]string{
	"began": "begin", "begun": "begin", "bought": "buy", "brought": "bring", "built": "build", "chose": "choose",
	"chosen": "choose", "came": "come", "drew": "draw", "drawn": "draw", "fell": "fall", "found": "find", "gave": "give",
	"given": "give", "gone": "go", "went": "go", "grew": "grow", "grown": "grow", "held": "hold", "kept": "keep",
	"knew": "know", "known": "know", "led": "lead", "left": "leave", "lost": "lose", "made": "make", "meant": "mean",
	"met": "meet", "men": "man", "paid": "pay", "people": "person", "ran": "run", "said": "say", "sent": "send",
	"shown": "show", "sold": "sell", "spent": "spend", "spoke": "speak", "spoken": "speak", "taken": "take",
	"taught": "teach", "thought": "think", "told": "tell", "took": "take", "women": "woman", "won": "win",
	"written": "write", "wrote": "write", "children": "child", "sought": "seek", "understood": "understand",
}

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

func isWordRune(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c)
}

// unspaced are scripts written without spaces between words: there each character
// counts as a word.
func unspaced(c rune) bool {
	return c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// eachWord calls found with every word of text, as written. A word is a run of
// letters, digits and combining marks, an apostrophe between letters, and a full
// stop before a digit, so that "Leader's", "4.2.1" and "A.5" are one word each.
func eachWord(text string, found func(word string)) {
	for start := 0; start < len(text); {
		c, size := utf8.DecodeRuneInString(text[start:])
		if !isWordRune(c) {
			start += size
			continue
		}
		end := start + size
		if !unspaced(c) {
			end += wordRest(text[end:])
		}
		found(text[start:end])
		start = end
	}
}

// wordRest is the number of bytes that continue a word.
func wordRest(text string) int {
	end := 0
	for end < len(text) {
		c, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case isWordRune(c) && !unspaced(c), unicode.Is(unicode.Mn, c):
		case (c == '\'' || c == '’') && startsWith(text[end+size:], unicode.IsLetter):
		case c == '.' && startsWith(text[end+size:], unicode.IsDigit):
		default:
			return end
		}
		end += size
	}
	return end
}

func startsWith(text string, class func(rune) bool) bool {
	c, _ := utf8.DecodeRuneInString(text)
	return class(c)
}

// fold makes a word comparable: lower case, without accents, compatibility forms
// unified, the typographic apostrophe straightened.
func fold(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	word = strings.Map(func(c rune) rune {
		switch {
		case unicode.Is(unicode.Mn, c):
			return -1
		case c == '’':
			return '\''
		}
		return unicode.ToLower(c)
	}, norm.NFKD.String(word))
	return word
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// stem reduces a folded word to what its forms share, by the rules for English.
// On words of other languages the rules do little, and the same on both sides.
func stem(folded string) string {
	if base, known := irregular[folded]; known {
		return base
	}
	return english.Stem(folded, true)
}

// terms are the words that a question looks for.
type terms struct {
	ids map[string]int // by stem
	// first holds the initial letters of all stems; a word that begins otherwise
	// need not be stemmed.
	first map[rune]bool
	// seen remembers, for words as written, which term they are.
	seen map[string]int
}

// newTerms takes the words of the first question that has any but stop words; a
// follow-up like "And when?" has none and is about what was asked before. If no
// question has, the first one's stop words are better than nothing.
func newTerms(questions ...string) *terms {
	t := &terms{ids: make(map[string]int), first: make(map[rune]bool), seen: make(map[string]int)}
	for _, question := range questions {
		t.addWords(question, func(word string) bool { return !stopWords[word] })
		if len(t.ids) > 0 {
			return t
		}
	}
	t.addWords(questions[0], func(string) bool { return true })
	return t
}

func (t *terms) addWords(question string, wanted func(folded string) bool) {
	eachWord(question, func(word string) {
		folded := fold(word)
		if len(t.ids) == maxTerms || !wanted(folded) {
			return
		}
		base := stem(folded)
		if _, known := t.ids[base]; !known {
			t.ids[base] = len(t.ids)
		}
		initial, _ := utf8.DecodeRuneInString(base)
		t.first[initial] = true
	})
}

// find returns which term a word of the document is, or none.
func (t *terms) find(word string) int {
	if id, known := t.seen[word]; known {
		return id
	}
	id := none
	folded := fold(word)
	if t.begins(folded) {
		if found, known := t.ids[stem(folded)]; known {
			id = found
		}
	}
	t.seen[word] = id
	return id
}

// begins says whether the word can have one of the stems. Suffix rules keep the
// first letter; irregular forms are looked up by their base.
func (t *terms) begins(folded string) bool {
	if base, known := irregular[folded]; known {
		folded = base
	}
	initial, _ := utf8.DecodeRuneInString(folded)
	return t.first[initial]
}
