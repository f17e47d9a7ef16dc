// Package coverage counts which cells of the decision table, which edges of the
// state machine and which states a simulation has met.
package coverage

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Coverage is what was met.
type Coverage struct {
	Cells  map[Cell]int
	Edges  map[Edge]int
	States map[uint64]struct{} // by a hash of what distinguishes them
}

// New is empty.
func New() *Coverage {
	return &Coverage{Cells: map[Cell]int{}, Edges: map[Edge]int{}, States: map[uint64]struct{}{}}
}

// Cell counts a meeting of event and state.
func (c *Coverage) Cell(row Row, column Column) { c.Cells[Cell{row, column}]++ }

// Edge counts a change of a task.
func (c *Coverage) Edge(from worktask.Status, write string, to worktask.Status) {
	c.Edges[Edge{from, write, to}]++
}

// State counts a state of the world, described in any words.
func (c *Coverage) State(description string) {
	h := fnv.New64a()
	_, _ = io.WriteString(h, description) // a hash never fails
	c.States[h.Sum64()] = struct{}{}
}

// Add takes another coverage in.
func (c *Coverage) Add(o *Coverage) {
	for cell, n := range o.Cells {
		c.Cells[cell] += n
	}
	for edge, n := range o.Edges {
		c.Edges[edge] += n
	}
	for state := range o.States {
		c.States[state] = struct{}{}
	}
}

// MissingCells are the cells that can be reached and were not.
func (c *Coverage) MissingCells() []Cell {
	var missing []Cell
	for _, row := range Rows() {
		for _, column := range Columns() {
			cell := Cell{row, column}
			if _, no := cell.Unreachable(); !no && c.Cells[cell] == 0 {
				missing = append(missing, cell)
			}
		}
	}
	return missing
}

// ImpossibleCells are the cells that were reached although they are listed as
// out of reach: then the list is wrong.
func (c *Coverage) ImpossibleCells() []Cell {
	var wrong []Cell
	for _, row := range Rows() {
		for _, column := range Columns() {
			cell := Cell{row, column}
			if _, no := cell.Unreachable(); no && c.Cells[cell] > 0 {
				wrong = append(wrong, cell)
			}
		}
	}
	return wrong
}

// MissingEdges are the edges that were not taken.
func (c *Coverage) MissingEdges() []Edge {
	var missing []Edge
	for _, e := range Edges() {
		if c.Edges[e] == 0 {
			missing = append(missing, e)
		}
	}
	return missing
}

// ImpossibleEdges are edges that were taken and do not exist.
func (c *Coverage) ImpossibleEdges() []Edge {
	var wrong []Edge
	all := Edges()
	for e := range c.Edges {
		if !slices.Contains(all, e) {
			wrong = append(wrong, e)
		}
	}
	return wrong
}

// Print writes the table with the number of meetings in each cell, the edges,
// and what cannot be reached and why.
func (c *Coverage) Print(w io.Writer) error {
	var text strings.Builder
	c.printTable(&text)
	c.printEdges(&text)
	printUnreachable(&text)
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("print coverage: %w", err)
	}
	return nil
}

func (c *Coverage) printTable(text *strings.Builder) {
	fmt.Fprintf(text, "%-34s", "decision table")
	for _, column := range Columns() {
		fmt.Fprintf(text, " %9s", column.short())
	}
	text.WriteString("\n")
	reached, reachable := 0, 0
	for _, row := range Rows() {
		fmt.Fprintf(text, "%-34s", row)
		for _, column := range Columns() {
			cell := Cell{row, column}
			_, no := cell.Unreachable()
			n := c.Cells[cell]
			if !no {
				reachable++
			}
			if n > 0 {
				reached++
			}
			switch {
			case n > 0:
				fmt.Fprintf(text, " %9d", n)
			case no:
				fmt.Fprintf(text, " %9s", "-")
			default:
				fmt.Fprintf(text, " %9s", "MISSING")
			}
		}
		text.WriteString("\n")
	}
	fmt.Fprintf(text, "%d of %d cells that can be reached; - cannot be, see below\n\n", reached, reachable)
}

func (c *Coverage) printEdges(text *strings.Builder) {
	all := Edges()
	fmt.Fprintf(text, "edges of the state machine: %d of %d\n", len(all)-len(c.MissingEdges()), len(all))
	for _, e := range all {
		fmt.Fprintf(text, "  %-9s --%-20s--> %-9s %9d\n", e.From, e.Write, e.To, c.Edges[e])
	}
	fmt.Fprintf(text, "different states of the world: %d\n\n", len(c.States))
}

func printUnreachable(text *strings.Builder) {
	text.WriteString("cells that cannot be reached\n")
	for _, row := range Rows() {
		reasons := map[string][]string{}
		var order []string
		for _, column := range Columns() {
			reason, no := Cell{row, column}.Unreachable()
			if !no {
				continue
			}
			if reasons[reason] == nil {
				order = append(order, reason)
			}
			reasons[reason] = append(reasons[reason], string(column))
		}
		for _, reason := range order {
			fmt.Fprintf(text, "  %s × %s: %s\n", row, strings.Join(reasons[reason], ", "), reason)
		}
	}
}
