package chaos

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/providertest"
)

// habit is what the provider does with the questions that name it.
type habit struct {
	name   string
	weight int
	steps  []providertest.Step // of each question, one for a request
	repeat bool                // the last step goes on for ever
}

func after(delay time.Duration) providertest.Step {
	return providertest.Step{Action: providertest.Answer, Delay: providertest.Duration(delay)}
}

func fails(status int, retryAfter ...string) providertest.Step {
	return providertest.Step{Action: providertest.Fail, Status: status, RetryAfter: retryAfter}
}

// operates is an answer that is read by looking an operation up.
func operates(action providertest.Action, delay time.Duration) providertest.Step {
	return providertest.Step{Action: action, Background: true, Delay: providertest.Duration(delay)}
}

// largeReply is more than a task's item holds.
const largeReply = 350 << 10

// habits are the moods of the provider. Whatever a question has no step left for
// is answered at once.
var habits = []habit{
	{name: "at once", weight: 20, steps: []providertest.Step{after(50 * time.Millisecond)}},
	{name: "soon", weight: 20, steps: []providertest.Step{after(300 * time.Millisecond)}},
	{name: "late", weight: 16, steps: []providertest.Step{after(1200 * time.Millisecond)}},
	{name: "beyond the lease", weight: 10, steps: []providertest.Step{after(4 * time.Second)}},
	{name: "rejected", weight: 5, steps: []providertest.Step{fails(http.StatusTooManyRequests, "1"), after(100 * time.Millisecond)}},
	{name: "rejected with a date", weight: 1, steps: []providertest.Step{fails(http.StatusTooManyRequests, "date:+2s"), after(100 * time.Millisecond)}},
	{name: "rejected beyond the deadline", weight: 1, steps: []providertest.Step{fails(http.StatusTooManyRequests, "86400")}},
	{name: "overloaded twice", weight: 3, steps: []providertest.Step{fails(http.StatusTooManyRequests), fails(http.StatusTooManyRequests), after(100 * time.Millisecond)}},
	{name: "cut", weight: 4, steps: []providertest.Step{{Action: providertest.CutBeforeAnswer, Delay: providertest.Duration(200 * time.Millisecond)}, after(100 * time.Millisecond)}},
	{name: "cut in the answer", weight: 2, steps: []providertest.Step{{Action: providertest.CutInAnswer}, after(100 * time.Millisecond)}},
	{name: "cut always", weight: 1, steps: []providertest.Step{{Action: providertest.CutBeforeAnswer}}, repeat: true},
	{name: "hangs", weight: 1, steps: []providertest.Step{{Action: providertest.Never}, after(100 * time.Millisecond)}},
	{name: "broken", weight: 2, steps: []providertest.Step{fails(http.StatusInternalServerError), after(100 * time.Millisecond)}},
	{name: "broken always", weight: 1, steps: []providertest.Step{fails(http.StatusTooManyRequests)}, repeat: true},
	{name: "empty", weight: 2, steps: []providertest.Step{{Action: providertest.Answer, NoText: true}}},
	{name: "declined", weight: 1, steps: []providertest.Step{{Action: providertest.Answer, StopReason: "refusal"}}},
	{name: "cut short", weight: 1, steps: []providertest.Step{{Action: providertest.Answer, StopReason: "length"}}},
	{name: "refused", weight: 1, steps: []providertest.Step{fails(http.StatusBadRequest)}},
	{name: "large", weight: 1, steps: []providertest.Step{{Action: providertest.Answer, Bytes: largeReply}}},
	{name: "operation", weight: 6, steps: []providertest.Step{operates(providertest.Answer, 1500*time.Millisecond)}},
	{name: "lost operation", weight: 1, steps: []providertest.Step{operates(providertest.LoseOperation, 0), after(100 * time.Millisecond)}},
}

// mark is how a question names a habit.
func (h habit) mark() string { return "[" + h.name + "]" }

// drawHabit draws one by weight.
func drawHabit(random *rand.Rand) habit {
	total := 0
	for _, h := range habits {
		total += h.weight
	}
	n := random.IntN(total)
	for _, h := range habits {
		if n -= h.weight; n < 0 {
			return h
		}
	}
	return habits[0]
}

// teach tells the provider its habits.
func teach(provider *providertest.Server) error {
	for _, h := range habits {
		if _, err := provider.Script(providertest.Script{Match: h.mark(), PerPrompt: true, Steps: h.steps, Repeat: h.repeat}); err != nil {
			return fmt.Errorf("tell the provider to be %q: %w", h.name, err)
		}
	}
	return nil
}
