// Package openaiapi is what the adapters to OpenAI's APIs have in common: the
// error object, and the tables that say what an error means.
//
// # Outcome classes
//
// Two tables decide. [Refusal] judges an answer with an error status, [Failure]
// an error that arrives inside a successful answer, as the end of a response or
// as an event of a stream. Both go by status and by the parsed type and code of
// the error object, never by words in a message.
//
//	nothing written: name, dialling, TLS             rejected
//	connection lost, own timeout, body cut off       ambiguous: no id, no client key to look it up by
//	400, 422                                         permanent, provider_refused
//	   … code context_length_exceeded                permanent, input_too_large
//	   … code content_filter, invalid_prompt …       declined
//	401, 403, 404                                    permanent, provider_misconfigured
//	413                                              permanent, input_too_large
//	408, 409, 500, 502, 503, 504                     ambiguous: nothing says that no token was spent
//	429 rate_limit_exceeded, slow_down               rejected, after Retry-After
//	429 insufficient_quota and the spend limits      permanent, provider_quota
//	a redirect                                       permanent, provider_misconfigured
//	a status or a code that is not listed            as package llmprovider has it, and logged once
//
// Sources, compared on 2026-11-29: OpenAI's API description
// (github.com/openai/openai-openapi at f85dbe2), its guide to error codes
// (developers.openai.com/docs/guides/error-codes) and the source of its Go SDK
// (github.com/openai/openai-go/v3 v3.99.0). The description lists statuses and the
// shape of the error object; that a 429 is refused before the model runs, and that
// a 5xx says nothing about it, is our reading.
package openaiapi
