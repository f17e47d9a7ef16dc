package main

import (
	"strings"
	"testing"
)

func TestParseStage(t *testing.T) {
	t.Parallel()
	const base = "arn:aws:execute-api:eu-central-1:123456789012:"
	tests := []struct {
		methodARN string
		want      string // empty: refused
	}{
		{base + "api1/prod/GET/v1/documents", base + "api1/prod/*"},
		{base + "api1/prod/GET/", base + "api1/prod/*"},
		{base + "api1/prod/GET", base + "api1/prod/*"},
		{base + "api1/my-stage_2/POST/a/b:c/*/d", base + "api1/my-stage_2/*"},
		{"arn:aws-cn:execute-api:cn-north-1:123456789012:api1/prod/GET/", "arn:aws-cn:execute-api:cn-north-1:123456789012:api1/prod/*"},
		{"", ""},
		{"arn:aws:execute-api", ""},
		{"arn:aws:lambda:eu-central-1:123456789012:api1/prod/GET/", ""},
		{base, ""},
		{base + "api1", ""},
		{base + "api1/prod", ""},
		{base + "/prod/GET/", ""},
		{base + "api1//GET/", ""},
		{base + "*/prod/GET/", ""},
		{base + "api1/*/GET/", ""},
		{base + "api1/p?/GET/", ""},
		{base + "api1/${x}/GET/", ""},
		{"arn:aws:execute-api:*:123456789012:api1/prod/GET/", ""},
		{"arn:aws:execute-api:eu-central-1:*:api1/prod/GET/", ""},
	}
	for _, tt := range tests {
		stage, err := parseStage(tt.methodARN)
		if tt.want == "" {
			if err == nil {
				t.Errorf("parseStage(%q) = %+v, want an error", tt.methodARN, stage)
			}
			continue
		}
		if err != nil || stage.allowAll().Statement[0].Resource[0] != tt.want {
			t.Errorf("parseStage(%q) = %+v, %v, want %s", tt.methodARN, stage, err, tt.want)
		}
	}
}

func FuzzParseStage(f *testing.F) {
	f.Add("arn:aws:execute-api:eu-central-1:123456789012:api1/prod/GET/v1/documents")
	f.Add("arn:aws:execute-api:eu-central-1:123456789012:api1/*/GET/")
	f.Add("arn:::::")
	f.Add("")
	f.Fuzz(func(t *testing.T, methodARN string) {
		stage, err := parseStage(methodARN)
		if err != nil {
			return
		}
		// The answer covers the stage that was asked for and no other.
		resource := stage.allowAll().Statement[0].Resource[0]
		prefix, found := strings.CutSuffix(resource, "*")
		if !found || strings.ContainsAny(prefix, "*?$") || !strings.HasPrefix(methodARN, prefix) {
			t.Fatalf("parseStage(%q) allows %q", methodARN, resource)
		}
	})
}
