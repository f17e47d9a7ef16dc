// Package conformance holds every adapter to what package llmprovider asks of it: one
// suite, with an Arm for each provider. An arm brings the provider's fake, which is
// the witness for how many requests and generations there were, and the provider's
// outcome tables: rows that say what a step of the fake must mean for the call.
//
// Every subtest has a fake and an adapter of its own. It fails on any request that is
// against the API's description, and on any key, question, document or answer in a log
// or in an error.
package conformance
