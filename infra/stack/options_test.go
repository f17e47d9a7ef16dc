package stack_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/stack"
	"github.com/replyonce/replyonce/shared/worktask"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	o, err := stack.ReadOptions(map[string]any{"@aws-cdk/core:someFlag": true, "aws:cdk:bundling-stacks": []any{"**"}}, root)
	if err != nil {
		t.Fatal(err)
	}
	if o.Name() != "replyonce-dev" || o.Provider != "builtin" || o.Concurrency != 10 || o.LogRetentionDays != 14 || o.Architecture != "arm64" {
		t.Errorf("defaults: %+v", o)
	}
	if o.Timers != worktask.DefaultTimers() {
		t.Errorf("timers: %+v", o.Timers)
	}
	if o.Functions != filepath.Join(root, "dist", "arm64") {
		t.Errorf("functions are looked for in %s", o.Functions)
	}
}

func TestOptionsAreRead(t *testing.T) {
	t.Parallel()
	o, err := stack.ReadOptions(map[string]any{
		"stage": "prod", "concurrency": 25.0, "retention": " 365 ", "alarmAddress": "", "allowedOrigin": "https://app.example.com",
		"attempts": 6.0, "calls": "12", "deadline": "1h",
	}, root)
	if err != nil {
		t.Fatal(err)
	}
	if !o.Stage.Protected || o.Concurrency != 25 || o.LogRetentionDays != 365 || o.AlarmAddress != "" || o.AllowedOrigin != "https://app.example.com" {
		t.Errorf("options: %+v", o)
	}
	want := worktask.DefaultTimers()
	want.Attempts, want.Calls, want.TaskDeadline = 6, 12, time.Hour
	if o.Timers != want {
		t.Errorf("timers: %+v", o.Timers)
	}
}

func TestOptionsAreRefused(t *testing.T) {
	t.Parallel()
	issuer := map[string]any{
		"issuer": "https://id.example.com", "audience": "page",
		"authorizationEndpoint": "https://id.example.com/a", "tokenEndpoint": "https://id.example.com/t",
	}
	with := func(base map[string]any, name string, value any) map[string]any {
		changed := merged(base, map[string]any{name: value})
		return changed
	}
	for _, c := range []struct {
		given   map[string]any
		problem string
	}{
		{map[string]any{"stgae": "prod"}, "stgae: there is no such option"},
		{map[string]any{"stage": "staging"}, `stage: "staging" is unknown. Use dev or prod`},
		{map[string]any{"stage": true}, "stage: the value is neither a text nor a number"},
		{map[string]any{"provider": "oracle"}, `provider: is "oracle"`},
		{map[string]any{"provider": "scripted"}, "providerUrl: is not set"},
		{map[string]any{"provider": "scripted", "providerUrl": "scripted"}, `providerUrl: is "scripted"`},
		{map[string]any{"provider": "openai"}, "model: is not set. Set it to the name of a model"},
		{map[string]any{"provider": "openai-compatible", "model": "m"}, "providerUrl: is not set"},
		{map[string]any{"providerUrl": "https://llm.example.com"}, "providerUrl: is set, but the provider builtin has no address"},
		{map[string]any{"provider": "anthropic", "model": "m", "maxOutputTokens": "many"}, `maxOutputTokens: is "many"`},
		{map[string]any{"maxInputTokens": 0.0}, `maxInputTokens: is "0"`},
		{map[string]any{"provider": "bedrock"}, "model: is not set"},
		{map[string]any{"provider": "bedrock", "model": "arn:aws:bedrock:eu-west-1:111122223333:prompt/P1"}, "no id or ARN of a model"},
		{map[string]any{"onUnknown": "guess"}, `onUnknown: is "guess"`},
		{map[string]any{"attempts": "many"}, `attempts: is "many". Set it to a whole number above 0`},
		{map[string]any{"attempts": 2.5}, `attempts: is "2.5". Set it to a whole number above 0`},
		{map[string]any{"attempts": 9.0}, `attempts: is "9", which does not fit: timer profile "default": attempts must be at most calls (attempts 9, calls 8)`},
		{map[string]any{"calls": "3"}, "attempts must be at most calls (attempts 4, calls 3)"},
		{map[string]any{"deadline": "10"}, `deadline: is "10". Set it to a time such as "90s" or "10m"`},
		{map[string]any{"deadline": "1m"}, "dispatch_every must be shorter than task_deadline"},
		{map[string]any{"deadline": "48h"}, "task_deadline must be shorter than replay_window"},
		{map[string]any{"logLevel": "loud"}, `logLevel: is "loud"`},
		{map[string]any{"allowedOrigin": "https://app.example.com/page"}, "allowedOrigin: is"},
		{map[string]any{"callerRate": "fast"}, `callerRate: is "fast"`},
		{map[string]any{"callerRate": 4.0}, `callerRate: is "4". Set it to a number of reads a second from 5 to 1000`},
		{map[string]any{"concurrency": "1"}, `concurrency: "1" is no number from 2 to 1000`},
		{map[string]any{"concurrency": "1001"}, `concurrency: "1001" is no number from 2 to 1000`},
		{map[string]any{"concurrency": 2.5}, `concurrency: "2.5" is no number`},
		{map[string]any{"retention": "8"}, "retention: CloudWatch does not keep logs for 8 days"},
		{map[string]any{"retention": "0"}, "retention: \"0\" is no number"},
		{map[string]any{"alarmAddress": "Ops <ops@example.com>"}, "alarmAddress:"},
		{map[string]any{"architecture": "x86"}, `architecture: "x86" is unknown. Use arm64 or x86_64`},
		{map[string]any{"audience": "page"}, "audience: it goes with an issuer only"},
		{map[string]any{"workspaceClaim": "tenant"}, "workspaceClaim: it goes with an issuer only"},
		{with(issuer, "issuer", "http://id.example.com"), `issuer: "http://id.example.com" is no https URL`},
		{with(issuer, "audience", ""), "audience: it is missing"},
		{with(issuer, "tokenEndpoint", nil), "tokenEndpoint: it is missing"},
		{with(issuer, "scope", "email"), "does not contain openid"},
		{map[string]any{"tracesEndpoint": "http://traces.example.com"}, "is no https URL"},
		{map[string]any{"tracesRatio": "half"}, `tracesRatio: "half" is no number from 0 to 1`},
		{map[string]any{"tracesRatio": 1.5}, `tracesRatio: "1.5" is no number from 0 to 1`},
		{map[string]any{"tracesSecretArn": "arn:aws:secretsmanager:eu-west-1:111122223333:secret:traces-AbCdEf"}, "tracesSecretArn: it goes with a collector only"},
		{map[string]any{"tracesEndpoint": "https://traces.example.com", "tracesSecretArn": "traces"}, "is no whole ARN of a secret"},
		{map[string]any{"domainName": "ask.example.com"}, "one of them is missing"},
		{map[string]any{"domainName": "https://ask.example.com", "certificateArn": "arn:aws:acm:eu-west-1:111122223333:certificate/1"}, "is no domain name"},
		{map[string]any{"domainName": "ask.example.com", "certificateArn": "certificate/1"}, "is no ARN of a certificate"},
	} {
		_, err := stack.ReadOptions(c.given, root)
		refused, ok := errors.AsType[*stack.OptionsError](err)
		if !ok || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%v: %v, want %q", c.given, err, c.problem)
			continue
		}
		if len(refused.Problems) != 1 {
			t.Errorf("%v: one thing is wrong, but told is\n%v", c.given, err)
		}
	}
}

