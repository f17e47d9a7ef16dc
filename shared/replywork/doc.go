// Package replywork does the work of reply tasks: it builds the prompt from
// what was stored at accept, asks the model provider once, and says how that
// ended in the engine's words.
package replywork
