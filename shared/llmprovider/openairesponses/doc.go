// Package openairesponses is the adapter to OpenAI's Responses API, in background
// and in foreground mode. It uses the official SDK's Responses service for requests,
// headers and addresses; answers are read by a strict decoder of our own, from the
// bytes that one hardened client received.
//
// # Background mode
//
// The create returns an id at once. Call saves it through Request.SaveOperation and
// reads the response until it has ended; whoever takes the task over reads the same
// id and starts nothing.
//
//	POST /responses {"background":true,"store":true}  ──▶ id ──▶ saved ──▶ GET … GET ──▶ end
//	        │ no answer                                             │ worker dies, or gives
//	        ▼                                                       ▼ the task back
//	    ambiguous: the id is lost with it                  Lookup: GET by the saved id
//
// "store" is always sent. Left out, it depends on the project how long a response
// can be read. About ten minutes are documented for polling, which is the time in
// which a look-up has to come.
//
// A response goes on when its worker's connection is gone, and somebody may still
// want it. So the end of the call's context cancels it at the provider only when
// nobody can come for it: the task has ended, or the store refused the id. A
// response whose worker was replaced, frozen or out of time goes on.
//
// # Foreground mode
//
// One request, one answer, as a document or as a stream. Nothing is kept at the
// provider ("store" is false), nothing can be looked up or cancelled, and a call that
// broke off is ambiguous.
//
// # Outcome classes
//
// Refusals and error codes are judged by package openaiapi. Of a response:
//
//	queued, in_progress         background: it still runs; foreground: ambiguous
//	completed                   answer; declined with a refusal in it; empty without text
//	incomplete max_output_tokens   answer, cut short; empty without text
//	incomplete content_filter   declined
//	incomplete for another reason  permanent, provider_misconfigured; logged once
//	failed                      by its error code: see openaiapi.Failure
//	cancelled                   ended without a result; another attempt is another generation
//	another status              ambiguous, logged once
//	a stream without its terminal event   ambiguous
//
// Of a look-up, since reading is free: whatever goes wrong with it means "look again
// later". Only a 404 with the API's own error object is the definite "not found".
package openairesponses
