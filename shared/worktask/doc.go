// Package worktask is the task engine: what a task is, which changes it may
// undergo, and who may make them. It knows no kind of work, no database, no
// queue and no provider; inputs and results are opaque to it.
//
// # States
//
//	              claim                     complete
//	accepted ──▶ pending ───────▶ running ───────────▶ completed
//	                ▲               │  │ ▲
//	                │    release    │  └─┘ takeover (claim after the lease, version + 1)
//	                └───────────────┤
//	                                │ fail, end
//	   cancel or end from pending   ├──────────────────▶ failed (reason)
//	   cancel from running          └──────────────────▶ cancelled
//
// completed, failed and cancelled are ends: nothing leaves them.
//
// # How a change is made
//
// Every change is a Transition: one conditional write. A Transition is a pure
// value with three questions to a task: is the change permitted (the write's
// condition), what does the task look like afterwards (the write's effect), and
// was this very write made already (the proof that a writer asks for after a
// lost acknowledgement). Stores turn a Transition into their own conditional
// write; the in-memory store asks the Transition itself. Both are held to the
// same table by one suite.
//
// # What is guaranteed
//
// At most one result per task is ever saved, and a saved result never changes.
// The assignment version grows by one at each claim, takeover and cancel and by
// nothing else, so a worker that was replaced while it slept is refused even
// when no result is there yet:
//
//	A: claims, version 1, then freezes.    B: takes over, version 2.
//	A: wakes up, completes with version 1: refused, the slot is still empty.
//	B: completes with version 2: saved.
//
// # What is not guaranteed
//
// How often a provider was called. A worker can die after the provider worked
// and before the result was saved; the task then shows one call more and its
// budget bounds how often that may happen. Clocks matter for waste, never for
// safety: a clock that runs fast takes a task over early, and the version still
// decides whose result counts.
package worktask
