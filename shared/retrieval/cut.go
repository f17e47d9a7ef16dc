package retrieval

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// span is a stretch of a text, in bytes.
type span struct{ start, end int }

// pieces cuts a block that is too large for a passage: after sentences, where one
// is too long after a word, and else after a grapheme. A small block is one piece.
func pieces(text string, start, end int) []span {
	if end-start <= MaxBytes {
		return []span{{start, end}}
	}
	// A line end inside a block is a space; the rules of sentences take it for the
	// end of a paragraph.
	block := strings.NewReplacer("\n", " ", "\r", " ").Replace(text[start:end])
	var found []span
	from, state := start, -1
	at := start
	for rest := block; rest != ""; {
		var sentence string
		sentence, rest, state = uniseg.FirstSentenceInString(rest, state)
		next := at + len(sentence)
		if next-from > TargetBytes && at > from {
			found = appendTrimmed(found, text, span{from, at})
			from = at
		}
		for next-from > MaxBytes {
			cut := from + cutWithin(text[from:next], MaxBytes)
			found = appendTrimmed(found, text, span{from, cut})
			from = cut
		}
		at = next
	}
	return appendTrimmed(found, text, span{from, end})
}

// appendTrimmed leaves out the space around a piece, and a piece of space alone.
func appendTrimmed(found []span, text string, s span) []span {
	piece := text[s.start:s.end]
	s.start += len(piece) - len(strings.TrimLeft(piece, " \t\r\n"))
	s.end -= len(piece) - len(strings.TrimRight(piece, " \t\r\n"))
	if s.start >= s.end {
		return found
	}
	return append(found, s)
}

// cutWithin is where to cut a text that is longer than limit: after its last space
// within the second half of the limit, else between two graphemes. One grapheme
// that is longer than the limit alone is cut between characters: no writing has
// such, and a passage must be bounded.
func cutWithin(text string, limit int) int {
	if space := strings.LastIndexAny(text[:limit], " \t\n"); space >= limit/2 {
		return space + 1
	}
	cut, state := 0, -1
	for rest := text; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if cut+len(cluster) > limit {
			break
		}
		cut += len(cluster)
	}
	if cut == 0 {
		return runeStart(text, limit)
	}
	return cut
}

// runeStart is the last position up to at where a character begins.
func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// shorten cuts a text to at most limit bytes, after a grapheme.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.TrimSpace(text[:cutWithin(text, limit)])
}
