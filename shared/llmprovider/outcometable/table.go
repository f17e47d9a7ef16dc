// Package outcometable is the form in which adapters say what the words of their
// provider's API mean for a call, and the rules by which such a table is read:
//
//   - The parsed type of an error decides; its status decides where there is no
//     type that the table has. Messages are not read: words in them are no evidence,
//     and they may quote the input.
//   - "Refused" counts only as long as nothing contradicts it: with the status of a
//     failure, or after the model has begun to write, it is Ambiguous.
//   - Whatever a table does not have is put on the safe side and logged once.
package outcometable

import (
	"maps"
	"slices"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Table is what one API documents, and how it was read.
type Table struct {
	// Provider begins every error that comes from the table.
	Provider string
	// Errors are the classes by type or code of an error.
	Errors map[string]llmprovider.Class
	// Endings are what reasons to stop mean for the text before them.
	Endings map[string]Ending
	// Statuses are those that the API documents.
	Statuses []int
}

// Ending is what a reason to stop means for the text before it.
type Ending int

const (
	// Complete: the model said all that it wanted to say.
	Complete Ending = iota + 1
	// CutShort: a length limit ended the text.
	CutShort
	// ContextFull: the model's context window ended the text.
	ContextFull
	// Declined: the model or a filter refused.
	Declined
	// Unusable: the model waits for something or went wrong, and going on is another
	// call.
	Unusable
)

// String is the ending in the words of documentation.
func (e Ending) String() string {
	switch e {
	case Complete:
		return "answer"
	case CutShort:
		return "answer, cut short"
	case ContextFull:
		return "answer, cut short; without text " + llmprovider.ClassInputTooLarge.String()
	case Declined:
		return llmprovider.ClassDeclined.String()
	case Unusable:
		return llmprovider.ClassMisconfigured.String()
	}
	return "unknown"
}

// Row is a line of a table as it is printed: a meaning and the words that have it.
type Row struct {
	Meaning string
	Words   []string
}

// Rows are the table for a reader, in an order that does not change.
func (t Table) Rows() []Row {
	words := make(map[string][]string)
	for word, class := range t.Errors {
		words[class.String()] = append(words[class.String()], word)
	}
	for word, ending := range t.Endings {
		words[ending.String()] = append(words[ending.String()], word)
	}
	rows := make([]Row, 0, len(words))
	for _, meaning := range slices.Sorted(maps.Keys(words)) {
		slices.Sort(words[meaning]) // a word may be an error's and a reason's to stop
		rows = append(rows, Row{meaning, slices.Compact(words[meaning])})
	}
	return rows
}
