package stack

import "encoding/json"

// accessLog has the fields of a line of the access log: what happened, how long
// it took, and the ids that lead to the function's own lines. It has nothing of
// the person: no address, no browser, no name, and the template of the path in
// place of the path, which holds ids of conversations and documents.
var accessLog = map[string]string{
	"gateway_request_id":       "$context.requestId",
	"extended_request_id":      "$context.extendedRequestId",
	"time":                     "$context.requestTimeEpoch",
	"method":                   "$context.httpMethod",
	"resource":                 "$context.resourcePath",
	"status":                   "$context.status",
	"response_bytes":           "$context.responseLength",
	"latency_ms":               "$context.responseLatency",
	"integration_latency_ms":   "$context.integrationLatency",
	"integration_status":       "$context.integrationStatus",
	"authorizer_latency_ms":    "$context.authorizer.latency",
	"authorizer_status":        "$context.authorizer.status",
	"gateway_response_type":    "$context.error.responseType",
	"gateway_response_message": "$context.error.message",
}

// accessLogFormat is one JSON object a line. All values are texts: API Gateway
// puts "-" where there is none.
func accessLogFormat() string {
	line, err := json.Marshal(accessLog) // names in order, so that the template does not change by itself
	if err != nil {
		panic(err) // a map of texts
	}
	return string(line)
}
