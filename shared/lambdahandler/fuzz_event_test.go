package lambdahandler_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Whatever the runtime hands over, the answer is one that the gateway takes.
func FuzzEvent(f *testing.F) {
	files, err := filepath.Glob("../../events/api-*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no sample events: %v", err)
	}
	for _, file := range files {
		event, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(event)
	}
	f.Add([]byte(`{"httpMethod":"GET"}`))
	f.Add([]byte(`{"httpMethod":"GET","path":null,"headers":null,"multiValueHeaders":{"If-None-Match":null},"requestContext":{"authorizer":{"caller":{}}}}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		h := newHarness(t)
		h.seed(t)
		payload, err := h.api.Invoke(t.Context(), event)
		if err != nil {
			t.Fatal(err)
		}
		var answer proxyAnswer
		if err := json.Unmarshal(payload, &answer); err != nil {
			t.Fatalf("answer %q: %v", payload, err)
		}
		if answer.StatusCode < 200 || answer.StatusCode > 599 || answer.StatusCode == 500 || answer.Headers["Access-Control-Allow-Origin"] == "" {
			t.Fatalf("answer %s", payload)
		}
	})
}
