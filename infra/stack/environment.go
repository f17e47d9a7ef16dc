package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Names of the functions: of their folder, their binary and their log lines.
const (
	API        = "api"
	Authorizer = "authorizer"
	Worker     = "worker"
	Dispatcher = "dispatcher"
	Indexer    = "indexer"
)

// profile is the timer profile of a deployment. The other one is for one
// machine: no schedule ticks every second.
const profile = "default"

// wiring is what the functions must be told of the stack's resources. At
// synthesis most of it is tokens, which CloudFormation replaces.
type wiring struct {
	table          string
	queueURL       string
	indexQueueURL  string
	deadLettersURL string
	bucket         string
	signIn         signIn
	providerSecret string // ARN
}

// environment has the variables of a function.
func (o Options) environment(function string, w wiring) (map[string]string, error) {
	// The api function writes the budget on new tasks. All check the same timers.
	env := map[string]string{
		"PROFILE": profile, "ATTEMPTS": o.Attempts, "CALLS": o.Calls, "DEADLINE": o.Deadline, "LOG_LEVEL": o.LogLevel,
		"METRICS_NAMESPACE": o.MetricsNamespace(),
	}
	switch function {
	case API:
		settings, err := json.Marshal(w.signIn.page)
		if err != nil {
			return nil, fmt.Errorf("write sign-in settings: %w", err)
		}
		maps.Copy(env, map[string]string{
			"TABLE": w.table, "QUEUE_URL": w.queueURL, "INDEX_QUEUE_URL": w.indexQueueURL, "BUCKET": w.bucket,
			"ON_UNKNOWN": o.OnUnknown, "ON_UNKNOWN_ALLOWED": o.OnUnknownAllowed, "MODEL": o.Model,
			"ALLOWED_ORIGIN": o.AllowedOrigin, "SIGN_IN": string(settings), "CALLER_RATE": o.CallerRate,
		})
		maps.Copy(env, o.money())
	case Worker:
		maps.Copy(env, map[string]string{
			"TABLE": w.table, "QUEUE_URL": w.queueURL, "BUCKET": w.bucket,
			"PROVIDER": o.Provider, "PROVIDER_URL": o.ProviderURL, "MODEL": o.Model,
			"MAX_OUTPUT_TOKENS": o.MaxOutputTokens, "MAX_INPUT_TOKENS": o.MaxInputTokens,
		})
		maps.Copy(env, o.money())
		if runtimeconfig.TakesKey(o.Provider) {
			// Where the key is, never the key itself.
			env["PROVIDER_SECRET"] = w.providerSecret
		}
	case Dispatcher:
		maps.Copy(env, map[string]string{
			"TABLE": w.table, "QUEUE_URL": w.queueURL, "INDEX_QUEUE_URL": w.indexQueueURL, "DEAD_LETTER_QUEUE_URL": w.deadLettersURL,
		})
	case Indexer:
		maps.Copy(env, map[string]string{"TABLE": w.table, "INDEX_QUEUE_URL": w.indexQueueURL, "BUCKET": w.bucket})
	case Authorizer:
		maps.Copy(env, map[string]string{
			"ISSUER": w.signIn.issuer, "AUDIENCE": w.signIn.audience, "WORKSPACE_CLAIM": w.signIn.workspaceClaim,
		})
	}
	named := make(map[string]string, len(env))
	for name, value := range env {
		if value != "" {
			named["REPLYONCE_"+name] = value
		}
	}
	if function != Authorizer { // which makes no spans
		maps.Copy(named, o.Traces.environment())
	}
	return named, nil
}

// example stands for resources that do not exist yet.
var example = wiring{ //nolint:gosec // the secret's address, not the secret
	table: "table", queueURL: "https://sqs.eu-west-1.amazonaws.com/111122223333/queue", bucket: "bucket",
	indexQueueURL:  "https://sqs.eu-west-1.amazonaws.com/111122223333/index-queue",
	deadLettersURL: "https://sqs.eu-west-1.amazonaws.com/111122223333/dead-letters",
	providerSecret: "arn:aws:secretsmanager:eu-west-1:111122223333:secret:keys-AbCdEf",
	signIn: signIn{
		issuer: "https://issuer.example.com", audience: "client", workspaceClaim: "workspace",
		page: runtimeconfig.SignIn{ //nolint:gosec // the token endpoint is an address
			Kind: runtimeconfig.SignInOIDC, AuthorizationEndpoint: "https://issuer.example.com/authorize",
			TokenEndpoint: "https://issuer.example.com/token", ClientID: "client", Scope: "openid",
		},
	},
}

