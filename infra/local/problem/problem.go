// Package problem writes the errors that the gateway of the one-machine stack makes itself, in the shape
// that the deployed gateway gives them: problem details (RFC 9457).
package problem

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Problem is an error answer.
type Problem struct {
	Status     int
	Code       string        // the last part of the type URN
	Title      string        // the same for every problem of the code
	Detail     string        // what to do, in plain words
	Field      string        // the member of the body that is wrong, if one is
	RetryAfter time.Duration // 0: waiting does not help
}

// Write sends the problem. requestID is the id for support.
func Write(w http.ResponseWriter, requestID string, p Problem) {
	body := struct {
		Type      string `json:"type"`
		Title     string `json:"title"`
		Status    int    `json:"status"`
		Detail    string `json:"detail"`
		Code      string `json:"code"`
		RequestID string `json:"gateway_request_id"`
		Field     string `json:"field,omitempty"`
	}{"urn:replyonce:problem:" + p.Code, p.Title, p.Status, p.Detail, p.Code, requestID, p.Field}
	header := w.Header()
	header.Set("Content-Type", "application/problem+json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Gateway-Request-Id", requestID)
	if p.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(p.RetryAfter.Seconds())))
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
