package tracing

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Config says where spans go. [ReadConfig] makes it.
type Config struct {
	Exporter Exporter
	// Endpoint is the whole URL that OTLP requests are posted to.
	Endpoint string
	// Headers go with each of them; they may hold keys and are never logged.
	Headers map[string]string
	// HeadersSecret is the ARN or the name of a secret in AWS Secrets Manager with
	// more of them, written as in OTEL_EXPORTER_OTLP_HEADERS; empty: none.
	HeadersSecret string
	// Timeout bounds one export, and so what tracing adds to an invocation.
	Timeout time.Duration
	// Ratio is the part of all tasks that is traced, from 0 to 1. A task is
	// traced by all functions or by none.
	Ratio float64
}

// Exporter is where spans go.
type Exporter string

// The exporters.
const (
	ToLog    Exporter = "console" // lines of the log
	ToOTLP   Exporter = "otlp"    // a collector
	ToNobody Exporter = "none"
)

// SecretVariable names the secret that holds headers of the collector.
const SecretVariable = "REPLYONCE_TRACES_SECRET"

// Variables lists the variables that [ReadConfig] reads, for those who hand them
// on to a function's environment.
func Variables() []string {
	names := []string{"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG", SecretVariable}
	for _, setting := range []string{"ENDPOINT", "HEADERS", "TIMEOUT"} {
		names = append(names, "OTEL_EXPORTER_OTLP_"+setting, "OTEL_EXPORTER_OTLP_TRACES_"+setting)
	}
	return names
}

// Bounds of the time that one export may take. The default of the OpenTelemetry
// specification, 10 s, is one for processes in which somebody else waits.
const (
	DefaultTimeout = 300 * time.Millisecond
	MaxTimeout     = 2 * time.Second
)

// ReadConfig reads the variables of the OpenTelemetry specification, as far as
// they mean something here: OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER (otlp,
// console or none; by default otlp when there is an endpoint, else console),
// OTEL_TRACES_SAMPLER and its argument, and of OTEL_EXPORTER_OTLP_ENDPOINT,
// _HEADERS and _TIMEOUT both forms, of which the one with _TRACES in it goes
// first. OTLP is spoken as JSON over HTTP; what takes protobuf over HTTP takes
// that too. [SecretVariable] is our own: variables of a deployed function can be
// read by many, so keys do not belong among them.
//
// A function must not be stopped by how it is watched, so there is always a
// usable configuration; problems says what was left out of it.
//
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/
func ReadConfig(environment map[string]string) (c Config, problems []string) {
	r := reader{environment: environment}
	c = Config{Exporter: ToLog, Timeout: r.timeout(), Ratio: r.ratio(), Headers: r.headers(), HeadersSecret: r.text(SecretVariable)}
	if c.Endpoint = r.endpoint(); c.Endpoint != "" {
		c.Exporter = ToOTLP
	}
	switch chosen := Exporter(r.text("OTEL_TRACES_EXPORTER")); {
	case chosen == "":
	case chosen == ToOTLP && c.Endpoint == "":
		r.addf("OTEL_TRACES_EXPORTER is otlp, and OTEL_EXPORTER_OTLP_ENDPOINT is not set: spans go to the log")
	case chosen == ToLog, chosen == ToOTLP, chosen == ToNobody:
		c.Exporter = chosen
	default:
		r.addf("OTEL_TRACES_EXPORTER is %q: use otlp, console or none", chosen)
	}
	if c.HeadersSecret != "" && c.Endpoint == "" {
		r.addf("%s is set, and OTEL_EXPORTER_OTLP_ENDPOINT is not: nobody needs the secret", SecretVariable)
	}
	if disabled, err := strconv.ParseBool(r.text("OTEL_SDK_DISABLED")); err == nil && disabled {
		c.Exporter = ToNobody
	}
	return c, r.problems
}

// reader takes settings out of an environment.
type reader struct {
	environment map[string]string
	problems    []string
}

func (r *reader) addf(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *reader) text(name string) string { return strings.TrimSpace(r.environment[name]) }

// otlp is a setting of the exporter, in the form for traces or for all signals.
func (r *reader) otlp(setting string) (value, name string) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_" + setting, "OTEL_EXPORTER_OTLP_" + setting} {
		if value := r.text(name); value != "" {
			return value, name
		}
	}
	return "", ""
}

// endpoint adds the path of traces to an endpoint that is one for all signals.
func (r *reader) endpoint() string {
	text, name := r.otlp("ENDPOINT")
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		r.addf("%s is no http or https URL", name) // it may hold a password
		return ""
	}
	if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u = u.JoinPath("v1", "traces")
	}
	return u.String()
}

func (r *reader) headers() map[string]string {
	text, name := r.otlp("HEADERS")
	headers, bad := parseHeaders(text)
	for range bad {
		r.addf("%s has a part that is not name=value: it is left out", name)
	}
	return headers
}

// parseHeaders reads pairs like those of the W3C Baggage header: k=v,k2=v2, with
// percent-encoded values. It leaves out what is none, and counts it.
func parseHeaders(text string) (headers map[string]string, bad int) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, 0
	}
	headers = map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, found := strings.Cut(strings.TrimSpace(pair), "=")
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || key == "" || err != nil || strings.ContainsAny(key+value, "\r\n") {
			bad++
			continue
		}
		headers[key] = value
	}
	return headers, bad
}

// timeout is given in milliseconds.
func (r *reader) timeout() time.Duration {
	text, name := r.otlp("TIMEOUT")
	if text == "" {
		return DefaultTimeout
	}
	ms, err := strconv.ParseInt(text, 10, 32)
	if err != nil || ms < 1 {
		r.addf("%s is %q: give milliseconds", name, text)
		return DefaultTimeout
	}
	return min(time.Duration(ms)*time.Millisecond, MaxTimeout)
}

// ratio knows the samplers that decide by the trace id. Those that ask the parent
// first come to the same: the parent is always of the same trace.
func (r *reader) ratio() float64 {
	argument := 1.0
	if text := r.text("OTEL_TRACES_SAMPLER_ARG"); text != "" {
		parsed, err := strconv.ParseFloat(text, 64)
		if err != nil || !(parsed >= 0 && parsed <= 1) {
			r.addf("OTEL_TRACES_SAMPLER_ARG is %q: give a number from 0 to 1", text)
		} else {
			argument = parsed
		}
	}
	switch sampler := strings.TrimPrefix(r.text("OTEL_TRACES_SAMPLER"), "parentbased_"); sampler {
	case "", "always_on":
		return 1
	case "always_off":
		return 0
	case "traceidratio":
		return argument
	default:
		r.addf("OTEL_TRACES_SAMPLER is %q: use always_on, always_off or traceidratio", sampler)
		return 1
	}
}
