package register_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/replyonce/replyonce/shared/guarantees"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/register"
)

// What the API serves is what the adapters state.
func TestTheServedDocumentIsTheRegister(t *testing.T) {
	t.Parallel()
	document, err := register.Document(entries(t))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", "guarantees", "register.json"), document, 0o600); err != nil {
			t.Fatal(err)
		}
		return // what was embedded is the file as it was
	}
	if diff := cmp.Diff(string(guarantees.Document()), string(document)); diff != "" {
		t.Errorf("the served register differs (-served +now); if that is meant, run go test ./shared/llmprovider/register -update:\n%s", diff)
	}
}

func TestSourcesBecomeLinks(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"package builtin": "",
		"description (openai/openai-openapi at f85dbe2): no key; guide (developers.example.com/api/docs/guides/background): ten minutes": "https://github.com/openai/openai-openapi/tree/f85dbe2 https://developers.example.com/api/docs/guides/background",
		"docs.example.com/bedrock: reference; github.com/aws/sdk-v2/service/x v1.63.13: no token":                                        "https://pkg.go.dev/github.com/aws/sdk-v2/service/x@v1.63.13 https://docs.example.com/bedrock",
		"docs.example.ai and docs.example.org add none.":                                                                                 "https://docs.example.ai https://docs.example.org",
	} {
		document, err := register.Document([]register.Entry{{Capability: llmprovider.Capability{Source: source}}})
		if err != nil {
			t.Fatal(err)
		}
		var statements []struct {
			Links []string `json:"links"`
		}
		if err := json.Unmarshal(document, &statements); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(statements[0].Links, " "); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}
