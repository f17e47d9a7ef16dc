// Package chaos is the long form of drill D30, everything at once: people keep
// asking for minutes while processes are killed and frozen, messages copied and
// held back, acknowledgements lost, connections cut and clocks stepped. When it
// is over, everything is read back and the recorded history is held against the
// promises.
//
// # What repeats
//
// The schedule of the faults and the whims of the people come from the seed. When
// a request meets a fault is up to the machine, so the same seed gives the same
// schedule and not the same run; what is judged is the record of the run.
//
// # What is judged
//
// A run is good when
//
//   - every press of a button was answered in the end, with one task, and says the
//     same when it is repeated;
//   - every task has ended within its deadline, one recovery interval and as much
//     as clocks were off, and is the same by the API and in the table;
//   - the conversations show these tasks and no others;
//   - the checker finds every promise kept, and nothing undecided.
//
// From crash to takeover is measured from the kill of a worker that holds a task,
// to the next claim of that task. The aim is a 99th percentile of at most lease +
// 5 s. It is shown for all takeovers, and for those that no second fault was in
// the way of: no clock was wrong by more than the margin meanwhile (a fast one
// gives itself a longer lease, a slow one comes later, and takes the message with
// it), and the dispatcher was neither killed nor frozen. A dispatcher that dies
// between moving a due time and publishing adds a handoff grace and a period, by
// design.
//
// A missed aim is shown and does not make a run bad: the 99th percentile of a
// hundred takeovers is the second longest of them, and a shared machine stalls
// (the longest stall is shown beside it). A median above the aim is no stall, and
// makes the run bad.
package chaos
