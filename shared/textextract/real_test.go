package textextract

import (
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/textextract/realdocs"
	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// TestRealDocuments holds the structure of real documents, of which the project
// keeps no copy.
func TestRealDocuments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, title      string
		format           Format
		headings, blocks int
		first            string // heading
		last             string // heading
	}{
		{"constitution-1.0.txt", "", PlainText, 38, 186, "1. Introduction", "B. Use of language and typography"},
		{"policy.txt", "Debian Policy Manual", PlainText, 340, 2941, "Debian Policy Manual", "11. License"},
		{"policy-ch-scope.html", "1. About this manual — Debian Policy Manual v4.6.2.0", HTML, 10, 62, "1. About this manual", "1.6. Translations"},
		{"policy-ch-maintainerscripts.rst", "Package maintainer scripts and installation procedure", PlainText, 9, 178, "Package maintainer scripts and installation procedure", "Details of removal and/or configuration purging"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := extract(t, Extractor{}, test.name, realdocs.Read(t, test.name))
			var headings []string
			for _, b := range d.Blocks {
				if b.Kind == textblocks.Heading {
					headings = append(headings, b.Title())
				}
			}
			if d.Format != test.format || d.Title != test.title || len(headings) != test.headings || len(d.Blocks) != test.blocks {
				t.Fatalf("%s %q, %d headings, %d blocks: %s", d.Format, d.Title, len(headings), len(d.Blocks), strings.Join(headings, "\n"))
			}
			if headings[0] != test.first || headings[len(headings)-1] != test.last {
				t.Errorf("headings from %q to %q", headings[0], headings[len(headings)-1])
			}
		})
	}
}
