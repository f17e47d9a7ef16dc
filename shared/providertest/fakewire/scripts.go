package fakewire

import (
	"strings"
	"sync"
)

// Scripts are queues of steps for questions. The zero value is empty.
type Scripts[S any] struct {
	mu   sync.Mutex
	list []*script[S]
}

type script[S any] struct {
	match  string
	repeat bool
	steps  []S
}

// Add makes the next requests whose question contains match take these steps, in
// order, and the last of them for ever with repeat. Scripts are tried in the order
// in which they were added.
func (b *Scripts[S]) Add(match string, repeat bool, steps []S) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, &script[S]{match, repeat, steps})
}

// Take uses up the next step for a question; the zero step where none is left.
func (b *Scripts[S]) Take(question string) S {
	step, _ := b.take(func(s *script[S]) bool { return strings.Contains(question, s.match) })
	return step
}

// TakeEarly uses up the next step of a script for every question if the step is an
// early one: it must happen before the question is read.
func (b *Scripts[S]) TakeEarly(early func(S) bool) (S, bool) {
	return b.take(func(s *script[S]) bool { return s.match == "" && early(s.steps[0]) })
}

func (b *Scripts[S]) take(matches func(*script[S]) bool) (S, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.list {
		if len(s.steps) == 0 || !matches(s) {
			continue
		}
		step := s.steps[0]
		if !s.repeat || len(s.steps) > 1 {
			s.steps = s.steps[1:]
		}
		return step, true
	}
	var none S
	return none, false
}

// Clear removes all scripts.
func (b *Scripts[S]) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = nil
}
