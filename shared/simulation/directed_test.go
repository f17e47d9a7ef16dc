package simulation

import (
	"testing"

	"github.com/replyonce/replyonce/shared/simulation/coverage"
)

// TestEachCellOfTheDecisionTable brings each event into each state in which it
// can happen, and takes every edge of the state machine.
func TestEachCellOfTheDecisionTable(t *testing.T) {
	total := coverage.New()
	for _, d := range AllDirected() {
		name := d.Cell.String()
		if d.Cell.Row == "" {
			name = "variant"
		}
		t.Run(name, func(t *testing.T) {
			v := lab().Play(t, d.Schedule, 0)
			total.Add(v.Coverage)
			if v.Broken != nil {
				t.Errorf("%v\n%s", v.Broken, keep(t, "directed", d.Schedule, v))
			}
			if d.Cell.Row != "" && v.Coverage.Cells[d.Cell] == 0 {
				t.Errorf("not reached; met %v", v.Coverage.Cells)
			}
		})
	}
	if err := total.Print(t.Output()); err != nil {
		t.Error(err)
	}
	for _, cell := range total.MissingCells() {
		t.Errorf("%s was not reached", cell)
	}
	for _, cell := range total.ImpossibleCells() {
		t.Errorf("%s is listed as out of reach and was reached", cell)
	}
	for _, edge := range total.MissingEdges() {
		t.Errorf("edge %s was not taken", edge)
	}
	for _, edge := range total.ImpossibleEdges() {
		t.Errorf("edge %s was taken and is not listed", edge)
	}
}