// money are the variables of prices and of the limit. What a call costs at most
// follows from its longest prompt and answer, so whoever has the limit has these.
func (o Options) money() map[string]string {
	env := map[string]string{"PRICES": o.Prices, "CURRENCY": o.Currency, "MONEY_LIMIT": o.MoneyLimit}
	if o.MoneyLimit != "" {
		env["MAX_OUTPUT_TOKENS"], env["MAX_INPUT_TOKENS"] = o.MaxOutputTokens, o.MaxInputTokens
	}
	return env
}

// optionOf names the option that a variable comes from.
var optionOf = map[string]string{
	"REPLYONCE_PROVIDER": "provider", "REPLYONCE_PROVIDER_URL": "providerUrl", "REPLYONCE_MODEL": "model",
	"REPLYONCE_MAX_OUTPUT_TOKENS": "maxOutputTokens", "REPLYONCE_MAX_INPUT_TOKENS": "maxInputTokens",
	"REPLYONCE_PRICES": "prices", "REPLYONCE_CURRENCY": "currency", "REPLYONCE_MONEY_LIMIT": "moneyLimit",
	"REPLYONCE_ON_UNKNOWN_ALLOWED": "onUnknownAllowed",
	"REPLYONCE_ON_UNKNOWN":         "onUnknown", "REPLYONCE_ATTEMPTS": "attempts", "REPLYONCE_CALLS": "calls", "REPLYONCE_DEADLINE": "deadline",
	"REPLYONCE_LOG_LEVEL": "logLevel", "REPLYONCE_ALLOWED_ORIGIN": "allowedOrigin", "REPLYONCE_CALLER_RATE": "callerRate",
	"REPLYONCE_ISSUER": "issuer", "REPLYONCE_AUDIENCE": "audience", "REPLYONCE_WORKSPACE_CLAIM": "workspaceClaim",
}

// checkEnvironment lets the functions' own reader judge the environment that
// they would get: an option that a function would refuse at its start is refused
// before anything is deployed. It returns the timers that the functions will
// have, and what is wrong.
func (o Options) checkEnvironment(w wiring) (worktask.Timers, []string) {
	var timers worktask.Timers
	var problems []string
	for _, function := range []string{API, Authorizer, Worker, Dispatcher, Indexer} {
		env, err := o.environment(function, w)
		if err == nil {
			var common runtimeconfig.Common
			common, err = readBack(function, env)
			timers = common.Timers
		}
		problems = append(problems, explain(err)...)
	}
	slices.Sort(problems) // several functions have a variable in common
	return timers, slices.Compact(problems)
}

// explain tells what is wrong with an environment in terms of options.
func explain(err error) []string {
	if err == nil {
		return nil
	}
	refused, ok := errors.AsType[*runtimeconfig.ConfigError](err)
	if !ok {
		return []string{err.Error()}
	}
	var lines []string
	for _, p := range refused.Problems {
		name := optionOf[p.Variable]
		if name == "" {
			name = p.Variable
		}
		lines = append(lines, name+": "+p.Detail)
	}
	return lines
}

// readBack reads an environment as the function does at its start.
func readBack(function string, env map[string]string) (runtimeconfig.Common, error) {
	switch function {
	case API:
		c, err := runtimeconfig.API(env)
		return c.Common, err
	case Authorizer:
		c, err := runtimeconfig.Authorizer(env)
		return c.Common, err
	case Worker:
		c, err := runtimeconfig.Worker(env)
		return c.Common, err
	case Indexer:
		c, err := runtimeconfig.Indexer(env)
		return c.Common, err
	default:
		c, err := runtimeconfig.Dispatcher(env)
		return c.Common, err
	}
}
