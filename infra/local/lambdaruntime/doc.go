// Package lambdaruntime serves the Lambda Runtime API to the functions of the one-machine stack.
//
// A [Server] listens on loopback. A [Function] is a queue of invocations with a time limit. An
// [Environment] is one incarnation of one process of a function, with an address of its own: what a
// former incarnation sends can therefore never be taken for an answer of the present one. As on Lambda
//
//   - an environment has one invocation at a time,
//   - an invocation waits for an environment that asks for work, however long that takes,
//   - the end of the process ends its invocation at once,
//   - a process that passes the function's time limit is killed,
//   - a process that waits for work may be frozen: nothing runs between two invocations.
//
// The emulator's own Runtime API is not used, because there the end of a process is noticed only when
// the function's time is over, and an invocation before the first poll fails.
//
// Paths and headers: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
package lambdaruntime
