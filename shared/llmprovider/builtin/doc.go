// Package builtin is a provider that needs no network and no account: it quotes
// the passages of the document that share the most words with the question, in
// the document's order, and says plainly that no language model was used.
//
// It exists so that the product works from the first minute, in tests and on a
// plane, and it is honest rather than clever: an answer consists of the
// document's own sentences and of two fixed sentences about where they are from.
//
// The way from text to answer, one file each after package textblocks:
//
//	textblocks   lines to blocks: hard-wrapped lines joined, headings, list items
//	passages.go  blocks to passages: sentences, with their section and list
//	words.go     text to word stems
//	rank.go      passages to scores (BM25 with the section as a second field)
//	quote.go     the best passages to an answer
//
// The same prompt gives the same answer.
package builtin
