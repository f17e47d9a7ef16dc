package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/tracing"
)

const (
	defaultPort = 8080
	maxWorkers  = 64
	usage       = `replyonce-local runs replyonce on this machine. Each flag can also be given as a variable.
The key of a model provider is given by the variable ` + keyVariable + ` alone: flags can be seen by
every user of the machine. Spans go to a collector with OTEL_EXPORTER_OTLP_ENDPOINT and the other variables
of OpenTelemetry's exporter and samplers.

`
	keyVariable = "REPLYONCE_PROVIDER_KEY"
)

// setting is an option that is a flag and a variable.
type setting struct {
	flag, variable, fallback, help string
	set                            func(*stack.Options, string) error
}

// settings are all of them, as the help lists them.
func settings() []setting {
	return []setting{
		{
			"port", "REPLYONCE_PORT", strconv.Itoa(defaultPort), "port to listen on; 0 takes any free one",
			func(o *stack.Options, v string) (err error) { o.Port, err = number(v, 0, 65535); return err },
		},
		{
			"listen", "REPLYONCE_LISTEN", "127.0.0.1", "address to listen on; 0.0.0.0 lets other machines in, who can then sign in as anybody",
			func(o *stack.Options, v string) error { o.Listen = v; return checkAddress(v) },
		},
		{
			"data", "REPLYONCE_DATA", defaultData(), "folder for data; empty keeps nothing",
			func(o *stack.Options, v string) error { o.DataDir = v; return nil },
		},
		{
			"profile", "REPLYONCE_PROFILE", "default", "timers: default, or short for trying out failures",
			func(o *stack.Options, v string) error { o.Profile = v; return nil },
		},
		{
			"provider", "REPLYONCE_PROVIDER", "builtin", "model provider: " + strings.Join(runtimeconfig.Providers(), ", "),
			func(o *stack.Options, v string) error { o.Provider = v; return nil },
		},
		{
			"provider-url", "REPLYONCE_PROVIDER_URL", "", "address of the model provider, if it has one",
			func(o *stack.Options, v string) error { o.ProviderURL = v; return nil },
		},
		{
			"model", "REPLYONCE_MODEL", "", "model of new tasks; empty is the provider's own",
			func(o *stack.Options, v string) error { o.Model = v; return nil },
		},
		{
			"max-output-tokens", "REPLYONCE_MAX_OUTPUT_TOKENS", "", "longest answer in tokens; empty is as the provider's adapter says",
			func(o *stack.Options, v string) error { o.MaxOutputTokens = v; return nil },
		},
		{
			"max-input-tokens", "REPLYONCE_MAX_INPUT_TOKENS", "", "longest prompt that is sent, in tokens by estimate; empty is no limit",
			func(o *stack.Options, v string) error { o.MaxInputTokens = v; return nil },
		},
		{
			"provider-secret", "REPLYONCE_PROVIDER_SECRET", "", "secret with the provider's key, at an AWS endpoint that has Secrets Manager",
			func(o *stack.Options, v string) error { o.ProviderSecret = v; return nil },
		},
		{
			"on-unknown", "REPLYONCE_ON_UNKNOWN", "retry", "after a call whose end nobody saw: retry or stop",
			func(o *stack.Options, v string) error { o.OnUnknown = v; return nil },
		},
		{
			"on-unknown-allowed", "REPLYONCE_ON_UNKNOWN_ALLOWED", "", "what a request may ask for instead; empty is the default and stop",
			func(o *stack.Options, v string) error { o.OnUnknownAllowed = v; return nil },
		},
		{
			"prices", "REPLYONCE_PRICES", "", "JSON with the price of each model for a million tokens, in millionths of the currency",
			func(o *stack.Options, v string) error { o.Prices = v; return nil },
		},
		{
			"currency", "REPLYONCE_CURRENCY", "", "of the prices, such as EUR; empty is USD",
			func(o *stack.Options, v string) error { o.Currency = v; return nil },
		},
		{
			"money-limit", "REPLYONCE_MONEY_LIMIT", "", "what a task may cost, in millionths of the currency; empty is no limit",
			func(o *stack.Options, v string) error { o.MoneyLimit = v; return nil },
		},
		{
			"attempts", "REPLYONCE_ATTEMPTS", "", "attempts of new tasks; empty is as the timers say",
			func(o *stack.Options, v string) error { o.Attempts = v; return nil },
		},
		{
			"calls", "REPLYONCE_CALLS", "", "calls of the model provider for each new task; empty is as the timers say",
			func(o *stack.Options, v string) error { o.Calls = v; return nil },
		},
		{
			"deadline", "REPLYONCE_DEADLINE", "", "time in which a new task ends, such as 90s; empty is as the timers say",
			func(o *stack.Options, v string) error { o.Deadline = v; return nil },
		},
		{
			"log-level", "REPLYONCE_LOG_LEVEL", "info", "of functions.log in the data folder: debug, info, warn or error",
			func(o *stack.Options, v string) error { o.LogLevel = v; return nil },
		},
		{
			"workers", "REPLYONCE_WORKERS", "2", "worker processes",
			func(o *stack.Options, v string) (err error) { o.Workers, err = number(v, 1, maxWorkers); return err },
		},
		{
			"apis", "REPLYONCE_APIS", "2", "api processes: requests at a time",
			func(o *stack.Options, v string) (err error) { o.APIs, err = number(v, 1, maxWorkers); return err },
		},
		{
			"stage-in-path", "REPLYONCE_STAGE_IN_PATH", "false", "serve below /prod/, as a deployment without a domain of its own",
			func(o *stack.Options, v string) (err error) { o.StageInPath, err = boolean(v); return err },
		},
		{
			"binaries", "REPLYONCE_BINARIES", "", "folder of built programs; empty builds them from the source around the working directory",
			func(o *stack.Options, v string) error { o.Binaries = v; return nil },
		},
		{
			"endpoint", "AWS_ENDPOINT_URL", "", "another AWS endpoint than the built-in store, such as LocalStack",
			func(o *stack.Options, v string) error { o.Endpoint = v; return nil },
		},
	}
}

