// Package scripted is the thin adapter to the scripted provider: a server that
// answers, fails, hangs and cuts connections as a test or a demonstration tells
// it to, and that keeps its own log of every request. The server itself is
// package providertest; this package owns the wire format that both speak.
//
// The protocol has the shape of the large providers' APIs, so that the adapter
// meets the same decisions:
//
//	POST /v1/answers            200 with the answer as one JSON document or as a
//	                            stream of JSON lines, 202 with an operation id, or
//	                            an error document with a type
//	GET  /v1/operations/{id}    running, completed with the answer, failed with an
//	                            error, or 404
//	GET  /v1/capability         what this server is set up to document
//
// An error of type overloaded or rate_limited is documented as "refused, not
// executed"; internal, timeout and unavailable say nothing about execution.
package scripted
