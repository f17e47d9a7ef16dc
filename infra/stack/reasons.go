package stack

import "github.com/replyonce/replyonce/shared/worktask"

// Concern is whom a failed task concerns, and so which alarm it raises.
type Concern string

// The concerns.
const (
	ConcernService Concern = "service" // the service did not do what it should
	ConcernSetup   Concern = "setup"   // an operator has to change something
	ConcernQuota   Concern = "quota"   // what the provider allows is used up
	ConcernUnknown Concern = "unknown" // the provider may have charged for an answer that is lost
	ConcernCaller  Concern = "caller"  // the question or its answer; no alarm, on the dashboard
)

// concerns has every failure reason once.
var concerns = map[worktask.Reason]Concern{
	worktask.DeadlineOver:          ConcernService,
	worktask.AttemptsExhausted:     ConcernService,
	worktask.BudgetExhausted:       ConcernService,
	worktask.DocumentUnreadable:    ConcernService,
	worktask.ProviderMisconfigured: ConcernSetup,
	worktask.ProviderRefused:       ConcernSetup,
	worktask.ProviderQuota:         ConcernQuota,
	worktask.OutcomeUnknown:        ConcernUnknown,
	worktask.Declined:              ConcernCaller,
	worktask.EmptyReply:            ConcernCaller,
	worktask.InputTooLarge:         ConcernCaller,
	worktask.ReplyTooLarge:         ConcernCaller,
}

// reasonsOf lists the reasons of a concern in the order of the documentation.
func reasonsOf(c Concern) []worktask.Reason {
	var reasons []worktask.Reason
	for _, reason := range worktask.Reasons() {
		if concerns[reason] == c {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}