func TestEveryProblemIsTold(t *testing.T) {
	t.Parallel()
	_, err := stack.ReadOptions(map[string]any{"stage": "x", "concurrency": "x", "logLevel": "x", "architecture": "x"}, root)
	refused, ok := errors.AsType[*stack.OptionsError](err)
	if !ok || len(refused.Problems) != 4 {
		t.Errorf("four things are wrong, but told is\n%v", err)
	}
}

// TestSettingsAreOptions: each setting that is listed can be given, and each has
// words of its own.
func TestSettingsAreOptions(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z][A-Za-z]+$`)
	for _, s := range stack.Settings() {
		if !name.MatchString(s.Name) || s.Meaning == "" {
			t.Errorf("setting %+v", s)
		}
	}
}

func TestBinariesAreNeeded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	options := func(architecture string) stack.Options {
		o, err := stack.ReadOptions(map[string]any{"architecture": architecture}, root)
		if err != nil {
			t.Fatal(err)
		}
		o.Functions = folder
		return o
	}
	refused := func(architecture, hint string) {
		t.Helper()
		_, err := stack.New(nil, options(architecture))
		missing, ok := errors.AsType[*stack.MissingBinaryError](err)
		if !ok || !strings.Contains(missing.Error(), hint) {
			t.Errorf("New: %v, want %q", err, hint)
		}
	}
	refused(stack.ARM64, "run make build/arm64") // nothing is built
	if err := writePlaceholders(folder, stack.ARM64); err != nil {
		t.Fatal(err)
	}
	refused(stack.X86, "run make build/x86_64") // built for another processor
	if err := os.WriteFile(filepath.Join(folder, stack.Worker, "bootstrap"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	refused(stack.ARM64, filepath.Join(folder, "worker", "bootstrap"))
}

// The worker that is uploaded is the one built with the configured provider's SDK.
func TestProgramOfTheConfiguredProvider(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"openai", "anthropic", "bedrock"} {
		o, err := stack.ReadOptions(map[string]any{"provider": provider, "model": "m"}, root)
		if err != nil {
			t.Fatal(err)
		}
		o.Functions = t.TempDir()
		if err := writePlaceholders(o.Functions, stack.ARM64); err != nil {
			t.Fatal(err)
		}
		wanted := filepath.Join(o.Functions, "worker-"+provider, "bootstrap")
		if err := os.Remove(wanted); err != nil {
			t.Fatal(err)
		}
		_, err = stack.New(nil, o)
		if missing, ok := errors.AsType[*stack.MissingBinaryError](err); !ok || missing.Path != wanted {
			t.Errorf("%s: %v, want %s to be missed", provider, err, wanted)
		}
	}
}
