// Package texttable lays out tables for terminals.
package texttable

import (
	"strings"
	"unicode/utf8"
)

// Format lays rows out in columns; the first row is the head. Columns whose cells below the head are all
// numbers stand at the right.
func Format(rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var out strings.Builder
	columns := measure(rows)
	for i, row := range rows {
		writeRow(&out, row, columns)
		if i == 0 {
			rule := make([]string, len(columns))
			for c := range columns {
				rule[c] = strings.Repeat("─", columns[c].width)
			}
			writeRow(&out, rule, columns)
		}
	}
	return out.String()
}

type column struct {
	width   int
	numeric bool
}

func measure(rows [][]string) []column {
	columns := make([]column, len(rows[0]))
	for c := range columns {
		columns[c].numeric = len(rows) > 1
		for r, row := range rows {
			columns[c].width = max(columns[c].width, utf8.RuneCountInString(row[c]))
			if r > 0 && strings.Trim(row[c], "0123456789.") != "" {
				columns[c].numeric = false
			}
		}
	}
	return columns
}

func writeRow(out *strings.Builder, row []string, columns []column) {
	var line strings.Builder
	for c, cell := range row {
		if c > 0 {
			line.WriteString("  ")
		}
		if columns[c].numeric {
			line.WriteString(strings.Repeat(" ", columns[c].width-utf8.RuneCountInString(cell)) + cell)
		} else {
			line.WriteString(Pad(cell, columns[c].width))
		}
	}
	out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// Pad fills text up with spaces to a number of characters.
func Pad(text string, width int) string {
	for n := utf8.RuneCountInString(text); n < width; n++ {
		text += " "
	}
	return text
}
