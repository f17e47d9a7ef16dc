package openapitest

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

const (
	typeJSON    = "application/json"
	typeProblem = "application/problem+json"
	typePrefix  = "urn:replyonce:problem:"

	headerRequestID = "X-Gateway-Request-Id"
)

// exposed are the response headers that a page on another origin needs.
var exposed = []string{
	"Location", "ETag", "Retry-After", headerRequestID,
	headerKey, "Idempotency-Replayed", "Idempotency-Expires",
}

// checkRules checks what the contract says in words: relations between status,
// headers and body.
func checkRules(t target, status int, header http.Header, body []byte) error {
	return errors.Join(
		checkExposed(header),
		checkKeyed(t, header, body),
		checkAllow(t, status, header),
		checkProblem(status, header, body),
		checkPolling(t, status, header, body),
	)
}

func mediaType(header http.Header) string {
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

func isJSON(header http.Header) bool {
	media := mediaType(header)
	return media == typeJSON || media == typeProblem
}

// checkJSON refuses duplicate names, bad UTF-8 and unpaired surrogates, which
// parsers read differently.
func checkJSON(body []byte) error {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}

// checkKeyed: every answer to a call that takes a key tells its whole story, and
// other calls tell nothing of one. The key itself cannot be echoed before it is
// read, which is after the caller is known.
func checkKeyed(t target, header http.Header, body []byte) error {
	names := []string{headerKey, "Idempotency-Replayed", "Idempotency-Expires"}
	if t.keyed() && keyUnread(body) {
		names = names[1:]
	}
	for _, name := range names {
		if given := header.Get(name) != ""; given != t.keyed() {
			return fmt.Errorf("header %s is there: %t, call takes a key: %t", name, given, t.keyed())
		}
	}
	return nil
}

func keyUnread(body []byte) bool {
	var problem struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal(body, &problem); err != nil {
		return false
	}
	return slices.Contains([]string{"unauthorized", "idempotency_key_missing", "idempotency_key_malformed"}, problem.Code)
}

// checkExposed: a header that is sent but not exposed is invisible to a page on
// another origin.
func checkExposed(header http.Header) error {
	if header.Get("Access-Control-Allow-Origin") == "" {
		return nil
	}
	listed := listOf(header, "Access-Control-Expose-Headers")
	for _, name := range exposed {
		if header.Get(name) != "" && !slices.ContainsFunc(listed, func(l string) bool { return strings.EqualFold(l, name) }) {
			return fmt.Errorf("header %s is sent and not exposed", name)
		}
	}
	return nil
}

func checkAllow(t target, status int, header http.Header) error {
	if status != http.StatusMethodNotAllowed {
		return nil
	}
	allowed := listOf(header, "Allow")
	for _, method := range t.methods {
		if !slices.Contains(allowed, method) {
			return fmt.Errorf("method %s is documented and not in Allow", method)
		}
	}
	if slices.Contains(allowed, t.request.Method) {
		return fmt.Errorf("method %s is in Allow and not allowed", t.request.Method)
	}
	return nil
}

func listOf(header http.Header, name string) []string {
	var list []string
	for item := range strings.SplitSeq(strings.Join(header.Values(name), ","), ",") {
		list = append(list, strings.TrimSpace(item))
	}
	return list
}

// checkProblem: errors are problem details and tell the same in every place.
func checkProblem(status int, header http.Header, body []byte) error {
	isProblem := mediaType(header) == typeProblem
	if isProblem != (status >= http.StatusBadRequest) {
		return fmt.Errorf("status %d with %q", status, header.Get("Content-Type"))
	}
	if !isProblem || len(body) == 0 {
		return nil
	}
	var problem struct {
		Type             string `json:"type"`
		Status           int    `json:"status"`
		Code             string `json:"code"`
		GatewayRequestID string `json:"gateway_request_id"`
	}
	if err := json.Unmarshal(body, &problem); err != nil {
		return fmt.Errorf("problem: %w", err)
	}
	switch {
	case problem.Status != status:
		return fmt.Errorf("problem has status %d, answer has %d", problem.Status, status)
	case problem.Type != typePrefix+problem.Code:
		return fmt.Errorf("problem has type %q and code %q", problem.Type, problem.Code)
	case problem.GatewayRequestID != header.Get(headerRequestID):
		return fmt.Errorf("problem has request id %q, header has %q", problem.GatewayRequestID, header.Get(headerRequestID))
	}
	return nil
}

// checkPolling: whoever reads a task that goes on learns when to ask again.
func checkPolling(t target, status int, header http.Header, body []byte) error {
	if t.route == nil || t.route.Operation.OperationID != "getTask" || status != http.StatusOK || len(body) == 0 {
		return nil
	}
	var task struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal(body, &task); err != nil {
		return fmt.Errorf("task: %w", err)
	}
	goesOn := task.Status == "pending" || task.Status == "running"
	if hasWait := header.Get("Retry-After") != ""; goesOn != hasWait {
		return fmt.Errorf("task is %s, Retry-After is there: %t", task.Status, hasWait)
	}
	return nil
}
