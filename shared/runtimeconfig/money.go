package runtimeconfig

import (
	"regexp"
	"strconv"

	"github.com/replyonce/replyonce/shared/prices"
	"github.com/replyonce/replyonce/shared/worktask"
)

// SpendConfig is what calls cost and how much a task may.
type SpendConfig struct {
	Prices   prices.Table // by model; empty: nothing is priced
	Currency string       // ISO 4217, of all money
	// MoneyLimit is what a new task may cost, in millionths of the currency; 0:
	// money is not counted.
	MoneyLimit int64
}

type spendVariables struct {
	Prices     string `env:"PRICES"`
	Currency   string `env:"CURRENCY"    envDefault:"USD"`
	MoneyLimit string `env:"MONEY_LIMIT"`
}

var currencyShape = regexp.MustCompile(`^[A-Z]{3}$`)

func (raw spendVariables) read(p *problems) SpendConfig {
	c := SpendConfig{Currency: raw.Currency}
	var err error
	if c.Prices, err = prices.Parse(raw.Prices); err != nil {
		p.add("PRICES", `is no table of prices: %v. Set it to {"model":{"input_per_million":2500000,"output_per_million":10000000}}, in millionths of the currency.`, err)
	}
	if !currencyShape.MatchString(raw.Currency) {
		p.add("CURRENCY", "is %q. Set it to the three letters of a currency, such as EUR.", raw.Currency)
	}
	if raw.MoneyLimit == "" {
		return c
	}
	if c.MoneyLimit, err = strconv.ParseInt(raw.MoneyLimit, 10, 64); err != nil || c.MoneyLimit < 1 {
		p.add("MONEY_LIMIT", "is %q. Set it to a whole number of millionths of the currency, such as 50000 for 0.05.", raw.MoneyLimit)
	}
	return c
}

// money is what a new task may cost, and what one call of it costs at most: its
// longest prompt and its longest answer. Without these limits there is no most,
// and a limit of money could not be kept.
func (c SpendConfig) money(model string, maxInput, maxOutput int, p *problems) worktask.Money {
	if c.MoneyLimit < 1 {
		return worktask.Money{}
	}
	price, found := c.Prices.Of(model)
	switch {
	case !found:
		p.add("PRICES", "has no price for the model %q, and %sMONEY_LIMIT is set. Set it to a table with this model, or with %q for every model.", model, prefix, prices.AnyModel)
	case maxInput == 0:
		p.add("MAX_INPUT_TOKENS", "is not set, and %sMONEY_LIMIT is. Set it to the longest prompt, or a call has no highest price.", prefix)
	case maxOutput == 0:
		p.add("MAX_OUTPUT_TOKENS", "is not set, and %sMONEY_LIMIT is. Set it to the longest answer, or a call has no highest price.", prefix)
	}
	most := price.Cost(int64(maxInput), int64(maxOutput))
	if found && most > c.MoneyLimit {
		p.add("MONEY_LIMIT", "is %d, and one call may cost %d. Set it to at least that, or no task could make a call.", c.MoneyLimit, most)
	}
	return worktask.NewMoney(c.MoneyLimit, most)
}
