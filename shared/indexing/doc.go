// Package indexing has the second kind of task: making one version of a document
// ready to be asked about. The engine is the one of reply tasks; what is different
// is what an attempt writes, and this package says how it stays right.
//
// The five answers of a kind:
//
//   - The same work: one version of one document with one pipeline. Its task is
//     accepted in the write that makes the version, so there is one.
//   - The effect whose repetition would hurt: an entry that is there twice, or entries
//     of two attempts or two versions mixed; and a current version that moves back.
//   - Where it is decided: every write of entries is conditional on the version's
//     writer, and publishing is one conditional write of version and document.
//   - What can be recovered: entries. They are pure functions of source and
//     pipeline; the next attempt lists what is there and writes what is not.
//   - What is worse when unsure: showing half a version. So nothing reads entries of a
//     version that is not ready, and repeating an attempt costs nothing but time.
package indexing
