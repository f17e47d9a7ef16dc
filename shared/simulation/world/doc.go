// Package world is a small copy of everything around the task flow, in virtual
// time: hosts with clocks, processes that die and freeze, a network that loses
// and delays, a queue, a provider and its log, and users. Inside it runs the
// real code: taskflow.Runner, Writer and Dispatcher, workerhandler.Handler,
// keyed.Creator and the use cases of package conversation, over memstore.
//
// # How it is steered
//
// Every call that leaves a process waits at a gate until a Step lets it through
// or makes it go wrong. Between two steps nothing moves: synctest.Wait tells
// when every goroutine stands at a gate or sleeps. One step wakes one
// goroutine, so that a schedule, which is plain data, always gives the same
// history.
//
// A process that dies ends its goroutines where they stand: what it has sent is
// with the store, what it has not is lost, and nothing of it runs on. A frozen
// process stops at its next look at a clock or the network; its timers fire
// when it is thawed.
//
// # What is not real
//
// One goroutine of a process runs until its next gate at a time, as if calls in
// memory took no time. The store is linearizable and single, as DynamoDB's is
// for one item. Races between goroutines within one process are what the race
// detector is for.
package world
