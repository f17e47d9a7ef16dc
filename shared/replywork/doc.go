// Package replywork does the work of reply tasks: it builds the prompt from
// what was stored at accept, asks the model provider once, and says how that
// ended in the engine's words.
//
// A prompt has the instruction of its version, the pinned version of the document,
// the earlier turns that the asker chose, and the question as it was typed. What is too
// long is shortened by a fixed rule, always at the ends of whole characters: the
// history to HistoryBytes, from its oldest turn on; then, for a language model, the
// document to passages (Passages) until the estimate is within the limit. A prompt that
// is too long even so fails the task with input_too_large before any call. The rule
// depends on what was stored at accept and on the deployment's limit alone, so that
// every attempt sends the same bytes. How the document is told from instructions is
// described at llmprovider.Prompt.Chat.
package replywork
