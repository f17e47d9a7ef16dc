package stack_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/tracing"
)

var traceChecks = []check{
	{name: "spans go where the options say", holds: func(s subject) error {
		var w want
		wanted := tracing.Config{Exporter: tracing.ToLog, Timeout: tracing.DefaultTimeout, Ratio: 1}
		if s.options.Traces.Endpoint != "" {
			wanted.Exporter, wanted.Endpoint = tracing.ToOTLP, s.options.Traces.Endpoint+"/v1/traces"
			wanted.HeadersSecret, wanted.Ratio = s.options.Traces.SecretARN, 0.25
		}
		for _, id := range []string{"Api", "Worker", "Indexer", "Dispatcher"} {
			config, problems := tracing.ReadConfig(s.environment(id))
			w.equal("traces of "+id, config, wanted)
			w.that(len(problems) == 0, "%s complains: %q", id, problems)
		}
		return w.err()
	}},
	{name: "no function has the collector's headers in clear", holds: func(s subject) error {
		var w want
		for _, id := range s.ids("AWS::Lambda::Function") {
			for _, name := range slices.Sorted(maps.Keys(s.environment(id))) {
				w.that(!strings.HasPrefix(name, "OTEL_") || !strings.Contains(name, "HEADERS"), "%s has %s", id, name)
			}
		}
		for name := range s.environment("Authorizer") {
			w.that(!slices.Contains(tracing.Variables(), name), "the authorizer makes no spans and has %s", name)
		}
		return w.err()
	}},
}

var traceMutants = []mutant{
	{check: "spans go where the options say", path: "Resources/Worker/Properties/Environment/Variables/OTEL_EXPORTER_OTLP_ENDPOINT", value: "https://elsewhere.example.com"},
	{check: "spans go where the options say", path: "Resources/Api/Properties/Environment/Variables/OTEL_TRACES_SAMPLER", value: "always_off"},
	{check: "spans go where the options say", config: "own", path: "Resources/Dispatcher/Properties/Environment/Variables/OTEL_EXPORTER_OTLP_ENDPOINT", value: nil},
	{check: "spans go where the options say", config: "own", path: "Resources/Api/Properties/Environment/Variables/OTEL_TRACES_SAMPLER_ARG", value: "0.5"},
	{check: "spans go where the options say", config: "own", path: "Resources/Worker/Properties/Environment/Variables/REPLYONCE_TRACES_SECRET", value: nil},
	{check: "no function has the collector's headers in clear", config: "own", path: "Resources/Worker/Properties/Environment/Variables/OTEL_EXPORTER_OTLP_HEADERS", value: "api-key=1"},
	{check: "no function has the collector's headers in clear", config: "own", path: "Resources/Authorizer/Properties/Environment/Variables/REPLYONCE_TRACES_SECRET", value: "keys"},
}
