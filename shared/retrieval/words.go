package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// maxWordBytes bounds a term: what is longer is no word that anybody asks for.
const maxWordBytes = 64

func isWordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// unspaced are scripts without spaces between words, and Hangul, whose words carry
// their endings: each two neighbouring characters are a term there.
func unspaced(c rune) bool {
	return c >= 0x0E00 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// eachTerm calls found with every term of a text, in its order: the stem of a word,
// without stop words, or two neighbouring characters of an unspaced script.
func eachTerm(text string, found func(term string)) {
	eachWord(text, func(word string) {
		if folded := fold(word); !stopWords[folded] && len(folded) <= maxWordBytes {
			found(stem(folded))
		}
	}, found)
}

// eachWord calls word with every word of a text as written, and pair with every
// two characters of unspaced runs, folded; a run of one character is its own pair.
// A word is a run of letters, digits and marks, an apostrophe between letters, and
// a full stop before a digit, so that "Leader's" and "4.2.1" are one word each.
func eachWord(text string, word, pair func(string)) {
	for start := 0; start < len(text); {
		c, size := utf8.DecodeRuneInString(text[start:])
		switch {
		case !isWordRune(c):
			start += size
		case unspaced(c):
			end := start + runOf(text[start:])
			eachPair(fold(text[start:end]), pair)
			start = end
		default:
			end := start + size + wordRest(text[start+size:])
			word(text[start:end])
			start = end
		}
	}
}

// runOf is the length of the run of unspaced characters that a text begins with.
func runOf(text string) int {
	end := 0
	for end < len(text) {
		c, size := utf8.DecodeRuneInString(text[end:])
		if !unspaced(c) && !unicode.Is(unicode.M, c) && c != 'ー' {
			break
		}
		end += size
	}
	return end
}

func eachPair(run string, pair func(string)) {
	previous := -1
	for at := range run {
		if previous >= 0 {
			_, size := utf8.DecodeRuneInString(run[at:])
			pair(run[previous : at+size])
		}
		previous = at
	}
	if _, size := utf8.DecodeRuneInString(run); size > 0 && size == len(run) {
		pair(run)
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

// letters are those that Unicode does not take apart into a letter and its mark.
var letters = strings.NewReplacer("ß", "ss", "ø", "o", "æ", "ae", "œ", "oe", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i", "’", "'")

// fold makes a word comparable: lower case, without accents, compatibility forms
// unified. Composed and decomposed text, full-width and half-width agree. Marks of
// other scripts than Latin, Greek and Cyrillic tell words apart and stay.
func fold(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	base := rune(0)
	decomposed := strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) && unicode.In(base, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			return -1
		}
		base = c
		return unicode.ToLower(c)
	}, norm.NFKD.String(word))
	return letters.Replace(norm.NFC.String(decomposed))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// stem reduces a folded word to what its forms share, by the Snowball rules for
// English. On words of other languages these do little, and the same in texts and
// in questions.
func stem(folded string) string {
	if base, known := irregular[folded]; known {
		return base
	}
	return english.Stem(folded, true)
}
