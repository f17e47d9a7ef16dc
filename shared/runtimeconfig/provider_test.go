package runtimeconfig_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

const (
	sampleKey    = "sk-sample-of-a-key"
	sampleSecret = "arn:aws:secretsmanager:eu-west-1:111122223333:secret:keys-AbCdEf"
)

// provided is a worker's environment with settings of a provider; names are
// without the prefix, and an empty value leaves one out.
func provided(settings map[string]string) map[string]string {
	environment := complete()
	for name, value := range settings {
		environment["REPLYONCE_"+name] = value
	}
	return environment
}

func TestProvidersThatAreTaken(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]string{
		"builtin":                           {},
		"scripted":                          {"PROVIDER": "scripted", "PROVIDER_URL": "http://localhost:9000"},
		"openai":                            {"PROVIDER": "openai", "MODEL": "m", "PROVIDER_SECRET": sampleSecret},
		"openai on one machine":             {"PROVIDER": "openai", "MODEL": "m", "PROVIDER_KEY": sampleKey, "LOCAL": "1"},
		"openai elsewhere":                  {"PROVIDER": "openai", "MODEL": "m", "PROVIDER_KEY": sampleKey, "LOCAL": "1", "PROVIDER_URL": "http://127.0.0.1:1/v1"},
		"compatible without key":            {"PROVIDER": "openai-compatible", "MODEL": "m", "PROVIDER_URL": "http://localhost:11434/v1"},
		"compatible with key":               {"PROVIDER": "openai-compatible", "MODEL": "m", "PROVIDER_URL": "https://llm.example.com/v1", "PROVIDER_SECRET": "keys"},
		"anthropic with limits":             {"PROVIDER": "anthropic", "MODEL": "m", "PROVIDER_SECRET": "keys", "MAX_OUTPUT_TOKENS": "2000", "MAX_INPUT_TOKENS": "150000"},
		"bedrock":                           {"PROVIDER": "bedrock", "MODEL": "eu.amazon.nova-lite-v1:0"},
		"bedrock on one machine, elsewhere": {"PROVIDER": "bedrock", "MODEL": "m", "LOCAL": "1", "PROVIDER_URL": "http://localhost:9001"},
	} {
		c, err := runtimeconfig.Worker(provided(settings))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Model != settings["MODEL"] || c.ProviderURL != settings["PROVIDER_URL"] ||
			c.ProviderKey.Reveal() != settings["PROVIDER_KEY"] || c.ProviderSecret != settings["PROVIDER_SECRET"] {
			t.Errorf("%s: %+v", name, c)
		}
		if settings["MAX_INPUT_TOKENS"] != "" && (c.MaxOutputTokens != 2000 || c.MaxInputTokens != 150_000) {
			t.Errorf("%s: limits %d and %d", name, c.MaxOutputTokens, c.MaxInputTokens)
		}
	}
}

