package providertest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Script says what happens to the requests whose question it matches.
type Script struct {
	// ID is given by the server.
	ID string `json:"id,omitzero"`
	// Match is a part of the question; empty matches every question.
	Match string `json:"match,omitzero"`
	// PerPrompt counts the steps for each prompt apart, so that for instance every
	// task's first call fails.
	PerPrompt bool `json:"per_prompt,omitzero"`
	// Repeat makes the last step happen again and again.
	Repeat bool `json:"repeat,omitzero"`
	// Steps happen in order, one for each request.
	Steps []Step `json:"steps"`
}

func (s Script) validate(lookup bool) error {
	if len(s.Steps) == 0 {
		return errors.New("script has no steps")
	}
	for i, step := range s.Steps {
		if err := step.validate(lookup); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if step.Action == CutBeforeBody && (s.Match != "" || s.PerPrompt) {
			return fmt.Errorf("step %d: the question is in the body, so %s cannot depend on it", i+1, CutBeforeBody)
		}
	}
	return nil
}

// taken is a step with its place, for the log. A zero script means that no step
// was left and the request gets the plain answer.
type taken struct {
	script string
	number int
	step   Step
}

// scriptBook holds the scripts in the order in which they were added.
type scriptBook struct {
	mu      sync.Mutex
	last    int
	entries []*scriptEntry
}

type scriptEntry struct {
	script Script
	used   map[string]int
}

func (b *scriptBook) add(script Script) Script {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	script.ID = "script-" + strconv.Itoa(b.last)
	b.entries = append(b.entries, &scriptEntry{script: script, used: make(map[string]int)})
	return script
}

func (b *scriptBook) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries = nil
}

func (b *scriptBook) list() []Script {
	b.mu.Lock()
	defer b.mu.Unlock()
	scripts := make([]Script, 0, len(b.entries))
	for _, entry := range b.entries {
		scripts = append(scripts, entry.script)
	}
	return scripts
}

// take uses up the next step of the first script that matches and has one left.
func (b *scriptBook) take(question, promptHash string) taken {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, entry := range b.entries {
		if !strings.Contains(question, entry.script.Match) {
			continue
		}
		if step, ok := entry.take(promptHash); ok {
			return step
		}
	}
	return taken{step: Step{Action: Answer}}
}

// takeBeforeBody uses up a step that must happen before the body is read: a
// CutBeforeBody that is next in a script for every question.
func (b *scriptBook) takeBeforeBody() (taken, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, entry := range b.entries {
		next := entry.next("")
		if entry.script.Match == "" && next < len(entry.script.Steps) && entry.script.Steps[next].Action == CutBeforeBody {
			return entry.take("")
		}
	}
	return taken{}, false
}

func (e *scriptEntry) counter(promptHash string) string {
	if e.script.PerPrompt {
		return promptHash
	}
	return ""
}

// next is the index of the step to take, or len(Steps) when none is left.
func (e *scriptEntry) next(promptHash string) int {
	used, steps := e.used[e.counter(promptHash)], len(e.script.Steps)
	if e.script.Repeat && used >= steps {
		return steps - 1
	}
	return min(used, steps)
}

func (e *scriptEntry) take(promptHash string) (taken, bool) {
	index := e.next(promptHash)
	if index == len(e.script.Steps) {
		return taken{}, false
	}
	e.used[e.counter(promptHash)]++
	return taken{script: e.script.ID, number: index + 1, step: e.script.Steps[index]}, true
}
