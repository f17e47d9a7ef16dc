package faultproxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Request is one request of a function to AWS.
type Request struct {
	Caller    string // access key id of the signature, such as "worker-1"
	Service   string // signing name: "dynamodb", "sqs", "s3"
	Operation string // service and operation, such as "dynamodb.UpdateItem"; for S3 the HTTP method, such as "s3.PUT"
	Body      []byte
	Begun     time.Time

	http *http.Request
}

// Decode reads the JSON body of a DynamoDB or SQS request.
func (r *Request) Decode(into any) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return fmt.Errorf("decode %s: %w", r.Operation, err)
	}
	return nil
}

// Path is the path of the URL: bucket and key for S3.
func (r *Request) Path() string { return r.http.URL.Path }

// Gone is closed when the sender has closed its connection, which it also does when it is killed.
func (r *Request) Gone() <-chan struct{} { return r.http.Context().Done() }

// Response is what the endpoint answered.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// identify reads sender, service and operation from the headers.
//
// Signature: https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
// (AWS4-HMAC-SHA256 Credential=<key id>/<date>/<region>/<service>/aws4_request, …); the JSON protocols
// name the operation as X-Amz-Target: <prefix>.<operation>.
func identify(r *http.Request) (caller, service, operation string) {
	caller, service = "unsigned", "unknown"
	if _, rest, ok := strings.Cut(r.Header.Get("Authorization"), "Credential="); ok {
		scope, _, _ := strings.Cut(rest, ",")
		if parts := strings.Split(strings.TrimSpace(scope), "/"); len(parts) == 5 {
			caller, service = parts[0], parts[3]
		}
	}
	operation = r.Method
	if _, name, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		operation = name
	}
	return caller, service, service + "." + operation
}
