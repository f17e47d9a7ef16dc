// Package prices turns tokens into money. Money is counted in millionths of one
// currency, the deployment's, in whole numbers: sums stay exact, and a rounding
// is always up, so that what is shown is never less than what is asked for.
package prices

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/go-json-experiment/json"
)

// AnyModel is the name under which a table has the price of every model that it
// does not name.
const AnyModel = "*"

// Price is what a model costs, in millionths of the currency for a million
// tokens: 2.50 for a million is 2500000.
type Price struct {
	InputPerMillion  int64 `json:"input_per_million"`
	OutputPerMillion int64 `json:"output_per_million"`
}

// Table has prices by the provider's names of models. The zero value has none.
type Table map[string]Price

// maxPrice bounds a price so far above every real one that its sums cannot
// overflow for any number of tokens that a call can have.
const maxPrice = 1_000_000_000_000

// Parse reads a table from JSON; an empty text is an empty table.
func Parse(text string) (Table, error) {
	if text == "" {
		return Table{}, nil
	}
	var raw map[string]struct {
		Input  *int64 `json:"input_per_million"`
		Output *int64 `json:"output_per_million"`
	}
	if err := json.Unmarshal([]byte(text), &raw, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	table := Table{}
	for model, p := range raw {
		if model == "" || p.Input == nil || p.Output == nil {
			return nil, fmt.Errorf("read prices: %q needs a name, input_per_million and output_per_million", model)
		}
		if min(*p.Input, *p.Output) < 0 || max(*p.Input, *p.Output) > maxPrice {
			return nil, fmt.Errorf("read prices: a price of %q is below 0 or above %d", model, int64(maxPrice))
		}
		table[model] = Price{*p.Input, *p.Output}
	}
	return table, nil
}

// Of finds the price of a model.
func (t Table) Of(model string) (Price, bool) {
	if p, named := t[model]; named {
		return p, true
	}
	p, found := t[AnyModel]
	return p, found
}

// Cost is the price of so many tokens, rounded up. Numbers below zero count as
// zero; one that no call can have costs the largest number there is.
func (p Price) Cost(inputTokens, outputTokens int64) int64 {
	in, over := times(p.InputPerMillion, inputTokens)
	out, overToo := times(p.OutputPerMillion, outputTokens)
	if over || overToo || in > math.MaxInt64-out-million+1 {
		return math.MaxInt64
	}
	return (in + out + million - 1) / million
}

const million = 1_000_000

func times(price, tokens int64) (product int64, over bool) {
	high, low := bits.Mul64(uint64(max(price, 0)), uint64(max(tokens, 0)))
	return int64(low & math.MaxInt64), high != 0 || low > math.MaxInt64
}
