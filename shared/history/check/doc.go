// Package check decides, on the record of a run, whether the promises of the
// service were kept.
//
// Each promise is a predicate in a file of its own, whose comment says what is
// promised and how it is decided. A predicate knows nothing of the engine's own
// conditions: it states them again, in its own words, so that a fault in the
// engine cannot excuse itself. The one exception is the search for a linear
// order, whose sequential model is the engine.
//
// # What a verdict can be
//
//	kept       at least one case was decided, none was against the promise
//	broken     findings name the task and the events, by their order numbers
//	undecided  a case could not be decided; it never counts as kept
//	not seen   the record holds no case
//
// # What order means
//
// By order of writes: a request counts as recorded when the write that records
// it landed before the request was sent, whatever any clock says, and a cancel
// after that does not unsend it. Where the store's side is recorded the order of
// landings is known. Where it is not, a predicate decides only what no possible
// order excuses, and the search for a linear order decides the rest.
package check
