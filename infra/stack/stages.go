package stack

import (
	"maps"
	"slices"
)

// Stage is what differs between a place to try things and one that people rely on.
type Stage struct {
	Name string
	// Protected keeps data: table, user pool and stack cannot be deleted by
	// mistake, and what holds data outlives the stack.
	Protected bool
	// SelfSignUp lets anybody with an email address make a user in the stack's
	// own user pool, without a workspace that others share.
	SelfSignUp bool
	// SecondFactor asks every user of the stack's own user pool for one.
	SecondFactor bool
	// LogRetentionDays is the default of the option retention.
	LogRetentionDays int
	// RequestsPerSecond is where the API begins to answer 429; RequestBurst is
	// how many requests may come at once.
	RequestsPerSecond int
	RequestBurst      int
}

// Stages are all stages by name.
func Stages() map[string]Stage {
	return map[string]Stage{
		"dev": {
			Name: "dev", SelfSignUp: true, LogRetentionDays: 14, RequestsPerSecond: 50, RequestBurst: 100,
		},
		"prod": {
			Name: "prod", Protected: true, SecondFactor: true, LogRetentionDays: 90, RequestsPerSecond: 500, RequestBurst: 1000,
		},
	}
}

func stageNames() []string { return slices.Sorted(maps.Keys(Stages())) }
