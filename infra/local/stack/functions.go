package stack

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/infra/stack/extract"
)

// Audience is what tokens of the stack's issuer are made for.
const Audience = "replyonce-local"

// WorkspaceClaim is the claim of those tokens that names the workspace.
const WorkspaceClaim = "workspace"

// functions are all functions and their processes.
type functions struct {
	server     *lambdaruntime.Server
	supervisor *supervisor.Supervisor
	like       map[string]extract.Function

	api, authorizer, worker, indexer, dispatcher *lambdaruntime.Function
}

// newFunctions makes the functions. Requests for them wait until start has brought up their processes.
func newFunctions(ctx context.Context, like map[string]extract.Function, region string, observe func(supervisor.Line)) (*functions, error) {
	server, err := lambdaruntime.Listen(ctx)
	if err != nil {
		return nil, fmt.Errorf("start the functions: %w", err)
	}
	f := &functions{server: server, supervisor: supervisor.New(observe), like: like}
	f.api = f.function("api", region)
	f.authorizer = f.function("authorizer", region)
	f.worker = f.function("worker", region)
	f.indexer = f.function("indexer", region)
	f.dispatcher = f.function("dispatcher", region)
	return f, nil
}

// start starts all processes and waits until each has asked for work.
func (f *functions) start(ctx context.Context, o Options, dir string, b *backend, origin string) error {
	shared := environment(o, b, origin)
	var started []*supervisor.Process
	for _, group := range []struct {
		function *lambdaruntime.Function
		count    int
	}{{f.authorizer, 1}, {f.api, o.APIs}, {f.worker, o.Workers}, {f.indexer, o.Indexers}, {f.dispatcher, 1}} {
		name := group.function.Settings().Name
		env := shared
		if group.function == f.worker {
			env = withProvider(shared, o)
		}
		for i := range group.count {
			started = append(started, f.supervisor.Start(supervisor.Spec{
				Name: name + "-" + strconv.Itoa(i+1), Path: binaries.Path(dir, name),
				Function: group.function, FreezeIdle: !o.RunIdle,
				Env: processEnv(env, name, i+1, f.like[name].MemoryMB, b.direct.Region),
			}))
		}
	}
	for _, p := range started {
		if err := p.Ready(ctx); err != nil {
			return fmt.Errorf("start the functions: %w", err)
		}
	}
	return nil
}

func (f *functions) function(name, region string) *lambdaruntime.Function {
	return f.server.NewFunction(lambdaruntime.Settings{
		Name:    name,
		ARN:     fmt.Sprintf("arn:aws:lambda:%s:%s:function:%s", region, accountID, name),
		Timeout: time.Duration(f.like[name].TimeoutSeconds) * time.Second,
	})
}

// environment has the variables that are the same for all functions. What is "" is left out, so that the
// functions' own defaults hold.
func environment(o Options, b *backend, origin string) map[string]string {
	env := map[string]string{
		"REPLYONCE_TABLE":           Table,
		"REPLYONCE_QUEUE_URL":       b.created.QueueURL,
		"REPLYONCE_INDEX_QUEUE_URL": b.created.IndexQueueURL,
		"REPLYONCE_BUCKET":          Bucket,
		"REPLYONCE_MODEL":           o.Model,
		"REPLYONCE_ON_UNKNOWN":      o.OnUnknown,
		"REPLYONCE_PRICES":          o.Prices,
		"REPLYONCE_CURRENCY":        o.Currency,
		"REPLYONCE_MONEY_LIMIT":     o.MoneyLimit,
		// The api needs these for the highest price of a call.
		"REPLYONCE_MAX_OUTPUT_TOKENS":  o.MaxOutputTokens,
		"REPLYONCE_MAX_INPUT_TOKENS":   o.MaxInputTokens,
		"REPLYONCE_ON_UNKNOWN_ALLOWED": o.OnUnknownAllowed,
		"REPLYONCE_LOG_LEVEL":          o.LogLevel,
		"REPLYONCE_ISSUER":             origin + issuerPath,
		"REPLYONCE_UPLOAD_ENDPOINT":    origin + objectsPath,
		"REPLYONCE_AUDIENCE":           Audience,
		"REPLYONCE_WORKSPACE_CLAIM":    WorkspaceClaim,
		"AWS_ENDPOINT_URL":             b.endpoint(),
		"PATH":                         os.Getenv("PATH"),
	}
	env["REPLYONCE_DEAD_LETTER_QUEUE_URL"] = b.created.DeadLetterQueueURL
	maps.Copy(env, givenVariables(o))
	maps.DeleteFunc(env, func(_, value string) bool { return value == "" })
	return env
}

// withProvider adds what only the worker is told: which provider it asks, and with which key.
func withProvider(shared map[string]string, o Options) map[string]string {
	env := map[string]string{
		"REPLYONCE_PROVIDER":        o.Provider,
		"REPLYONCE_PROVIDER_URL":    o.ProviderURL,
		"REPLYONCE_PROVIDER_KEY":    o.ProviderKey.Reveal(),
		"REPLYONCE_PROVIDER_SECRET": o.ProviderSecret,
	}
	maps.DeleteFunc(env, func(_, value string) bool { return value == "" })
	maps.Copy(env, shared)
	return env
}

// givenVariables are those of the timers, and the ones that the caller adds or puts in place of others.
func givenVariables(o Options) map[string]string {
	env := map[string]string{
		"REPLYONCE_LOCAL":    "1",
		"REPLYONCE_PROFILE":  o.Profile,
		"REPLYONCE_ATTEMPTS": o.Attempts,
		"REPLYONCE_CALLS":    o.Calls,
		"REPLYONCE_DEADLINE": o.Deadline,
	}
	maps.Copy(env, o.Env)
	return env
}

// functionSecret is what all functions sign with. The fault proxy signs anew for an
// endpoint that looks at signatures.
const functionSecret = "local"

// processEnv adds what Lambda defines for each environment. The access key id is the process's name: the
// fault proxy tells senders apart by it.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
func processEnv(shared map[string]string, function string, number, memoryMB int, region string) func(string) []string {
	process := function + "-" + strconv.Itoa(number)
	return func(runtimeAPI string) []string {
		env := maps.Clone(shared)
		maps.Copy(env, map[string]string{
			"AWS_LAMBDA_RUNTIME_API":          runtimeAPI,
			"AWS_LAMBDA_FUNCTION_NAME":        function,
			"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
			"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(memoryMB),
			"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/" + function,
			"AWS_LAMBDA_LOG_STREAM_NAME":      process,
			"AWS_REGION":                      region,
			"AWS_DEFAULT_REGION":              region,
			"AWS_ACCESS_KEY_ID":               process,
			"AWS_SECRET_ACCESS_KEY":           functionSecret,
			"_HANDLER":                        "bootstrap",
			"TZ":                              ":UTC",
		})
		list := make([]string, 0, len(env))
		for _, name := range slices.Sorted(maps.Keys(env)) {
			list = append(list, name+"="+env[name])
		}
		return list
	}
}

func (f *functions) close() {
	f.supervisor.Close()
	_ = f.server.Close() // all processes are gone
}
