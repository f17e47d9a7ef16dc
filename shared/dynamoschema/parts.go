package dynamoschema

import "unicode/utf8"

// SplitText cuts a text into parts of at most limit bytes each, between
// characters and never inside one, so that each part is valid UTF-8 where the
// text is. An empty text has no parts. limit must be at least utf8.UTFMax.
func SplitText(text string, limit int) []string {
	var parts []string
	for len(text) > limit {
		cut := limit
		// A character has three bytes behind its first one at most; what has more is
		// no UTF-8, and a part must not become empty by it.
		for cut > limit-utf8.UTFMax+1 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		parts = append(parts, text[:cut])
		text = text[cut:]
	}
	if text != "" {
		parts = append(parts, text)
	}
	return parts
}
