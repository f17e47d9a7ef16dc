package tracing_test

import (
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/tracing"
)

func TestReadConfig(t *testing.T) {
	t.Parallel()
	standard := tracing.Config{Exporter: tracing.ToLog, Timeout: tracing.DefaultTimeout, Ratio: 1}
	with := func(change func(*tracing.Config)) tracing.Config {
		c := standard
		change(&c)
		return c
	}
	otlp := func(endpoint string) tracing.Config {
		return with(func(c *tracing.Config) { c.Exporter, c.Endpoint = tracing.ToOTLP, endpoint })
	}
	cases := []struct {
		name     string
		set      map[string]string
		want     tracing.Config
		problems int
	}{
		{"nothing", nil, standard, 0},
		{"endpoint", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}, otlp("http://localhost:4318/v1/traces"), 0},
		{"endpoint with a path", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://a.example.com/otlp/"}, otlp("https://a.example.com/otlp/v1/traces"), 0},
		{"endpoint of traces", map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b/spans",
		}, otlp("http://b/spans"), 0},
		{"off", map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://a"}, with(func(c *tracing.Config) {
			c.Exporter, c.Endpoint = tracing.ToNobody, "http://a/v1/traces"
		}), 0},
		{"disabled", map[string]string{"OTEL_SDK_DISABLED": "true"}, with(func(c *tracing.Config) { c.Exporter = tracing.ToNobody }), 0},
		{"otlp without endpoint", map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, standard, 1},
		{"unknown exporter", map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, standard, 1},
		{"no URL", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"}, standard, 1},
		{"headers", map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": " api-key=a%20b , x=1=2 "}, with(func(c *tracing.Config) {
			c.Headers = map[string]string{"api-key": "a b", "x": "1=2"}
		}), 0},
		{"bad headers", map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "a=1,b,=c,d=%zz,e=%0d%0aX:1"}, with(func(c *tracing.Config) {
			c.Headers = map[string]string{"a": "1"}
		}), 4},
		{"secret headers", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "REPLYONCE_TRACES_SECRET": "keys"}, with(func(c *tracing.Config) {
			c.Exporter, c.Endpoint, c.HeadersSecret = tracing.ToOTLP, "http://a/v1/traces", "keys"
		}), 0},
		{"secret headers for nobody", map[string]string{"REPLYONCE_TRACES_SECRET": "keys"}, with(func(c *tracing.Config) { c.HeadersSecret = "keys" }), 1},
		{"timeout", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "150"}, with(func(c *tracing.Config) { c.Timeout = 150 * time.Millisecond }), 0},
		{"long timeout", map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "10000"}, with(func(c *tracing.Config) { c.Timeout = tracing.MaxTimeout }), 0},
		{"bad timeout", map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "1s"}, standard, 1},
		{"ratio", map[string]string{"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25"}, with(func(c *tracing.Config) { c.Ratio = 0.25 }), 0},
		{"never", map[string]string{"OTEL_TRACES_SAMPLER": "always_off"}, with(func(c *tracing.Config) { c.Ratio = 0 }), 0},
		{"bad ratio", map[string]string{"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "NaN"}, standard, 1},
		{"unknown sampler", map[string]string{"OTEL_TRACES_SAMPLER": "jaeger_remote"}, standard, 1},
	}
	for _, c := range cases {
		got, problems := tracing.ReadConfig(c.set)
		if !equal(got, c.want) || len(problems) != c.problems {
			t.Errorf("%s: %+v with %q, want %+v", c.name, got, problems, c.want)
		}
	}
}

func equal(a, b tracing.Config) bool {
	return a.Exporter == b.Exporter && a.Endpoint == b.Endpoint && a.Timeout == b.Timeout && a.Ratio == b.Ratio &&
		a.HeadersSecret == b.HeadersSecret && maps.Equal(a.Headers, b.Headers)
}

// Whatever stands in the environment, tracing has a configuration that is safe,
// and tells no value that may be a key.
func FuzzReadConfig(f *testing.F) {
	f.Add("http://localhost:4318", "a=b", "100", "0.5", "traceidratio", "otlp")
	f.Add("", "a=%zz", "-1", "2", "", "console")
	f.Add("http://[::1", "a=\r\n", "99999999999", "NaN", "x", "none")
	f.Fuzz(func(t *testing.T, endpoint, headers, timeout, argument, sampler, exporter string) {
		c, problems := tracing.ReadConfig(map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_HEADERS": headers, "OTEL_EXPORTER_OTLP_TIMEOUT": timeout,
			"OTEL_TRACES_SAMPLER_ARG": argument, "OTEL_TRACES_SAMPLER": sampler, "OTEL_TRACES_EXPORTER": exporter,
		})
		if c.Timeout <= 0 || c.Timeout > tracing.MaxTimeout || math.IsNaN(c.Ratio) || c.Ratio < 0 || c.Ratio > 1 {
			t.Errorf("%+v", c)
		}
		if c.Exporter == tracing.ToOTLP && !strings.HasPrefix(c.Endpoint, "http") {
			t.Errorf("spans go to %q", c.Endpoint)
		}
		for name, value := range c.Headers {
			if name == "" || strings.ContainsAny(name+value, "\r\n") {
				t.Errorf("header %q: %q", name, value)
			}
		}
		if len(headers) > 12 && strings.Contains(strings.Join(problems, "\n"), headers) {
			t.Errorf("the headers are told: %q", problems)
		}
	})
}

// Whoever hands variables on to a function hands on all that are read.
func TestVariablesAreAllThatAreRead(t *testing.T) {
	t.Parallel()
	asked := map[string]string{}
	for _, name := range tracing.Variables() {
		asked[name] = "%" // no number, no URL, no header: each is complained of, or kept as a name
	}
	_, problems := tracing.ReadConfig(asked)
	for _, part := range []string{"TRACES_ENDPOINT", "TRACES_HEADERS", "TRACES_TIMEOUT", "OTEL_TRACES_EXPORTER", "OTEL_TRACES_SAMPLER ", "OTEL_TRACES_SAMPLER_ARG", tracing.SecretVariable} {
		if !strings.Contains(strings.Join(problems, "\n")+"\n", part) {
			t.Errorf("nothing is said about %s: %q", part, problems)
		}
	}
}
