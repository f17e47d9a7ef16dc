package demo

import (
	"context"
	"time"

	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// The document that all questions are about.
const (
	documentTitle   = "House rules of the reading room"
	documentVersion = 1
	documentText    = `The reading room opens at nine and closes at six.
The librarian on duty decides when a dispute about a seat cannot be settled.
Members may borrow two volumes for three weeks; the catalogue shows who is next.
A volume that is overdue is asked for once in writing before the desk telephones.
`
)

// scenario is one failure, or none, and what must be seen of it.
type scenario struct {
	title    string // in the timeline and the table
	question string // its only one, and unlike all others: the provider's log is counted by it
	provider []providertest.Step
	muted    []string // log lines that are not told one by one

	deliverTwice bool // its message is delivered twice at the same time

	play func(context.Context, *scene) error
	want want
}

// want is what a scenario comes to, exactly.
type want struct {
	status   worktask.Status
	requests int   // by the provider's own log
	calls    int   // recorded on the task
	unknown  int   // of these with an end that nobody saw
	version  int64 // of the assignment
	refused  int   // writes and claims that workers log as refused, at least
}

// The provider's steps. Each answer says the how-manieth for its question it is, so that the one that is
// saved can be told from one that was refused.

// answers goes well and takes a moment, as a model does.
func answers(text string) providertest.Step {
	return providertest.Step{Action: providertest.Answer, Delay: providertest.Duration(thinking), Text: numbered(text)}
}

// answersWhenTold holds the finished answer until the scenario lets it go.
func answersWhenTold(question, text string) providertest.Step {
	return providertest.Step{Action: providertest.Answer, HoldAnswer: gateOf(question), Text: numbered(text)}
}

// cutsTheLine works and then loses the connection.
func cutsTheLine() providertest.Step {
	return providertest.Step{Action: providertest.CutBeforeAnswer, Delay: providertest.Duration(thinking)}
}

const thinking = 300 * time.Millisecond

func numbered(text string) *string {
	text += " (answer {{generation}})"
	return &text
}

// scenarios are all of them, in the order in which they are played.
func scenarios() []scenario {
	var all []scenario
	all = append(all, acceptScenarios()...)
	all = append(all, crashScenarios()...)
	all = append(all, lateScenarios()...)
	return append(all, wireScenarios()...)
}
