package register

import (
	"fmt"
	"regexp"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// statement is an entry as the API serves it. What is not documented is false,
// zero or empty.
type statement struct {
	Provider               string   `json:"provider"`
	Endpoint               string   `json:"endpoint"`
	Used                   bool     `json:"used"`
	LanguageModel          bool     `json:"language_model"`
	IdempotencyKey         bool     `json:"idempotency_key"`
	KeyRetentionSeconds    int64    `json:"key_retention_seconds"`
	KeyPayloadRule         string   `json:"key_payload_rule"`
	KeyConcurrencyRule     string   `json:"key_concurrency_rule"`
	Lookup                 bool     `json:"lookup"`
	LookupRetentionSeconds int64    `json:"lookup_retention_seconds"`
	Cancel                 bool     `json:"cancel"`
	LostCall               string   `json:"lost_call"`
	RetryRule              string   `json:"retry_rule"`
	Source                 string   `json:"source"`
	Links                  []string `json:"links"`
	CheckedOn              string   `json:"checked_on"`
}

// Document renders entries for the API.
func Document(entries []Entry) ([]byte, error) {
	statements := []statement{}
	for _, e := range entries {
		statements = append(statements, statement{
			Provider: e.Provider, Endpoint: e.Endpoint, Used: e.Used, LanguageModel: e.LanguageModel,
			IdempotencyKey: e.IdempotencyKey, KeyRetentionSeconds: int64(e.KeyRetention / time.Second),
			KeyPayloadRule: e.KeyPayloadRule, KeyConcurrencyRule: e.KeyConcurrencyRule,
			Lookup: e.Lookup, LookupRetentionSeconds: int64(e.LookupRetention / time.Second), Cancel: e.Cancel,
			LostCall: e.lostCall(), RetryRule: e.RetryRule, Source: e.Source, Links: links(e.Source), CheckedOn: e.CheckedOn,
		})
	}
	document, err := json.Marshal(statements, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("render register of guarantees: %w", err)
	}
	return append(document, '\n'), nil
}

// The ways in which sources name pages: a repository at a commit, a Go module at
// a version, an address without its scheme.
var (
	atCommit   = regexp.MustCompile(`\b([\w-]+/[\w-]+) at ([0-9a-f]{7,40})\b`)
	goModule   = regexp.MustCompile(`\b(github\.com/[\w./-]+) (v\d+\.\d+\.\d+)\b`)
	webAddress = regexp.MustCompile(`\b(?:[a-z0-9-]+\.)+(?:com|ai|org|dev)\b(?:/[\w./-]*[\w/-])?`)
)

// links finds the addresses of a source. It is empty, not nil, where there are
// none.
func links(source string) []string {
	found := []string{}
	for _, m := range atCommit.FindAllStringSubmatch(source, -1) {
		found = append(found, "https://github.com/"+m[1]+"/tree/"+m[2])
	}
	for _, m := range goModule.FindAllStringSubmatch(source, -1) {
		found = append(found, "https://pkg.go.dev/"+m[1]+"@"+m[2])
	}
	for _, address := range webAddress.FindAllString(goModule.ReplaceAllString(source, ""), -1) {
		found = append(found, "https://"+address)
	}
	return found
}
