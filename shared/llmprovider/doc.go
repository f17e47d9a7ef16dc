// Package llmprovider defines what the service needs from a model provider and
// gives every adapter the parts that are easy to get wrong.
//
// A provider is asked once per claim. What matters afterwards is not whether the
// call "failed" but what is known about it:
//
//	nothing was written, or the provider says that it refused   Rejected
//	the request was written and nobody saw how it ended         Ambiguous
//	the provider ended it in a way that a repeat cannot change  Permanent, Declined, TooLarge
//	the provider ended it with nothing to save                  Empty
//
// The line between Rejected and Ambiguous decides whether a repeat can pay for a
// second generation, so it is drawn in one place (Send and StatusError) and
// everything that is not understood falls on the Ambiguous side.
//
// The rules for adapters:
//
//   - Call makes exactly one request that can start a generation. No retry in the
//     adapter, none in its client library, none in net/http (see NewClient).
//   - Outcomes are told apart by parsed types, never by words in a message.
//   - An empty text is never an answer: the store knows a finished task by its
//     saved text.
//   - Two calls for one task send the same bytes: Prompt.Encode is deterministic.
package llmprovider
