package operator

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Decision is why a task exists that no user asked for. It is part of the new
// task's input, so it is written in the same transaction as the task and is as
// unchangeable; workers read past it.
type Decision struct {
	Of  string `json:"of"` // the failed task's id
	By  string `json:"by"` // who decided
	At  Moment `json:"at"`
	Why string `json:"why"`
	Key string `json:"key"` // the idempotency key of the decision
}

// decidedInput is the input of a reply task with a decision beside it.
type decidedInput struct {
	reply.Input
	Retry *Decision `json:"retry,omitzero"`
}

// encode gives the task's stored input.
func (in decidedInput) encode() (string, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return "", fmt.Errorf("encode input: %w", err)
	}
	return string(text), nil
}

// decisionOf reads the decision behind a task, nil when a user asked for it.
func decisionOf(t worktask.Task) *Decision {
	if t.Kind != reply.Kind {
		return nil
	}
	var in decidedInput
	if err := json.Unmarshal([]byte(t.Input), &in); err != nil {
		return nil // the report says so where it reads the input
	}
	return in.Retry
}
