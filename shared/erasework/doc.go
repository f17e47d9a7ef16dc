// Package erasework has the third kind of task: removing what a deleted document
// has left. The document is gone for everybody before the task begins; nobody waits
// for it.
//
// The five answers of a kind:
//
//   - The same work: one deleted document. Its task is accepted in the write that
//     deletes it, and named by the tombstone.
//   - The effect whose repetition would hurt: none; removing is removing once.
//   - Where it is decided: that the document is deleted, by its tombstone, which is
//     never taken back. That nobody adds to it any more, by a fence on each version,
//     which every writer's condition sees. The task removes nothing before.
//   - What can be recovered: everything; the next attempt lists what is left.
//   - What is worse when unsure: to remove something of a document that is there. So
//     an attempt begins with the tombstone, and without one ends for good.
package erasework
