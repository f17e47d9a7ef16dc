package demo_test

import (
	"testing"

	"github.com/replyonce/replyonce/infra/demo"
)

// TestDemo plays what "make demo" plays, with the same limits.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("skipping the demonstration: it runs a whole stack for about half a minute")
	}
	result, err := demo.Run(t.Context(), demo.Options{Out: t.Output(), DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range result.Rows {
		for _, deviation := range row.Deviations {
			t.Errorf("%s: %s", row.Scenario, deviation)
		}
	}
	for _, promise := range result.Promises {
		for _, broken := range promise.Broken {
			t.Errorf("%s: %s", promise.ID, broken)
		}
	}
	if !result.Good() && !t.Failed() {
		t.Error("nothing was played")
	}
}
