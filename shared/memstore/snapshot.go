package memstore

import (
	"maps"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Snapshot is everything that a checker of the promises looks at, as it was at
// one instant.
type Snapshot struct {
	Tasks    map[worktask.Ref]worktask.Task
	Messages map[worktask.Ref]conversation.Message // by the message's place in its log
	Records  map[string]idempotency.Record         // by idempotency address
	Evidence []worktask.Evidence                   // in no order
	Attempts []worktask.AttemptRecord              // in no order
}

// Snapshot copies the store's state.
func (s *Store) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Snapshot{
		Tasks:    maps.Clone(s.tasks),
		Messages: make(map[worktask.Ref]conversation.Message, len(s.messages)),
		Records:  maps.Clone(s.records),
	}
	for ref, m := range s.messages {
		out.Messages[ref] = storedMessage(m)
	}
	for _, e := range s.evidence {
		out.Evidence = append(out.Evidence, e)
	}
	for _, r := range s.attempts {
		out.Attempts = append(out.Attempts, r)
	}
	return out
}
