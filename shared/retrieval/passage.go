package retrieval

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
)

// Passage is what is found and cited: a stretch of a version's text within one
// section.
type Passage struct {
	// ID is made of the passage's headings and words, so that a passage which
	// stays the same keeps its id when other parts of a document change. It is
	// unique within a version.
	ID       string
	Headings []string // of the section, outermost first
	Page     int      // where it begins, from 1; 0 without pages
	Start    int      // position in the version's text, in bytes
	End      int
	// StartRune is Start counted in characters (code points).
	StartRune int
	Text      string // the version's text from Start to End

	// intro is the text that a list in the passage hangs from, such as "The board
	// may:", when it stands in an earlier passage. It is searched, not shown.
	intro string
}

// idBytes is the length of an id before it is written in letters: with 50,000
// passages, two agree by chance once in 10^14 versions.
const idBytes = 10

var idLetters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// identify gives every passage its id.
func identify(passages []Passage) {
	seen := make(map[[sha256.Size]byte]int, len(passages))
	for i := range passages {
		p := &passages[i]
		sum := sha256.Sum256([]byte(strings.Join(p.Headings, "\x00") + "\x01" + strings.Join(strings.Fields(p.Text), " ")))
		seen[sum]++
		if n := seen[sum]; n > 1 {
			sum = sha256.Sum256(append(sum[:], strconv.Itoa(n)...))
		}
		p.ID = idLetters.EncodeToString(sum[:idBytes])
	}
}
