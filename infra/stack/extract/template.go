package extract

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The template, as far as it is read. Texts that CloudFormation makes up at
// deployment are objects there, so fields that are compared are left raw.
type (
	template struct {
		Resources map[string]resource `json:"Resources"`
	}
	resource struct {
		Type       string          `json:"Type"`
		Properties json.RawMessage `json:"Properties"`
	}
)

// logicalIDs of the functions in the template, by their names.
var logicalIDs = map[string]string{"api": "Api", "authorizer": "Authorizer", "worker": "Worker", "indexer": "Indexer", "dispatcher": "Dispatcher"}

// FromTemplate reads a synthesised template of the stack.
func FromTemplate(text []byte) (Extract, error) {
	var t template
	if err := json.Unmarshal(text, &t); err != nil {
		return Extract{}, fmt.Errorf("read template: %w", err)
	}
	var e Extract
	for _, read := range []func(*Extract) error{t.table, t.queues, t.functions, t.eventSources, t.schedule, t.api, t.responses} {
		if err := read(&e); err != nil {
			return Extract{}, fmt.Errorf("read template: %w", err)
		}
	}
	return e, nil
}

// properties decodes those of a resource by its logical id.
func (t template) properties(id string, into any) error {
	r, ok := t.Resources[id]
	if !ok {
		return fmt.Errorf("there is no resource %s", id)
	}
	if err := json.Unmarshal(r.Properties, into); err != nil {
		return fmt.Errorf("properties of %s: %w", id, err)
	}
	return nil
}

type keySchema []struct{ AttributeName, KeyType string }

func (t template) table(e *Extract) error {
	var p struct {
		KeySchema               keySchema
		BillingMode             string
		AttributeDefinitions    []struct{ AttributeName, AttributeType string }
		TimeToLiveSpecification struct{ AttributeName string }
		GlobalSecondaryIndexes  []struct {
			IndexName  string
			KeySchema  keySchema
			Projection struct{ ProjectionType string }
		}
	}
	if err := t.properties("Table", &p); err != nil {
		return err
	}
	types := map[string]string{}
	for _, a := range p.AttributeDefinitions {
		types[a.AttributeName] = a.AttributeType
	}
	key := func(schema keySchema, kind string) Attribute {
		for _, k := range schema {
			if k.KeyType == kind {
				return Attribute{k.AttributeName, types[k.AttributeName]}
			}
		}
		return Attribute{}
	}
	e.Table = Table{
		PartitionKey: key(p.KeySchema, "HASH"), SortKey: key(p.KeySchema, "RANGE"),
		BillingMode: p.BillingMode, TimeToLiveAttribute: p.TimeToLiveSpecification.AttributeName,
	}
	for _, index := range p.GlobalSecondaryIndexes {
		e.Table.Indexes = append(e.Table.Indexes, Index{
			Name: index.IndexName, PartitionKey: key(index.KeySchema, "HASH"), SortKey: key(index.KeySchema, "RANGE"),
			Projection: index.Projection.ProjectionType,
		})
	}
	return nil
}

func (t template) queues(e *Extract) error {
	for id, into := range map[string]*Queue{
		"Queue": &e.Queue, "DeadLetters": &e.DeadLetterQueue,
		"IndexQueue": &e.IndexQueue, "IndexDeadLetters": &e.IndexDeadLetterQueue,
	} {
		var p struct {
			VisibilityTimeout, MessageRetentionPeriod int
			RedrivePolicy                             struct {
				MaxReceiveCount int `json:"maxReceiveCount"`
			}
		}
		if err := t.properties(id, &p); err != nil {
			return err
		}
		*into = Queue{p.VisibilityTimeout, p.MessageRetentionPeriod, p.RedrivePolicy.MaxReceiveCount}
	}
	return nil
}

func (t template) functions(e *Extract) error {
	e.Functions = make(map[string]Function, len(logicalIDs))
	for name, id := range logicalIDs {
		var p struct{ Timeout, MemorySize int }
		if err := t.properties(id, &p); err != nil {
			return err
		}
		e.Functions[name] = Function{p.Timeout, p.MemorySize}
	}
	return nil
}

func (t template) eventSources(e *Extract) error {
	for id, into := range map[string]*EventSource{"WorkerSource": &e.EventSource, "IndexerSource": &e.IndexEventSource} {
		if err := t.eventSource(id, into); err != nil {
			return err
		}
	}
	return nil
}

func (t template) eventSource(id string, into *EventSource) error {
	var p struct {
		BatchSize                      int
		MaximumBatchingWindowInSeconds int
		FunctionResponseTypes          []string
	}
	if err := t.properties(id, &p); err != nil {
		return err
	}
	*into = EventSource{BatchSize: p.BatchSize, WindowSeconds: p.MaximumBatchingWindowInSeconds}
	for _, kind := range p.FunctionResponseTypes {
		into.ReportBatchItemFailures = into.ReportBatchItemFailures || kind == "ReportBatchItemFailures"
	}
	return nil
}

// units of a rate expression, in seconds.
var units = map[string]int{"minute": 60, "hour": 3600, "day": 86400}

func (t template) schedule(e *Extract) error {
	var p struct{ ScheduleExpression string }
	if err := t.properties("DispatchRule", &p); err != nil {
		return err
	}
	rate, ok := strings.CutPrefix(p.ScheduleExpression, "rate(")
	number, unit, _ := strings.Cut(strings.TrimSuffix(rate, ")"), " ")
	count, err := strconv.Atoi(number)
	seconds := units[strings.TrimSuffix(unit, "s")]
	if !ok || err != nil || seconds == 0 {
		return fmt.Errorf("schedule %q is no rate", p.ScheduleExpression)
	}
	e.DispatchSeconds = count * seconds
	return nil
}
