package stack

import (
	"path/filepath"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Architectures that functions can be built for.
const (
	ARM64 = "arm64"
	X86   = "x86_64"
)

// Options say what to deploy. [ReadOptions] makes them from CDK context, and
// fills in defaults.
type Options struct {
	Stage Stage

	// Timers are those that the functions have: their profile with what is set here.
	Timers worktask.Timers
	// Attempts, Calls and Deadline are the budget of new tasks, as in
	// REPLYONCE_ATTEMPTS and so on; empty: the profile's.
	Attempts, Calls, Deadline string

	Provider    string // model provider, as in REPLYONCE_PROVIDER
	ProviderURL string // of a provider that is reached by a URL
	Model       string // empty: the provider's own; with Bedrock, the worker may ask no other
	// MaxOutputTokens and MaxInputTokens limit a call, as in REPLYONCE_MAX_OUTPUT_TOKENS
	// and so on; empty: as the provider's adapter says.
	MaxOutputTokens, MaxInputTokens string
	OnUnknown                       string // retry or stop
	OnUnknownAllowed                string // what a request may ask for, with commas
	// Prices, Currency and MoneyLimit are as in REPLYONCE_PRICES and so on; empty:
	// nothing is priced.
	Prices, Currency, MoneyLimit string
	LogLevel                     string

	Traces Traces

	// Issuer is who signs users in; nil: a user pool of the stack's own.
	Issuer *Issuer
	// AllowedOrigin is the origin of a page elsewhere, or "*". The stack's own
	// page needs none. Nothing here works by cookies.
	AllowedOrigin string
	// CallerRate is how fast one caller may send, as in REPLYONCE_CALLER_RATE; empty:
	// as the function says.
	CallerRate string
	// Domain is a domain name of one's own; nil: the address that API Gateway gives.
	Domain *Domain

	// Concurrency is how many batches the worker works on at a time at most, 2 to 1000.
	Concurrency int
	// LogRetentionDays is how long logs are kept.
	LogRetentionDays int
	// AlarmAddress is an email address that alarms are sent to; empty: none.
	AlarmAddress string

	// Architecture of the functions: ARM64 or X86.
	Architecture string
	// Functions is the folder with the built programs, <program>/bootstrap: one for each
	// function, and of the worker several.
	Functions string
}

// Issuer is an OpenID Connect provider that is there already.
type Issuer struct {
	URL                   string // exactly as in the claim iss
	Audience              string // the client id of the page, as in the claim aud
	WorkspaceClaim        string
	AuthorizationEndpoint string
	TokenEndpoint         string
	EndSessionEndpoint    string // optional
	Scope                 string
}

// Domain is a name with its certificate, both made by the team that owns them.
type Domain struct {
	Name           string
	CertificateARN string // in the region of the stack
}

// Name is the name of the stack, and the beginning of the names of alarms and dashboard.
func (o Options) Name() string { return "replyonce-" + o.Stage.Name }

// MetricsNamespace keeps the metrics of stages apart that share an account.
func (o Options) MetricsNamespace() string { return telemetry.DefaultNamespace + "/" + o.Stage.Name }

// functionsFolder is where make puts the functions that are built for an
// architecture, below the module's folder.
func functionsFolder(root, architecture string) string {
	return filepath.Join(root, "dist", architecture)
}
