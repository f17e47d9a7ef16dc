package conversation

import (
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/worktask"
)

// fieldOnUnknown is the field of a request that names the policy for a call
// whose end nobody saw.
const fieldOnUnknown = "on_unknown"

// policy is what a new task keeps to. It is resolved once, at accept: a
// deployment that changes its default changes no task that it has accepted.
func (s Service) policy(named *string) worktask.UnknownPolicy {
	if named == nil {
		return s.OnUnknown
	}
	return worktask.UnknownPolicy(*named)
}

// checkPolicy refuses what the operator does not allow, and says what is. It is
// asked like a reference: a repeat of a request that was accepted under an older
// configuration gets its task.
func (s Service) checkPolicy(named *string) error {
	allowed := s.AllowedPolicies()
	if named == nil || slices.Contains(allowed, worktask.UnknownPolicy(*named)) {
		return nil
	}
	return inputcheck.Invalid(fieldOnUnknown, `The field "on_unknown" may be %s here, or be left out.`, listed(allowed))
}

// AllowedPolicies are what a request may name.
func (s Service) AllowedPolicies() []worktask.UnknownPolicy {
	if len(s.OnUnknownAllowed) == 0 {
		return []worktask.UnknownPolicy{s.OnUnknown}
	}
	return s.OnUnknownAllowed
}

func listed(policies []worktask.UnknownPolicy) string {
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = `"` + string(p) + `"`
	}
	return strings.Join(names, " or ")
}
