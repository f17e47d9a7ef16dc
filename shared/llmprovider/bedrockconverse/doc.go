// Package bedrockconverse is the adapter to Amazon Bedrock's Converse and
// ConverseStream, built on the official SDK.
//
// Converse waits silently for the whole answer and needs bedrock:InvokeModel.
// ConverseStream keeps the connection from looking idle while a long answer is
// written and needs bedrock:InvokeModelWithResponseStream. Both hand on whole
// answers only; a stream without its messageStop event is no answer. Requests are
// signed with the credentials of the function's role. A bearer token in the
// environment, which the SDK would prefer, is left alone.
//
// What a call's end means. "Documented" is Bedrock's page of error codes and the
// SDK's model, see source in capability.go; the rest is our judgement, on the safe
// side:
//
//	nothing written (credentials, name, connection, TLS)    Rejected
//	429 ThrottlingException                                 Rejected: judged from the quota before the model runs
//	429 ModelNotReadyException                              Rejected
//	400 ServiceQuotaExceededException                       Rejected: documented as "resubmit later"
//	RequestExpired, ExpiredTokenException                   Rejected: the next call is signed anew
//	400 ValidationException                                 Permanent provider_refused (see below)
//	403 AccessDeniedException and other faults of identity  Permanent provider_misconfigured
//	404 ResourceNotFoundException, use case form missing    Permanent provider_misconfigured
//	403 MPAgreementBeingCreated                             Permanent provider_misconfigured: a task does not live that long
//	413                                                     Permanent input_too_large
//	408 ModelTimeoutException                               Ambiguous: the model ran and was cut off
//	424 ModelErrorException                                 Ambiguous: the model ran and failed
//	500 InternalServerException, 503 ServiceUnavailable     Ambiguous
//	connection lost or time over after the request          Ambiguous
//	stream broken, or ended without messageStop             Ambiguous
//	exception in a stream, before any content               as the same exception's status
//	exception after content has begun                       Ambiguous where it would be Rejected: the model ran
//	end_turn, stop_sequence                                 answer
//	max_tokens                                              answer, cut short
//	model_context_window_exceeded                           answer, cut short; without text Permanent input_too_large
//	guardrail_intervened, content_filtered                  Declined
//	tool_use, malformed_*, unknown stop reasons             Permanent provider_misconfigured
//	a whole answer without text                             Empty
//
// An input that is too long has no type of its own among the ValidationExceptions;
// only its message tells, and messages are not evidence. So the prompt's size is
// estimated before the call (MaxInputTokens), and either way the task ends at once.
//
// Statuses, error codes, events and stop reasons that are not in these tables are
// logged once each.
package bedrockconverse
