// Package openaichat is the adapter to Chat Completions, the API that Ollama, vLLM,
// llama.cpp, gateways and OpenAI itself offer under the same path.
//
// It uses the hardened sending of package llmprovider and wire types of its own.
// OpenAI's Go SDK keeps its chat service in its root package, which takes the arm64
// worker from 12.5 to 29.6 MB (zipped from 4.5 to 7.1 MB, measured with v3.99.0);
// the request has five members and the answer three that matter. Of the SDK only the
// decoder of event streams is used, a package of its own.
//
// # What is documented
//
// Nothing that would help after a lost connection: no idempotency key, no look-up
// of a completion that was not asked to be stored, no cancel. A call that broke off
// is ambiguous, and what follows is the task's policy. The classes of all outcomes
// are in package openaiapi, which the Responses adapter shares.
//
//	finish_reason stop                 answer
//	length                             answer, cut short
//	content_filter; a refusal          declined
//	none, with text                    ambiguous: the answer may go on
//	no choice; no text                 empty
//	tool_calls, function_call, others  permanent, provider_misconfigured; others are logged once
//	a stream without [DONE]            ambiguous, however whole its text looks
//	an error in place of the answer    by its code: see openaiapi
//
// # Traps
//
// Ollama cuts a prompt that is longer than its context (4,096 tokens unless it is set
// up otherwise) from the front and says nothing; vLLM refuses it with a 400 whose
// reason is in words only. Options.MaxInputTokens makes one clear failure of both.
package openaichat