// What cannot work is told at the start, all at once, and with what to do.
func TestProvidersThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings map[string]string
		want     map[string]string // variable: part of what is said
	}{
		"unknown": {map[string]string{"PROVIDER": "oracle"}, map[string]string{
			"PROVIDER": "Set it to builtin, scripted, openai, openai-compatible, anthropic or bedrock.",
		}},
		"openai with nothing": {map[string]string{"PROVIDER": "openai"}, map[string]string{
			"MODEL": "has none of its own", "PROVIDER_SECRET": "Set it to the ARN or the name",
		}},
		"openai on one machine with nothing": {map[string]string{"PROVIDER": "openai", "LOCAL": "1"}, map[string]string{
			"MODEL": "Set it to the name of a model", "PROVIDER_KEY": "Set it to your key",
		}},
		"compatible with nothing": {map[string]string{"PROVIDER": "openai-compatible"}, map[string]string{
			"MODEL": "Set it to", "PROVIDER_URL": "Set it to the URL",
		}},
		"bedrock with a key": {map[string]string{"PROVIDER": "bedrock", "MODEL": "m", "PROVIDER_SECRET": "keys"}, map[string]string{
			"PROVIDER_SECRET": "takes no key",
		}},
		"bedrock on one machine": {map[string]string{"PROVIDER": "bedrock", "MODEL": "m", "LOCAL": "1"}, map[string]string{
			"PROVIDER_URL": "is reached from here",
		}},
		"key but no provider": {map[string]string{"PROVIDER_KEY": sampleKey, "LOCAL": "1"}, map[string]string{"PROVIDER_KEY": "takes no key"}},
		"URL but no provider": {map[string]string{"PROVIDER_URL": "http://localhost"}, map[string]string{"PROVIDER_URL": "has no address"}},
		"key of a deployment": {map[string]string{"PROVIDER": "anthropic", "MODEL": "m", "PROVIDER_KEY": sampleKey}, map[string]string{
			"PROVIDER_KEY": "AWS Secrets Manager",
		}},
		"key and secret": {map[string]string{"PROVIDER": "anthropic", "MODEL": "m", "LOCAL": "1", "PROVIDER_KEY": sampleKey, "PROVIDER_SECRET": "keys"}, map[string]string{
			"PROVIDER_SECRET": "so is REPLYONCE_PROVIDER_KEY",
		}},
		"URL with a password": {map[string]string{"PROVIDER": "openai-compatible", "MODEL": "m", "PROVIDER_URL": "http://me:" + sampleKey + "@host/v1"}, map[string]string{
			"PROVIDER_URL": "without user, password",
		}},
		"URL with a query": {map[string]string{"PROVIDER": "openai-compatible", "MODEL": "m", "PROVIDER_URL": "http://host/v1?key=" + sampleKey}, map[string]string{
			"PROVIDER_URL": "query",
		}},
		"URL that cannot be read": {map[string]string{"PROVIDER": "openai-compatible", "MODEL": "m", "PROVIDER_URL": "http://" + sampleKey + ":x"}, map[string]string{
			"PROVIDER_URL": "is no plain URL",
		}},
		"no limits": {map[string]string{"MAX_OUTPUT_TOKENS": "0", "MAX_INPUT_TOKENS": "many"}, map[string]string{
			"MAX_OUTPUT_TOKENS": "whole number above 0", "MAX_INPUT_TOKENS": "whole number above 0",
		}},
	} {
		_, err := runtimeconfig.Worker(provided(tt.settings))
		refused, ok := errors.AsType[*runtimeconfig.ConfigError](err)
		if !ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]string{}
		for _, p := range refused.Problems {
			got[strings.TrimPrefix(p.Variable, "REPLYONCE_")] = p.Detail
		}
		if len(refused.Problems) != len(tt.want) || strings.Contains(err.Error(), sampleKey) {
			t.Errorf("%s: told is\n%v", name, err)
		}
		for _, variable := range slices.Sorted(maps.Keys(tt.want)) {
			if !strings.Contains(got[variable], tt.want[variable]) {
				t.Errorf("%s: %s %q, want %q", name, variable, got[variable], tt.want[variable])
			}
		}
	}
}

func TestTakesKey(t *testing.T) {
	t.Parallel()
	var takers []string
	for _, provider := range append(runtimeconfig.Providers(), "oracle") {
		if runtimeconfig.TakesKey(provider) {
			takers = append(takers, provider)
		}
	}
	if !slices.Equal(takers, []string{"openai", "openai-compatible", "anthropic"}) {
		t.Errorf("with a key: %v", takers)
	}
}

func TestKeysAreHidden(t *testing.T) {
	t.Parallel()
	c, err := runtimeconfig.Worker(provided(map[string]string{"PROVIDER": "openai", "MODEL": "m", "PROVIDER_KEY": sampleKey, "LOCAL": "1"}))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("start", "config", c, "key", c.ProviderKey)
	for _, text := range []string{
		fmt.Sprint(c), fmt.Sprintf("%+v %#v %v %q", c, c, c.ProviderKey, c.ProviderKey), string(encoded), logged.String(),
	} {
		if strings.Contains(text, sampleKey) || !strings.Contains(text, "hidden") {
			t.Errorf("the key is to be seen: %s", text)
		}
	}
	if got := fmt.Sprint(runtimeconfig.Hidden("")); got != "" {
		t.Errorf("no key shows as %q", got)
	}
}

func FuzzProvider(f *testing.F) {
	f.Add("openai-compatible", "http://localhost:11434/v1", "m", "", "", "10", true)
	f.Add("openai", "", "m", "k", "", "", true)
	f.Add("bedrock", "http://a:b@c/", "", "", "s", "-1", false)
	f.Fuzz(func(t *testing.T, provider, address, model, key, secret, tokens string, local bool) {
		settings := map[string]string{
			"PROVIDER": provider, "PROVIDER_URL": address, "MODEL": model, "PROVIDER_KEY": key, "PROVIDER_SECRET": secret, "MAX_OUTPUT_TOKENS": tokens,
		}
		if local {
			settings["LOCAL"] = "1"
		}
		c, err := runtimeconfig.Worker(provided(settings))
		switch {
		case err != nil:
		case c.ProviderKey != "" && (c.ProviderSecret != "" || !c.Local):
			t.Error("a key was taken where none may be")
		case !slices.Contains(runtimeconfig.Providers(), c.Provider):
			t.Errorf("provider %q was taken", c.Provider)
		case c.MaxOutputTokens < 0 || strings.Contains(c.ProviderURL, "@") && strings.HasPrefix(c.ProviderURL, "http://a:b@"):
			t.Errorf("taken: %+v", c)
		}
	})
}
