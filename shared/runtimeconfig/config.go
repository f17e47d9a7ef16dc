package runtimeconfig

import (
	"log/slog"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/replyonce/replyonce/shared/worktask"
)

// prefix begins the names of all variables of ours.
const prefix = "REPLYONCE_"

// localDispatchEvery is the dispatcher's period on one machine, where no
// schedule sets a least period of a minute.
const localDispatchEvery = 10 * time.Second

// Common is what every function has.
type Common struct {
	Timers   worktask.Timers // checked as a chain
	LogLevel slog.Level
	Local    bool // one-machine stack

	MetricsNamespace string // empty: that of telemetry
}

// APIConfig is the section of the api function.
type APIConfig struct {
	Common
	Table    string
	QueueURL string
	// IndexQueueURL takes index tasks; empty: every version is read whole.
	IndexQueueURL string
	Bucket        string
	// UploadEndpoint is where browsers reach the bucket; empty: where S3 is.
	UploadEndpoint string
	OnUnknown      worktask.UnknownPolicy // of new tasks that name none
	// OnUnknownAllowed is what a request may name; OnUnknown is among it.
	OnUnknownAllowed []worktask.UnknownPolicy
	Model            string // of new tasks; empty: the provider's own
	SpendConfig
	Money         worktask.Money // of new tasks; the zero value counts none
	AllowedOrigin string         // of the page, or "*"
	SignIn        SignIn
	// CallerRate is how many reads a second one caller may send to one instance for
	// long; what creates something counts as ten. Zero: there is no limit.
	CallerRate int
}

// WorkerConfig is the section of the worker function.
type WorkerConfig struct {
	Common
	ProviderConfig
	SpendConfig
	Table    string
	QueueURL string
	Bucket   string
}

// IndexerConfig is the section of the indexer function.
type IndexerConfig struct {
	Common
	Table    string
	QueueURL string // of index tasks
	Bucket   string
}

// DispatcherConfig is the section of the dispatcher function.
type DispatcherConfig struct {
	Common
	Table              string
	QueueURL           string
	IndexQueueURL      string // empty: there are no index tasks
	DeadLetterQueueURL string // empty: dead letters are not looked at
}

// AuthorizerConfig is the section of the authorizer function.
type AuthorizerConfig struct {
	Common
	Issuer         string
	Audience       string
	WorkspaceClaim string
}

// API reads the section of the api function from an environment as
// [Environment] gives it. Its errors are *ConfigError, as those of the others.
func API(environment map[string]string) (APIConfig, error) {
	raw, p := parse[apiVariables](environment)
	c := APIConfig{
		Common: raw.Common.read(&p), Table: raw.Table, QueueURL: raw.QueueURL, IndexQueueURL: raw.IndexQueueURL, Bucket: raw.Bucket,
		UploadEndpoint: raw.UploadEndpoint,
		OnUnknown:      readPolicy(raw.OnUnknown, &p), Model: raw.Model,
		AllowedOrigin: readOrigin(raw.AllowedOrigin, &p),
	}
	c.SpendConfig = raw.Spend.read(&p)
	c.Money = c.money(c.Model, readCount("MAX_INPUT_TOKENS", raw.MaxInputTokens, 0, &p),
		readCount("MAX_OUTPUT_TOKENS", raw.MaxOutputTokens, 0, &p), &p)
	c.OnUnknownAllowed = readPolicies(raw.OnUnknownAllowed, c.OnUnknown, &p)
	p.url("QUEUE_URL", raw.QueueURL)
	p.url("INDEX_QUEUE_URL", raw.IndexQueueURL)
	p.url("UPLOAD_ENDPOINT", raw.UploadEndpoint)
	c.SignIn = readSignIn(raw.SignIn, c.Local, &p)
	c.CallerRate = readRate(raw.CallerRate, &p)
	return c, p.errorFor("api")
}

// Worker reads the section of the worker function.
func Worker(environment map[string]string) (WorkerConfig, error) {
	raw, p := parse[workerVariables](environment)
	c := WorkerConfig{Common: raw.Common.read(&p), Table: raw.Table, QueueURL: raw.QueueURL, Bucket: raw.Bucket}
	c.ProviderConfig = raw.Provider.read(c.Local, &p)
	c.SpendConfig = raw.Spend.read(&p)
	p.url("QUEUE_URL", raw.QueueURL)
	return c, p.errorFor("worker")
}

// Indexer reads the section of the indexer function.
func Indexer(environment map[string]string) (IndexerConfig, error) {
	raw, p := parse[indexerVariables](environment)
	c := IndexerConfig{Common: raw.Common.read(&p), Table: raw.Table, QueueURL: raw.QueueURL, Bucket: raw.Bucket}
	p.url("INDEX_QUEUE_URL", raw.QueueURL)
	return c, p.errorFor("indexer")
}

// Dispatcher reads the section of the dispatcher function.
func Dispatcher(environment map[string]string) (DispatcherConfig, error) {
	raw, p := parse[dispatcherVariables](environment)
	c := DispatcherConfig{
		Common: raw.Common.read(&p), Table: raw.Table, QueueURL: raw.QueueURL, IndexQueueURL: raw.IndexQueueURL, DeadLetterQueueURL: raw.DeadLetterQueueURL,
	}
	p.url("QUEUE_URL", raw.QueueURL)
	p.url("INDEX_QUEUE_URL", raw.IndexQueueURL)
	p.url("DEAD_LETTER_QUEUE_URL", raw.DeadLetterQueueURL)
	return c, p.errorFor("dispatcher")
}

// Authorizer reads the section of the authorizer function.
func Authorizer(environment map[string]string) (AuthorizerConfig, error) {
	raw, p := parse[authorizerVariables](environment)
	c := AuthorizerConfig{
		Common: raw.Common.read(&p), Issuer: raw.Issuer, Audience: raw.Audience, WorkspaceClaim: raw.WorkspaceClaim,
	}
	p.url("ISSUER", raw.Issuer)
	return c, p.errorFor("authorizer")
}

// Environment turns the lines of os.Environ into a map.
func Environment(lines []string) map[string]string { return env.ToMap(lines) }

func parse[T any](environment map[string]string) (T, problems) {
	raw, err := env.ParseAsWithOptions[T](env.Options{Environment: environment, Prefix: prefix})
	var p problems
	p.missing(err)
	return raw, p
}

func (p *problems) errorFor(function string) error {
	if len(*p) == 0 {
		return nil
	}
	return &ConfigError{Function: function, Problems: *p}
}
