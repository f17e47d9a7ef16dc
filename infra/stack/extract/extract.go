// Package extract is what the stack on one machine takes from the template of the
// deployment: table, queues, limits, routes and the schedule, so that the two
// cannot drift apart. It is written from a synthesised template and checked in,
// so that nothing but Go is needed to read it.
package extract

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Extract is the part of a template that is the same for every stage and option.
type Extract struct {
	Table           Table               `json:"table"`
	Queue           Queue               `json:"queue"`
	DeadLetterQueue Queue               `json:"dead_letter_queue"`
	Functions       map[string]Function `json:"functions"` // by name: api, authorizer, worker, indexer, dispatcher
	EventSource     EventSource         `json:"event_source"`

	// The same for index tasks.
	IndexQueue           Queue       `json:"index_queue"`
	IndexDeadLetterQueue Queue       `json:"index_dead_letter_queue"`
	IndexEventSource     EventSource `json:"index_event_source"`

	DispatchSeconds  int                 `json:"dispatch_seconds"` // period of the schedule
	API              API                 `json:"api"`
	GatewayResponses map[string]Response `json:"gateway_responses"` // by API Gateway's name of the type
}

// Table is the one table.
type Table struct {
	PartitionKey        Attribute `json:"partition_key"`
	SortKey             Attribute `json:"sort_key"`
	TimeToLiveAttribute string    `json:"time_to_live_attribute"`
	BillingMode         string    `json:"billing_mode"`
	Indexes             []Index   `json:"indexes"`
}

// Attribute is a key attribute with its type in DynamoDB's letters.
type Attribute struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Index is a global secondary index.
type Index struct {
	Name         string    `json:"name"`
	PartitionKey Attribute `json:"partition_key"`
	SortKey      Attribute `json:"sort_key"`
	Projection   string    `json:"projection"`
}

// Queue is an SQS queue.
type Queue struct {
	VisibilitySeconds int `json:"visibility_seconds,omitempty"` // 0: SQS's default
	RetentionSeconds  int `json:"retention_seconds"`
	MaxReceiveCount   int `json:"max_receive_count,omitempty"` // 0: no dead-letter queue
}

// Function is a Lambda function.
type Function struct {
	TimeoutSeconds int `json:"timeout_seconds"`
	MemoryMB       int `json:"memory_mb"`
}

// EventSource feeds a queue to the function that works on its tasks.
type EventSource struct {
	BatchSize               int  `json:"batch_size"`
	WindowSeconds           int  `json:"window_seconds"`
	ReportBatchItemFailures bool `json:"report_batch_item_failures"`
}

// API is the REST API.
type API struct {
	IntegrationTimeoutMilliseconds int      `json:"integration_timeout_ms"`
	AuthorizerTTLSeconds           int      `json:"authorizer_ttl_seconds"`
	BinaryMediaTypes               []string `json:"binary_media_types"`
	Routes                         []Route  `json:"routes"`
}

// Route is a method of a resource; they stand in the order of their paths.
type Route struct {
	Resource  string `json:"resource"` // such as /v1/{proxy+}
	Method    string `json:"method"`   // such as ANY
	Authorize bool   `json:"authorize"`
}

// Response is an answer that the gateway makes itself.
type Response struct {
	Status int `json:"status"`
	// Headers have their values as in the template: 'a text', or a name of the
	// gateway's context. The allowed origin is an option and not among them.
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"` // with $context.requestId in it
}

//go:embed extract.json
var checkedIn []byte

// Load returns the extract that is checked in.
func Load() (Extract, error) {
	var e Extract
	if err := json.Unmarshal(checkedIn, &e); err != nil {
		return Extract{}, fmt.Errorf("read the extract of the template: %w", err)
	}
	return e, nil
}

// Encode writes an extract as it is checked in.
func Encode(e Extract) ([]byte, error) {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the extract: %w", err)
	}
	return append(text, '\n'), nil
}
