// Package fakeopenai is a server that speaks OpenAI's Responses and Chat
// Completions APIs, for tests, drills and demonstrations.
//
// It is built from OpenAI's published API description
// (github.com/openai/openai-openapi at f85dbe2) and is stricter than the original:
// a header or a member that an adapter has no business to send, a body that is not
// UTF-8, or turns that do not alternate are violations. A violation is answered
// with 400, kept in the log and fails the test that the server belongs to.
//
// What happens to a request is scripted by steps, in words that mean the same for
// both APIs: the model stops for "length", the answer breaks off, the connection
// is reset before the first byte. So both adapters are held to the same table
// (package conformance). A request that no step is left for gets a plain answer.
//
// The log counts two things apart: requests that arrived, and generations, which
// are what a provider would charge for. It comes from outside the code under test,
// so "exactly one request" has a witness.
package fakeopenai
