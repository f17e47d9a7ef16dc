package dynamoschema

// PK and SK are the table's key attributes.
const (
	PK = "pk"
	SK = "sk"
)

// Entry tells what a log entry is: EntryMessage or EntryTask.
const Entry = "entry"

// The kinds of log entries.
const (
	EntryMessage = "message"
	EntryTask    = "task"
)

// Attributes of a task. A name ends in its unit where the value has one; what
// is empty or zero is not stored, except the two counts that conditions compare.
const (
	Kind             = "kind"
	Caller           = "caller"
	Input            = "input"
	Status           = "status"
	GatewayRequestID = "gateway_request_id"

	AssignmentVersion = "assignment_version"
	LeaseOwner        = "lease_owner" // the assignment id
	LeaseExpiresAt    = "lease_expires_at_ms"

	AttemptLimit   = "attempt_limit"
	AttemptsLeft   = "attempts_left"
	CallLimit      = "call_limit"
	CallsLeft      = "calls_left"
	CallsKnown     = "calls_known"
	UnknownRepeats = "unknown_repeats"
	// MoneyLimit, MoneyLeft and CallMoney are there on tasks that count money.
	MoneyLimit  = "money_limit"
	MoneyLeft   = "money_left"
	CallMoney   = "call_money"
	OnUnknown   = "on_unknown"
	CallOpen    = "call_open"
	OperationID = "operation_id"
	WaitsFor    = "waits_for" // what must be ready before the task is claimed

	AcceptedAt    = "accepted_at_ms"
	NextAttemptAt = "next_attempt_at_ms"
	DeadlineAt    = "deadline_at_ms"
	// HandoffShard and HandoffDueAt are the index keys. Both are there exactly
	// while the task is pending or running, so the index is as small as the
	// work that is left.
	HandoffShard = "handoff_shard"
	HandoffDueAt = "handoff_due_at_ms"

	ReleaseMode    = "release_mode"
	ReleaseVersion = "release_version"

	ResultBody      = "result_body"
	ResultObjectKey = "result_object_key"
	ResultBytes     = "result_bytes"
	ResultSHA256    = "result_sha256"

	FailureReason     = "failure_reason"
	EndedBy           = "ended_by"
	EndedAt           = "ended_at_ms"
	InputTokens       = "input_tokens"
	OutputTokens      = "output_tokens"
	ProviderRequestID = "provider_request_id"
)

// Attributes of messages, conversations, documents and their cards, as far as
// a task does not have them too.
const (
	Title           = "title"
	Text            = "text"
	Document        = "document"
	DocumentVersion = "document_version"
	History         = "history"
	LatestVersion   = "latest_version"
	Bytes           = "bytes"
	SHA256          = "sha256"
	Parts           = "parts"
	CreatedAt       = "created_at_ms"
	UpdatedAt       = "updated_at_ms"
)

// Attributes of the record of an attempt, as far as a task does not have them
// too.
const (
	AttemptOutcome = "attempt_outcome"
	Provider       = "provider"
	BegunAt        = "begun_at_ms"
	Cause          = "cause"
)

// Attributes of a version's index and of the document's current version.
const (
	CurrentVersion = "current_version"
	DeletedAt      = "deleted_at_ms"
	EraseTask      = "erase_task"

	State         = "state"
	Pipeline      = "pipeline"
	IndexTask     = "index_task"
	IndexWriter   = "index_writer"
	MediaType     = "media_type"
	FileName      = "file_name"
	IndexEntries  = "index_entries"
	Passages      = "passages"
	Pages         = "pages"
	IndexManifest = "index_manifest"
	SourceObject  = "source_object"
	IndexFailure  = "index_failure"

	Body = "body" // of an entry
)

// SeenAt is when evidence saw the refused answer; the rest of evidence has the
// names that tasks and versions use.
const SeenAt = "seen_at_ms"

// Attributes of an idempotency record.
const (
	RequestFingerprint = "request_fingerprint"
	Target             = "target"
	ReplayUntil        = "replay_until_ms"
	// PurgeAfter is the table's time-to-live attribute, which DynamoDB counts
	// in whole seconds. It deletes days late, so conditions compare the value.
	PurgeAfter = "purge_after_epoch_seconds"
)
