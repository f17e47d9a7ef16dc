// Package observe turns the requests of functions to AWS, as they pass the fault
// proxy, into the events of a history: every conditional write with the item
// after it, every read of a task, every transaction, every message.
//
// It stands where the network is, so it sees both sides of a request: what its
// sender asked for and learned, and what the store did. Writes of tasks are let
// through one at a time, so that the order of their events is the order in which
// they landed.
package observe