// parse reads flags, then variables, then defaults. An error says which setting is wrong and how.
func parse(args []string, getenv func(string) string, errOut io.Writer) (stack.Options, error) {
	flags := flag.NewFlagSet("replyonce-local", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Usage = func() {
		fmt.Fprint(errOut, usage)
		flags.PrintDefaults()
	}
	all := settings()
	values := make([]*string, len(all))
	for i, s := range all {
		value := s.fallback
		if given := getenv(s.variable); given != "" {
			value = given
		}
		values[i] = flags.String(s.flag, value, s.help+" ("+s.variable+")")
	}
	if err := flags.Parse(args); err != nil {
		return stack.Options{}, fmt.Errorf("read flags: %w", err)
	}
	if flags.NArg() > 0 {
		return stack.Options{}, fmt.Errorf("%q is not understood: see -help", flags.Arg(0))
	}
	o := stack.Options{ProviderKey: runtimeconfig.Hidden(getenv(keyVariable)), Env: handedOn(getenv)}
	var wrong []error
	for i, s := range all {
		if err := s.set(&o, *values[i]); err != nil {
			wrong = append(wrong, fmt.Errorf("-%s or %s is %q: %w", s.flag, s.variable, *values[i], err))
		}
	}
	return o, errors.Join(wrong...)
}

// handedOn are settings that the functions read themselves and no others here
// have. Those of OpenTelemetry: without OTEL_EXPORTER_OTLP_ENDPOINT spans are lines
// of functions.log. The allowed origin has effect on the answers of the api function.
func handedOn(getenv func(string) string) map[string]string {
	given := map[string]string{}
	for _, name := range append(tracing.Variables(), "REPLYONCE_CALLER_RATE", "REPLYONCE_ALLOWED_ORIGIN") {
		if value := getenv(name); value != "" {
			given[name] = value
		}
	}
	return given
}

func number(text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("set it to a number from %d to %d", low, high)
	}
	return n, nil
}

func boolean(text string) (bool, error) {
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, errors.New("set it to true or false")
	}
	return value, nil
}

func checkAddress(text string) error {
	if text == "localhost" || net.ParseIP(text) != nil {
		return nil
	}
	return errors.New("set it to an IP address of this machine, such as 127.0.0.1 or 0.0.0.0")
}

// defaultData is below the user's cache folder; without one nothing is kept.
func defaultData() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "replyonce")
}
