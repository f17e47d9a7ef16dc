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
// # What may be spent
//
// Every count on a task is what is left of it, so that one condition can compare
// it: attempts, calls and, where a deployment has prices and a limit, money. A
// claim pays for its call in advance, money at the price of the worst case.
//
//	              attempts  calls  known  money
//	claim            −1       −1           −worst case
//	look-up claim                                           nothing is called
//	complete, fail                   +1    +worst case − price, if that is known
//	fail, unknown                                           it may have run
//	release
//	  rejected       +1              +1    +worst case      nothing was executed
//	  failed                         +1    +worst case − price, if that is known
//	  unknown                                               it may have run
//	  lookup                                                the operation goes on
//	  lookup_lost                                           its end stays unknown
//
// A look-up that is told that nothing was executed gives the money of the call
// back whose operation it was, and no attempt: it has paid none. What is not in
// the table moves no count. A task with too little left is ended, by whoever
// meets it: for its attempts or calls as attempts_exhausted, for its money as
// budget_exhausted; a saved operation is looked up first.
//
// An update cannot take from a number that is not there, and a claim reads
// nothing first. So a claim has two forms, with money and without, and the worker
// makes the one that its deployment's tasks have. A task that was accepted under
// another configuration refuses it for that (ErrMoneyForm) and is claimed in the
// other form.
//
// # What is not guaranteed
//
// How often a provider was called. A worker can die after the provider worked
// and before the result was saved; the task then shows one call more and its
// budget bounds how often that may happen. Clocks matter for waste, never for
// safety: a clock that runs fast takes a task over early, and the version still
// decides whose result counts.
package worktask
