package e2e

import "fmt"

// Checks are all checks, in the order in which they are played.
func Checks() []Check {
	return []Check{
		{"health", "the api function answers", health},
		{"page", "the page and everything it loads are served, with its headers", page},
		{"settings", "/config.json says how to sign in", settings},
		{"contract", "the OpenAPI document is served to everybody", contract},
		{"preflight", "a page of another origin may send keys and tokens", preflight},
		{"no token", "without a token there is nothing to see: 401", noToken},
		{"forged token", "a token that nobody signed is refused: 401", forgedToken},
		{"CORS on refusals", "a page of another origin can read the gateway's refusals", refusalsCORS},
		{"document", "a document and a conversation are made once each", makeThings},
		{"field errors", "a request that is not as agreed names its field", fieldErrors},
		{"unknown path", "an unknown path is a problem that a page can read", unknownPath},
		{"submit", "a question is accepted: 202, with a task", submit},
		{"repeat", "the same request again shows the same task", repeat},
		{"conflict", "the same key with another text is refused: 422", conflict},
		{"reply", "the task ends with a reply", reply},
		{"repeat afterwards", "the same request after the end shows the reply", repeatAfterwards},
		{"reload", "the conversation is as it was, and 304 while nothing changes", reload},
		{"regenerate", "one more reply is one more task, once for each key", regenerate},
		{"cancel", "a task that was stopped stays without a reply", cancel},
		{"exact text", "a question comes back as it was typed", exactText},
		{"foreign ids", "what another workspace has is not there", foreignIDs},
	}
}

// need refuses a check whose predecessor has not made what it needs.
func need(what string, there bool) error {
	if there {
		return nil
	}
	return fmt.Errorf("%w: there is no %s", errNotRun, what)
}
