package runtimeconfig

import (
	"errors"
	"fmt"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Problem is one variable that is missing or wrong.
type Problem struct {
	Variable string
	Detail   string // what is wrong and what to do
}

// ConfigError lists everything that is wrong with a function's environment.
type ConfigError struct {
	Function string
	Problems []Problem
}

func (e *ConfigError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "the configuration of %s is not usable:", e.Function)
	for _, p := range e.Problems {
		fmt.Fprintf(&text, "\n  %s: %s", p.Variable, p.Detail)
	}
	return text.String()
}

// problems collects what is wrong while a section is read.
type problems []Problem

func (p *problems) add(variable, format string, args ...any) {
	*p = append(*p, Problem{Variable: prefix + variable, Detail: fmt.Sprintf(format, args...)})
}

// missing turns the errors of the library into problems. Every variable is read
// as a text, so that what cannot be parsed is reported in our own words.
func (p *problems) missing(err error) {
	var list env.AggregateError
	if !errors.As(err, &list) {
		return
	}
	for _, e := range list.Errors {
		if unset, ok := errors.AsType[env.VarIsNotSetError](e); ok {
			*p = append(*p, Problem{unset.Key, "is not set. " + hints[unset.Key]})
		} else if empty, ok := errors.AsType[env.EmptyVarError](e); ok {
			*p = append(*p, Problem{empty.Key, "is empty. " + hints[empty.Key]})
		} else {
			*p = append(*p, Problem{"environment", e.Error()})
		}
	}
}

// hints says for each required variable what to set it to.
var hints = map[string]string{
	prefix + "TABLE":           "Set it to the name of the DynamoDB table.",
	prefix + "QUEUE_URL":       "Set it to the URL of the SQS queue of handoffs.",
	prefix + "INDEX_QUEUE_URL": "Set it to the URL of the SQS queue of handoffs of index tasks.",
	prefix + "BUCKET":          "Set it to the name of the S3 bucket for large replies.",
	prefix + "ISSUER":          "Set it to the issuer of the identity provider, as in the claim iss.",
	prefix + "AUDIENCE":        "Set it to the client id that tokens are made for.",
	prefix + "SIGN_IN":         "Set it to the JSON of the sign-in settings, as /config.json shows them.",
}
