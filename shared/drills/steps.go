package drills

import (
	"time"

	"github.com/replyonce/replyonce/shared/providertest"
)

// The provider's steps. Each answer says the how-manieth for its question it is,
// so that the one that is saved can be told from one that was refused.

// thinking is how long the provider takes for an answer.
const thinking = providertest.Duration(300 * time.Millisecond)

// held is the gate at which a thread's answer waits for its script.
const held = "answer"

func numbered(text string) *string {
	text += " (answer {{generation}})"
	return &text
}

// answers goes well.
func answers(text string) providertest.Step {
	return providertest.Step{Action: providertest.Answer, Delay: thinking, Text: numbered(text)}
}

// answersWhenTold holds the finished answer until the script lets it go.
func answersWhenTold(text string) providertest.Step {
	return providertest.Step{Action: providertest.Answer, HoldAnswer: held, Text: numbered(text)}
}

// cutsTheLine works and then loses the connection.
func cutsTheLine() providertest.Step {
	return providertest.Step{Action: providertest.CutBeforeAnswer, Delay: thinking}
}

// tooMany refuses with 429 and says when to come back.
func tooMany(retryAfter string) providertest.Step {
	return providertest.Step{Action: providertest.Fail, Status: 429, RetryAfter: []string{retryAfter}}
}
