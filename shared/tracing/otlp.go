package tracing

import (
	"encoding/json"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The messages of OTLP in JSON, as far as they are used: ids are hexadecimal,
// 64-bit numbers are texts, enumerations are numbers.
//
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
type (
	otlpRequest struct {
		ResourceSpans []otlpResourceSpans `json:"resourceSpans"`
	}
	otlpResourceSpans struct {
		Resource   otlpResource     `json:"resource"`
		ScopeSpans []otlpScopeSpans `json:"scopeSpans"`
	}
	otlpResource struct {
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpScopeSpans struct {
		Scope otlpScope  `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpScope struct {
		Name string `json:"name"`
	}
	otlpSpan struct {
		TraceID      string          `json:"traceId"`
		SpanID       string          `json:"spanId"`
		ParentSpanID string          `json:"parentSpanId,omitempty"`
		Flags        uint32          `json:"flags"`
		Name         string          `json:"name"`
		Kind         int             `json:"kind"`
		Start        string          `json:"startTimeUnixNano"`
		End          string          `json:"endTimeUnixNano"`
		Attributes   []otlpAttribute `json:"attributes"`
		Status       otlpStatus      `json:"status"`
	}
	otlpStatus struct {
		Code    int    `json:"code"`
		Message string `json:"message,omitempty"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		String *string  `json:"stringValue,omitempty"`
		Bool   *bool    `json:"boolValue,omitempty"`
		Int    *string  `json:"intValue,omitempty"`
		Double *float64 `json:"doubleValue,omitempty"`
	}
)

// otlpKinds are the numbers of Span.SpanKind.
var otlpKinds = map[trace.SpanKind]int{
	trace.SpanKindInternal: 1, trace.SpanKindServer: 2, trace.SpanKindClient: 3, trace.SpanKindProducer: 4, trace.SpanKindConsumer: 5,
}

// otlpStatusCodes: the SDK counts unset, error, ok; OTLP unset, ok, error.
var otlpStatusCodes = [...]int{0, 2, 1}

// Bits of the field flags: whether the parent's process is known, and whether it
// is another one.
const (
	hasIsRemote = 0x100
	isRemote    = 0x200
)

// encodeOTLP makes the body of one export. All spans are of one function.
func encodeOTLP(spans []sdktrace.ReadOnlySpan) ([]byte, error) {
	list := make([]otlpSpan, len(spans))
	for i, s := range spans {
		list[i] = otlpSpanOf(s)
	}
	return json.Marshal(otlpRequest{ResourceSpans: []otlpResourceSpans{{
		Resource:   otlpResource{Attributes: otlpAttributes(spans[0].Resource().Attributes())},
		ScopeSpans: []otlpScopeSpans{{Scope: otlpScope{Name: scope}, Spans: list}},
	}}})
}

func otlpSpanOf(s sdktrace.ReadOnlySpan) otlpSpan {
	o := otlpSpan{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
		Flags: uint32(s.SpanContext().TraceFlags()) | hasIsRemote,
		Name:  s.Name(), Kind: otlpKinds[s.SpanKind()], Start: nanos(s.StartTime()), End: nanos(s.EndTime()),
		Attributes: otlpAttributes(s.Attributes()),
		Status:     otlpStatus{Code: otlpStatusCodes[s.Status().Code], Message: s.Status().Description},
	}
	if parent := s.Parent(); parent.SpanID().IsValid() {
		o.ParentSpanID = parent.SpanID().String()
		if parent.IsRemote() {
			o.Flags |= isRemote
		}
	}
	return o
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func otlpAttributes(attributes []attribute.KeyValue) []otlpAttribute {
	list := make([]otlpAttribute, len(attributes))
	for i, a := range attributes {
		list[i] = otlpAttribute{Key: string(a.Key), Value: otlpValueOf(a.Value)}
	}
	return list
}

// otlpValueOf knows the types that attributes have here.
func otlpValueOf(v attribute.Value) otlpValue {
	switch v.Type() { //nolint:exhaustive // everything else is written as its text
	case attribute.BOOL:
		b := v.AsBool()
		return otlpValue{Bool: &b}
	case attribute.INT64:
		n := strconv.FormatInt(v.AsInt64(), 10)
		return otlpValue{Int: &n}
	case attribute.FLOAT64:
		f := v.AsFloat64()
		return otlpValue{Double: &f}
	default:
		s := v.String()
		return otlpValue{String: &s}
	}
}
