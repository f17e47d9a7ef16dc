// Package tracing follows a task from the browser's request to the saved reply
// in OpenTelemetry spans, over functions that never meet.
//
// # One trace for a task, and nothing stored for it
//
// Queue messages carry ids only, and a task lives through accept, handoffs,
// several attempts and perhaps a dispatcher, each in a process of its own. So
// nothing is handed on: a task's id is a ULID, which has the 128 bits of a trace
// id and enough randomness in the right place, and the trace id is those bits.
// The span of the accepting request, under which all others stand, has an id
// that is a hash of the task's. Whoever knows a task id can name its trace, and
// a worker that takes over after a crash goes on in the trace of the one that
// died. See [TraceID].
//
//	accept                        the request that made the task, or a repeat of it
//	├── accept_write              the transaction
//	├── handoff                   published by the api
//	├── attempt                   one delivery to a worker
//	│   ├── claim                 with assignment_version from here on
//	│   ├── prepare
//	│   ├── call                  the request to the model provider
//	│   ├── renew …
//	│   └── complete              or fail, release; refused ones with their reason
//	├── dispatch                  the dispatcher moves the due time on, and why
//	├── handoff                   published by the dispatcher
//	└── cancel, end
//
// A process that is killed takes the spans along that it has not ended; what
// hangs on them is shown without them.
//
// # Where spans go
//
// To the log, a line for each span as it ends, or, when an endpoint is
// configured, to it as OTLP in JSON over HTTP. Exporting waits for no longer
// than a short time at the end of an invocation, never fails it, and pauses
// after a failure. Nothing runs between invocations.
//
// Attributes are ids, numbers and words of closed lists. What people write is
// not among them.
package tracing
