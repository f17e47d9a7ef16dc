package telemetry

// Keys of log attributes. Everything that identifies a piece of work is
// written under one of these names and no other.
const (
	KeyFunction          = "function" // set by New
	KeyVersion           = "version"  // set by New
	KeyWorkspace         = "workspace"
	KeyCaller            = "caller"
	KeyOperation         = "operation"
	KeyRoute             = "route"
	KeyStatus            = "status"
	KeyConversation      = "conversation"
	KeyDocument          = "document"
	KeyDocumentVersion   = "document_version"
	KeyTaskID            = "task_id"
	KeyTaskStatus        = "task_status"
	KeyAttempt           = "attempt"
	KeyAssignmentVersion = "assignment_version"
	KeyLeaseOwner        = "lease_owner"
	KeyReceiveCount      = "receive_count"
	KeyMessageID         = "message_id" // the queue's, not a user message
	KeyHandoffShard      = "handoff_shard"
	KeyIdempotencyKey    = "idempotency_key"     // chosen by the browser
	KeyGatewayRequestID  = "gateway_request_id"  // ours, for support
	KeyProviderRequestID = "provider_request_id" // the model provider's
	KeyProvider          = "provider"
	KeyModel             = "model"
	KeyKind              = "kind"
	KeyReason            = "reason"
	KeyCause             = "cause" // of a refused write
	KeyError             = "error"
	KeyBytes             = "bytes"
	KeySHA256            = "sha256"
	KeyDuration          = "duration_ms"
	KeyCount             = "count"
)
