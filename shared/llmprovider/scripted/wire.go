package scripted

import "github.com/go-json-experiment/json/jsontext"

// Paths and headers of the protocol.
const (
	PathAnswers    = "/v1/answers"
	PathOperations = "/v1/operations/" // followed by the operation id
	PathCapability = "/v1/capability"

	// HeaderRequestID carries the server's own name for a request.
	HeaderRequestID = "Scripted-Request-Id"
	// HeaderKey carries the idempotency key where the server documents one.
	HeaderKey = "Idempotency-Key"
)

// Media types of a successful answer.
const (
	MediaTypeDocument = "application/json"
	MediaTypeStream   = "application/x-ndjson"
)

// Reasons for which an answer ended.
const (
	StopEnd           = "stop"
	StopLength        = "length"
	StopContentFilter = "content_filter"
	StopRefusal       = "refusal"
)

// Error types. They, and never the message, say what an error means.
const (
	TypeInvalidRequest    = "invalid_request"
	TypeContextTooLong    = "context_too_long"
	TypeContentPolicy     = "content_policy"
	TypeAuthentication    = "authentication"
	TypePermission        = "permission"
	TypeBilling           = "billing"
	TypeNotFound          = "not_found"
	TypeKeyInProgress     = "key_in_progress"
	TypeKeyReused         = "key_reused"
	TypeRequestTooLarge   = "request_too_large"
	TypeRateLimited       = "rate_limited"
	TypeInsufficientQuota = "insufficient_quota"
	TypeOverloaded        = "overloaded"
	TypeInternal          = "internal"
	TypeUnavailable       = "unavailable"
	TypeTimeout           = "timeout"
)

// AnswerRequest is the body of POST /v1/answers.
type AnswerRequest struct {
	Model           string         `json:"model"`
	MaxOutputTokens int            `json:"max_output_tokens"`
	Prompt          jsontext.Value `json:"prompt"`
}

// AnswerDocument is a whole answer. An error in it means that the request was
// taken with status 200 and failed before any text.
type AnswerDocument struct {
	ID         string       `json:"id"`
	Model      string       `json:"model"`
	Text       *string      `json:"text"`
	StopReason string       `json:"stop_reason"`
	Usage      Usage        `json:"usage"`
	Error      *ErrorDetail `json:"error,omitzero"`
}

// Usage is the server's count of tokens.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// ErrorDocument is the body of an error status.
type ErrorDocument struct {
	Error ErrorDetail `json:"error"`
}

// ErrorDetail says what went wrong.
type ErrorDetail struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// Names of the lines of a streamed answer.
const (
	LinePiece = "piece"
	LineEnd   = "end"
	LineError = "error"
)

// StreamLine is one line of a streamed answer: pieces of text, then one end or
// one error. A stream without either is broken off.
type StreamLine struct {
	Line       string       `json:"line"`
	ID         string       `json:"id,omitzero"`
	Model      string       `json:"model,omitzero"`
	Text       string       `json:"text,omitzero"`
	StopReason string       `json:"stop_reason,omitzero"`
	Usage      Usage        `json:"usage,omitzero"`
	Error      *ErrorDetail `json:"error,omitzero"`
}

// States of an operation.
const (
	OperationRunning   = "running"
	OperationCompleted = "completed"
	OperationFailed    = "failed"
)

// Operation is the body of status 202 and of a look-up.
type Operation struct {
	ID     string          `json:"operation"`
	Status string          `json:"status"`
	Answer *AnswerDocument `json:"answer,omitzero"`
	Error  *ErrorDetail    `json:"error,omitzero"`
}

// CapabilityDocument is the body of GET /v1/capability.
type CapabilityDocument struct {
	IdempotencyKey     bool   `json:"idempotency_key"`
	KeyPayloadRule     string `json:"key_payload_rule"`
	KeyConcurrencyRule string `json:"key_concurrency_rule"`
	Lookup             bool   `json:"lookup"`
}
