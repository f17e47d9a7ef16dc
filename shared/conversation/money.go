package conversation

import (
	"cmp"

	"github.com/replyonce/replyonce/shared/prices"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

// MoneyView is what calls have cost, in millionths of the currency.
type MoneyView struct {
	Currency string `json:"currency"`
	// SpentMicros is the price of the tokens that providers reported; null when
	// that is not all: a call has an unknown end, or ended without a report.
	SpentMicros *int64      `json:"spent_micros"`
	Limit       *MoneyLimit `json:"limit,omitzero"` // nil: there is none
}

// MoneyLimit is what is taken of what a task may cost, calls with an unknown end
// at the price of the worst case.
type MoneyLimit struct {
	TakenMicros int64 `json:"taken_micros"`
	LimitMicros int64 `json:"limit_micros"`
}

func (l *MoneyLimit) plus(more *MoneyLimit) *MoneyLimit {
	switch {
	case l == nil:
		return more
	case more == nil:
		return l
	}
	return &MoneyLimit{TakenMicros: l.TakenMicros + more.TakenMicros, LimitMicros: l.LimitMicros + more.LimitMicros}
}

// pricing is how a service shows money.
type pricing struct {
	prices   prices.Table
	currency string
	model    string // of tasks that name none
}

func (s Service) pricing() pricing {
	return pricing{prices: s.Prices, currency: s.Currency, model: s.Model}
}

// of shows the money of a task; nil when nothing is priced.
func (p pricing) of(t worktask.Task, in reply.Input) *MoneyView {
	price, priced := p.prices.Of(cmp.Or(in.Model, p.model))
	if !priced && !t.Money.Counted() {
		return nil
	}
	v := &MoneyView{Currency: p.currency}
	if t.Money.Counted() {
		v.Limit = &MoneyLimit{TakenMicros: t.Money.Taken(), LimitMicros: t.Money.Limit}
	}
	reported := t.Tokens != (worktask.Tokens{}) || t.Budget.CallsKnown == 0
	if priced && reported && t.UnknownCalls() == 0 {
		spent := price.Cost(t.Tokens.Input, t.Tokens.Output)
		v.SpentMicros = &spent
	}
	return v
}
