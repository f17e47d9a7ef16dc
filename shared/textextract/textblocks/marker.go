package textblocks

import (
	"strings"
	"unicode/utf8"
)

// Marker is what stands before the text of a list item or a numbered heading.
type Marker struct {
	Text string // without the space after it
	// Size is the length with the space after it, in bytes; zero means no marker.
	Size int
	// Levels is the depth of a number: 1 for "2.", 2 for "2.1." and "A.0.", and 0
	// for everything that is no number.
	Levels int
}

const (
	bullets         = "-*+•‣–"
	maxNumberDigits = 3 // a year at the start of a line, "1998. This …", is no marker
	maxRomanDigits  = 5
)

// Bullet says whether the marker is a bullet rather than a number or a letter.
func (m Marker) Bullet() bool {
	return m.Size > 0 && m.Levels == 0 && strings.Contains(bullets, m.Text)
}

// MarkerOf reads the marker at the start of a line: a bullet, a number or capital
// letter with further levels ("1.", "12)", "2.1.", "2.1", "A.0."), or a bracketed
// one ("(3)", "(a)", "(iv)", "a)"). White space and text must follow.
func MarkerOf(line string) Marker {
	size, levels := numberSize(line)
	if size == 0 {
		size = bulletSize(line)
	}
	if size == 0 {
		size = bracketSize(line)
	}
	if size == 0 || size == len(line) || !isSpace(line[size]) {
		return Marker{}
	}
	text := line[:size]
	for size < len(line) && isSpace(line[size]) {
		size++
	}
	return Marker{Text: text, Size: size, Levels: levels}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digits is how many digits s begins with, or none if they are too many.
func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n > maxNumberDigits {
		return 0
	}
	return n
}

// numberSize reads "2.", "2)", "2.1.", "2.1" or the same with a capital letter in
// front. A single level needs its full stop or bracket.
func numberSize(s string) (size, levels int) {
	size = digits(s)
	if size == 0 && s != "" && 'A' <= s[0] && s[0] <= 'Z' {
		size = 1
	}
	if size == 0 {
		return 0, 0
	}
	levels = 1
	for size < len(s) && s[size] == '.' {
		next := digits(s[size+1:])
		if next == 0 {
			break
		}
		size += 1 + next
		levels++
	}
	switch {
	case size < len(s) && (s[size] == '.' || s[size] == ')'):
		return size + 1, levels
	case levels > 1:
		return size, levels
	}
	return 0, 0
}

func bulletSize(s string) int {
	c, size := utf8.DecodeRuneInString(s)
	if size == 0 || !strings.ContainsRune(bullets, c) {
		return 0
	}
	return size
}

func bracketSize(s string) int {
	inner, opened := strings.CutPrefix(s, "(")
	size := digits(inner)
	if !opened {
		size = 0
	}
	if size == 0 {
		size = letterSize(inner, opened)
	}
	if size == 0 || size == len(inner) || inner[size] != ')' {
		return 0
	}
	return size + 1 + len(s) - len(inner)
}

// letterSize reads one small letter or, in a pair of brackets, a Roman number.
func letterSize(s string, roman bool) int {
	n := 0
	for n < len(s) && n <= maxRomanDigits && strings.IndexByte("ivx", s[n]) >= 0 {
		n++
	}
	if roman && n > 1 && n <= maxRomanDigits {
		return n
	}
	if s != "" && 'a' <= s[0] && s[0] <= 'z' {
		return 1
	}
	return 0
}
