// Package anthropicmessages is the adapter to Anthropic's Messages API, built on
// the Messages service of the official SDK.
//
// It asks for a stream, although it hands on whole answers only: the first event
// says what the input cost, so that a call whose end nobody saw is not without a
// number; events and pings keep the connection from looking idle while a long
// answer is written; and the SDK refuses long answers without one. A stream
// without its message_stop event is no answer.
//
// What a call's end means. "Documented" is Anthropic's error and rate-limit pages
// and the SDK's types, see source in capability.go; the rest is our judgement, on
// the safe side:
//
//	nothing written (name, connection, TLS, no time left)   Rejected
//	429 rate_limit_error                                    Rejected, after Retry-After
//	529 overloaded_error                                    Rejected: documented as refused
//	429, error code enforced_spend_limit_reached            Permanent provider_quota: lasts until the month ends
//	402 billing_error                                       Permanent provider_quota
//	400 invalid_request_error                               Permanent provider_refused (see below)
//	409 conflict_error                                      Permanent provider_refused
//	401, 403, 404                                           Permanent provider_misconfigured
//	413 request_too_large                                   Permanent input_too_large
//	500 api_error, 504 timeout_error, other statuses        Ambiguous
//	connection lost or time over after the request          Ambiguous
//	stream broken, or ended without message_stop            Ambiguous
//	error event in a stream, before any content             as the same error's status
//	error event after content has begun                     Ambiguous where it would be Rejected: the model ran
//	end_turn, stop_sequence                                 answer
//	max_tokens                                              answer, cut short
//	model_context_window_exceeded                           answer, cut short; without text Permanent input_too_large
//	refusal                                                 Declined
//	tool_use, pause_turn, unknown stop reasons              Permanent provider_misconfigured: no answer yet, and going on is another call
//	a whole stream without text                             Empty
//
// A 400 has no type of its own for an input that is too long, nor for a spend
// limit that the operator has set; only its message tells, and messages are not
// evidence. So the prompt's size is estimated before the call (MaxInputTokens),
// and both end the task at once either way.
//
// Statuses, error types, events and stop reasons that are not in these tables are
// logged once each.
package anthropicmessages
