// Package explore walks through every interleaving of two workers, a dispatcher
// and a user over one task, within a stated number of faults and of time.
//
// # What is real
//
// Every condition, every effect, every proof of an own write, the choice of the
// write that follows an attempt and the choice of the write that ends a task are
// the engine's own (package worktask). What lies between them, the order of the
// steps of taskflow.Writer, Runner and Dispatcher, is written down here as small
// machines, because goroutines cannot be copied and states must be. A test of
// package simulation holds these machines to the real ones, path by path.
//
// # Time
//
// Time is counted in ticks and goes on at any moment. Whoever is in the middle of
// something then was frozen, which is a fault; only the provider may take its
// time. The timers keep their order and lose their sizes: a lease is a few ticks,
// the margin one, a task has some ticks until its deadline.
//
// # Faults
//
// Any write may lose its acknowledgement, never arrive, be sent twice, or arrive
// when its sender has gone on; any process may die between any two steps; any
// message may be lost or come twice. A search counts the faults of each path and
// stops at its bound. What the provider answers is no fault and is not counted.
package explore
