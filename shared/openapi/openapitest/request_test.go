package openapitest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func signedIn(names ...string) http.Header {
	header := http.Header{"Authorization": {"Bearer abc"}}
	for i := 0; i < len(names); i += 2 {
		header.Set(names[i], names[i+1])
	}
	return header
}

// Every example of a request body is one.
func TestRequestExamplesValidate(t *testing.T) {
	t.Parallel()
	for path, item := range mustLoad(t).document.Paths.Map() {
		for method, operation := range item.Operations() {
			header := signedIn(headerKey, "r-1")
			if operation.RequestBody == nil {
				ValidateRequest(t, method, samples.Replace(path), header, nil)
				continue
			}
			header.Set("Content-Type", typeJSON)
			for _, example := range operation.RequestBody.Value.Content[typeJSON].Examples {
				body, err := json.Marshal(example.Value.Value)
				if err != nil {
					t.Fatal(err)
				}
				ValidateRequest(t, method, samples.Replace(path), header, body)
			}
		}
	}
}

func TestCheckRequest(t *testing.T) {
	t.Parallel()
	const (
		conversation = "/v1/conversations/01KB7Q0000C0NVERSAT1000001"
		id           = "01KB7PZ8Q0D0CVMENT00000001"
		good         = `{"text":"hi","document":"` + id + `","version":1}`
	)
	history := func(n int) string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = `"01KB7Q1G01TASK00000000000` + string(rune('0'+i)) + `"`
		}
		return strings.Replace(good, "}", `,"history":[`+strings.Join(ids, ",")+`]}`, 1)
	}
	keyed := func() http.Header { return signedIn(headerKey, "r-1", "Content-Type", typeJSON) }
	without := func(name string) http.Header {
		header := keyed()
		header.Del(name)
		return header
	}
	tests := []struct {
		name, method, path string
		header             http.Header
		body               string
		good               bool
	}{
		{"submit", "POST", conversation + "/messages", keyed(), good, true},
		{"most history", "POST", conversation + "/messages", keyed(), history(8), true},
		{"cancel without a body", "POST", conversation + "/tasks/" + id + "/cancel", signedIn(), "", true},
		{"page of a list", "GET", "/v1/documents?limit=100&after=abc", signedIn(), "", true},
		{"public", "GET", "/config.json", http.Header{}, "", true},

		{"no key", "POST", conversation + "/messages", without(headerKey), good, false},
		{"no token", "POST", conversation + "/messages", without("Authorization"), good, false},
		{"no body", "POST", conversation + "/messages", keyed(), "", false},
		{"other type", "POST", conversation + "/messages", signedIn(headerKey, "r-1", "Content-Type", "text/plain"), good, false},
		{"too much history", "POST", conversation + "/messages", keyed(), history(9), false},
		{"unknown field", "POST", conversation + "/messages", keyed(), strings.Replace(good, "}", `,"caller":"bob"}`, 1), false},
		{"duplicate field", "POST", conversation + "/messages", keyed(), strings.Replace(good, "}", `,"text":"ho"}`, 1), false},
		{"field missing", "POST", conversation + "/messages", keyed(), `{"text":"hi"}`, false},
		{"empty text", "POST", conversation + "/messages", keyed(), strings.Replace(good, `"hi"`, `""`, 1), false},
		{"version zero", "POST", conversation + "/messages", keyed(), strings.Replace(good, ":1}", ":0}", 1), false},
		{"version beyond 2^53", "POST", conversation + "/messages", keyed(), strings.Replace(good, ":1}", ":9007199254740993}", 1), false},
		{"id of another shape", "GET", "/v1/documents/mine", signedIn(), "", false},
		{"limit too high", "GET", "/v1/documents?limit=101", signedIn(), "", false},
		{"limit no number", "GET", "/v1/documents?limit=all", signedIn(), "", false},
		{"empty cursor", "GET", "/v1/documents?after=", signedIn(), "", false},
		{"unknown path", "GET", "/v1/tasks", signedIn(), "", false},
		{"unknown method", "DELETE", "/v1/documents", signedIn(), "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := CheckRequest(tt.method, tt.path, tt.header, []byte(tt.body)); (err == nil) != tt.good {
				t.Errorf("error = %v, want good = %t", err, tt.good)
			}
		})
	}
}
