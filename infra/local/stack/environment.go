package stack

import "maps"

// Environment are the variables that every function of the stack gets, for
// functions elsewhere that are to work on the same table and queues.
func (s *Stack) Environment() map[string]string {
	env := maps.Clone(environment(s.options, s.backend, s.origin()))
	delete(env, "PATH") // of this machine
	return env
}
