package world

import (
	"cmp"
	"fmt"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

func (w *World) stepSend(s Step) bool {
	i := s.A % maxPresses
	if i >= len(w.presses) {
		i = len(w.presses)
		user := s.B % len(users)
		w.presses = append(w.presses, &press{
			user: user, key: idempotency.Key(fmt.Sprintf("press-%d", i+1)), text: question, version: 1,
		})
		w.send(w.presses[i])
		return true
	}
	p := w.presses[i]
	switch s.B % 4 {
	case 2: // a reused key
		other := *p
		other.text += " And who?"
		w.send(&other)
	case 3: // a key that somebody else uses too
		other := press{user: (p.user + 1) % len(users), key: p.key, text: question, version: 1}
		w.send(&other)
	default:
		w.send(p)
	}
	return true
}

func (w *World) stepRegenerate(s Step) bool {
	p, found := pick(w.presses, s.A)
	if !found || p.answered == "" {
		return false
	}
	if len(w.presses) >= maxPresses {
		return false
	}
	again := &press{user: p.user, key: idempotency.Key(fmt.Sprintf("press-%d", len(w.presses)+1)), message: p.answered}
	w.presses = append(w.presses, again)
	w.send(again)
	return true
}

func (w *World) stepAsk(s Step) bool {
	refs := w.tasks()
	ref := nobody()
	if i := s.A % (len(refs) + 1); i < len(refs) {
		ref = refs[i]
	}
	by := w.userOf(ref)
	if s.B%8 == 7 {
		by = (by + 1) % len(users)
	}
	if s.Op == CancelTask {
		w.cancel(by, ref)
	} else {
		w.read(by, ref)
	}
	return true
}

func (w *World) userOf(ref worktask.Ref) int {
	for i := range users {
		if conversation.Scope(conversationOf(i)) == ref.Scope {
			return i
		}
	}
	return 0
}

func compareIDs(a, b worktask.Ref) int { return cmp.Compare(a.ID, b.ID) }
