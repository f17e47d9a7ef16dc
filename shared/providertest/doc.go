// Package providertest is the scripted model provider. Below it are the fakes of real
// providers and, in package conformance, the suite that holds every adapter to them.
//
// Server is a model provider that does what it is told: answer late, hang, fail
// in every class, cut the connection at a chosen point, forget an operation. It
// runs outside the workers, in a test's process or as the program
// cmd/scripted-provider, and keeps its own log, so that killing a worker loses
// nothing and "how often was the provider called" has an answer that does not
// come from the code under test.
//
// What it does with a request is set by scripts: a script matches questions and
// holds steps; each matching request takes the next step. A request that no step
// is left for gets a plain answer that depends on its prompt alone. Gates hold a
// request at an exact point until a test releases them, and hooks call back into
// Go at such points, which is how a test kills a worker "after the provider
// answered" without any code for it in the worker.
//
// The log counts two things apart: a request is what arrived, a generation is
// what a real provider would charge for. A refusal is a request without a
// generation, and a replay by idempotency key is another request for the same
// generation.
package providertest
