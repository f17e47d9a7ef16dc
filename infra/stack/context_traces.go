package stack

import (
	"regexp"
	"strconv"

	"github.com/replyonce/replyonce/shared/tracing"
)

// Traces say where spans go, and how many of them.
type Traces struct {
	// Endpoint takes OTLP over HTTP at <Endpoint>/v1/traces; empty: spans are lines
	// of the log.
	Endpoint string
	// SecretARN is that of a secret of the account's own with the headers that the
	// endpoint wants, as name=value,name=value; empty: it wants none.
	SecretARN string
	// Ratio is the part of all tasks that is traced, from 0 to 1.
	Ratio string
}

// secretShape is a whole ARN, with the six characters that Secrets Manager adds:
// permissions are given on exactly this secret.
var secretShape = regexp.MustCompile(`^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}$`)

func (r *reader) traces() Traces {
	t := Traces{Endpoint: r.https("tracesEndpoint"), SecretARN: r.text("tracesSecretArn"), Ratio: r.text("tracesRatio")}
	switch {
	case t.SecretARN != "" && t.Endpoint == "":
		r.addf("tracesSecretArn: it goes with a collector only. Set tracesEndpoint too, or leave it out.")
	case t.SecretARN != "" && !secretShape.MatchString(t.SecretARN):
		r.addf("tracesSecretArn: %q is no whole ARN of a secret, which ends in six characters of its own.", t.SecretARN)
	}
	if ratio, err := strconv.ParseFloat(t.Ratio, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
		r.addf("tracesRatio: %q is no number from 0 to 1.", t.Ratio)
	}
	return t
}

// environment has the variables of a function that makes spans: those of the
// OpenTelemetry specification, as [tracing.ReadConfig] reads them. Without an
// option that was given there are none.
func (t Traces) environment() map[string]string {
	env := map[string]string{}
	if t.Endpoint != "" {
		env["OTEL_EXPORTER_OTLP_ENDPOINT"] = t.Endpoint
	}
	if t.SecretARN != "" {
		// Where the headers are, never the headers themselves.
		env[tracing.SecretVariable] = t.SecretARN
	}
	if ratio, err := strconv.ParseFloat(t.Ratio, 64); err == nil && ratio != 1 {
		env["OTEL_TRACES_SAMPLER"], env["OTEL_TRACES_SAMPLER_ARG"] = "traceidratio", t.Ratio
	}
	return env
}
