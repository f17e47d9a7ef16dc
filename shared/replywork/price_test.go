package replywork_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/prices"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/worktask"
)

// What a call has cost is known where the model has a price and the provider
// says what it used, answered or not.
func TestCostOfACall(t *testing.T) {
	t.Parallel()
	table := prices.Table{"m": {InputPerMillion: 2_000_000, OutputPerMillion: 10_000_000}, "own": {InputPerMillion: 1_000_000}}
	used := llmprovider.Answer{Text: "x", InputTokens: 100, OutputTokens: 7}
	declined := &llmprovider.Error{Kind: llmprovider.Declined, Reason: llmprovider.ReasonDeclined, Spend: llmprovider.Spend{InputTokens: 50}}
	for _, c := range []struct {
		name   string
		prices prices.Table
		model  string // of the task
		spy    *spy
		want   worktask.Cost
	}{
		{"answered", table, "m", &spy{answer: used}, worktask.Cost{Known: true, Micros: 270}},
		{"the worker's own model", table, "", &spy{answer: used}, worktask.Cost{Known: true, Micros: 100}},
		{"declined", table, "m", &spy{err: declined}, worktask.Cost{Known: true, Micros: 100}},
		{"no usage told", table, "m", &spy{answer: llmprovider.Answer{Text: "x"}}, worktask.Cost{}},
		{"no price", nil, "m", &spy{answer: used}, worktask.Cost{}},
		{"another model", table, "other", &spy{answer: used}, worktask.Cost{}},
	} {
		s := stored()
		kind := replywork.Kind{Conversations: s, Documents: s, Objects: s, Provider: c.spy, Prices: c.prices, Model: "own"}
		work, err := kind.Prepare(t.Context(), taskFor(c.model))
		if err != nil {
			t.Fatal(err)
		}
		if got := work.Call(t.Context(), nil).Report.Cost; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
