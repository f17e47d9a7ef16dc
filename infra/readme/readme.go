// Package readme holds the project's documents to its code: tables that are
// printed by commands, sections that alarms point to, names of tests, targets
// and resources. Its tests read the documents as a person would and fail where
// the code has moved on.
package readme

import (
	"fmt"
	"os"
	"strings"
)

// Block returns what stands in a document between the comments
//
//	<!-- name: ... -->
//	<!-- /name -->
func Block(document, name string) (string, error) {
	begin, end, err := bounds(document, name)
	if err != nil {
		return "", err
	}
	return document[begin:end], nil
}

// Rewrite puts text into the block of a file.
func Rewrite(path, name, text string) error {
	content, err := os.ReadFile(path) //nolint:gosec // a document of the project
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", name, err)
	}
	document := string(content)
	begin, end, err := bounds(document, name)
	if err != nil {
		return fmt.Errorf("rewrite %s: %w", path, err)
	}
	document = document[:begin] + "\n" + strings.Trim(text, "\n") + "\n" + document[end:]
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil { //nolint:gosec // the document that was read
		return fmt.Errorf("rewrite %s: %w", name, err)
	}
	return nil
}

// bounds are where the block's text begins and ends.
func bounds(document, name string) (begin, end int, err error) {
	opening, closing := "<!-- "+name+":", "<!-- /"+name+" -->"
	at := strings.Index(document, opening)
	if at < 0 || strings.Count(document, opening) > 1 {
		return 0, 0, fmt.Errorf("the document has not exactly one %q", opening)
	}
	line := strings.IndexByte(document[at:], '\n')
	if line < 0 {
		return 0, 0, fmt.Errorf("nothing stands behind %q", opening)
	}
	begin = at + line
	length := strings.Index(document[begin:], closing)
	if length < 0 {
		return 0, 0, fmt.Errorf("%q is missing behind %q", closing, opening)
	}
	return begin, begin + length, nil
}
