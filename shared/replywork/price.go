package replywork

import (
	"cmp"

	"github.com/replyonce/replyonce/shared/prices"
	"github.com/replyonce/replyonce/shared/worktask"
)

// price is that of the model that a call asks for; nil: it has none.
func (k Kind) price(model string) *prices.Price {
	price, found := k.Prices.Of(cmp.Or(model, k.Model))
	if !found {
		return nil
	}
	return &price
}

// cost is what a call has cost by the tokens that the provider reported. Without
// a price, or without a report, nobody knows.
func cost(price *prices.Price, used worktask.Tokens) worktask.Cost {
	if price == nil || used == (worktask.Tokens{}) {
		return worktask.Cost{}
	}
	return worktask.Cost{Known: true, Micros: price.Cost(used.Input, used.Output)}
}
