// Package operator is what an operator does to a running deployment, and what
// the commands of cmd/replyonce print: look at a task, list what is due or
// stuck, bring dead letters back, decide that a failed task is worth another
// one, make a user.
//
// Three rules hold for all of it. Nothing here scans: tasks are found by their
// key or by the index of due handoffs, so that a look at night costs what the
// look is worth. A task that has ended is never written again; a retry is a new
// task that says who decided it and why. And what people wrote is not printed
// unless the operator asks for it.
package operator
