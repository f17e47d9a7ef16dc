// Package drills is the catalogue of failures that the service is built for, as
// data and scripts, and the code that plays and judges them.
//
// A drill says in plain words what happens and what must be seen. Its script is
// ordinary code against a [World]: it presses Send, kills a worker at an exact
// point, lets an acknowledgement get lost, waits until something was seen. One
// script serves every world: package virtual plays it in virtual time within
// milliseconds, infra/drill against the real one-machine stack with real
// processes, and those drills that need nothing but HTTP against any deployment.
//
// # Two judges
//
// A drill has its own expectation: how often the provider was called, how the
// task ended, at which version, how many writes the fence refused. Beside that,
// everything that happened is kept as a history, and package history/check
// decides the promises of the service on it. A drill passes when both agree.
package drills
