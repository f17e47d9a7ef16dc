package conversation

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Spend is what all tasks of a conversation have cost, as far as anybody saw it.
type Spend struct {
	Conversation string     `json:"conversation"`
	Tasks        int        `json:"tasks"`
	Calls        int        `json:"calls"`
	CallsKnown   int        `json:"calls_known"`
	CallsUnknown int        `json:"calls_unknown"`
	InputTokens  int64      `json:"input_tokens"`
	OutputTokens int64      `json:"output_tokens"`
	Money        *MoneyView `json:"money"` // null: nothing is priced
	// Complete is false when the time was over before the oldest task was read:
	// the sums are those of the newest tasks.
	Complete bool `json:"complete"`
}

const (
	// spendTime is how long sums are added up for one request: a caller behind a
	// gateway waits.
	spendTime = 3 * time.Second
	// spendPage and spendPageBytes bound one read. Replies come along, because
	// they are on the items whose counts are added up.
	spendPage      = 100
	spendPageBytes = 4 << 20
)

// Spend adds up the tasks of the caller's conversation, newest first, without
// any write for it: what a task cost stands on the task.
func (s Service) Spend(ctx context.Context, caller identity.Caller, conversation string) (Spend, error) {
	if _, err := s.own(ctx, caller, conversation); err != nil {
		return Spend{}, err
	}
	sum := Spend{Conversation: conversation}
	until := s.Now().Add(spendTime)
	for before := ""; ; {
		page, err := s.Store.Log(ctx, caller.Workspace, conversation, before, spendPage, spendPageBytes)
		if err != nil {
			return Spend{}, fmt.Errorf("add up conversation %s: %w", conversation, err)
		}
		for _, t := range page.Tasks {
			if err := sum.add(t, s.pricing()); err != nil {
				return Spend{}, err
			}
		}
		if before = page.Before; before == "" {
			sum.Complete = true
			return sum, nil
		}
		if !s.Now().Before(until) {
			return sum, nil
		}
	}
}

func (sum *Spend) add(t worktask.Task, p pricing) error {
	in, err := reply.DecodeInput(t.Input)
	if err != nil {
		return fmt.Errorf("add up task %s: %w", t.Ref, err)
	}
	money := p.of(t, in)
	if sum.Tasks++; sum.Tasks == 1 && money != nil {
		zero := int64(0)
		sum.Money = &MoneyView{Currency: p.currency, SpentMicros: &zero}
	}
	sum.Calls += t.Budget.Calls()
	sum.CallsKnown += t.Budget.CallsKnown
	sum.CallsUnknown += t.UnknownCalls()
	sum.InputTokens += t.Tokens.Input
	sum.OutputTokens += t.Tokens.Output
	sum.Money = sum.Money.plus(money, p.currency)
	return nil
}

// plus adds the money of one more task. A price that is not known makes the sum
// unknown, and does so for good.
func (v *MoneyView) plus(more *MoneyView, currency string) *MoneyView {
	switch {
	case v == nil && more == nil:
		return nil
	case v == nil:
		v = &MoneyView{Currency: currency} // of the tasks before, nothing is known
	case more == nil:
		return &MoneyView{Currency: currency, Limit: v.Limit}
	}
	sum := &MoneyView{Currency: currency, Limit: v.Limit.plus(more.Limit)}
	if v.SpentMicros != nil && more.SpentMicros != nil {
		spent := *v.SpentMicros + *more.SpentMicros
		sum.SpentMicros = &spent
	}
	return sum
}
