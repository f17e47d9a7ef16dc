package runtimeconfig

// The variables of each function by name, all as texts; see [problems.missing].
// A field without "required" has a meaning when it is not set.

type commonVariables struct {
	Profile  string `env:"PROFILE"    envDefault:"default"`
	Attempts string `env:"ATTEMPTS"`
	Calls    string `env:"CALLS"`
	Deadline string `env:"DEADLINE"`
	LogLevel string `env:"LOG_LEVEL"  envDefault:"info"`
	Local    string `env:"LOCAL"`

	MetricsNamespace string `env:"METRICS_NAMESPACE"`
}

type apiVariables struct {
	Common           commonVariables
	Table            string `env:"TABLE,required,notEmpty"`
	QueueURL         string `env:"QUEUE_URL,required,notEmpty"`
	IndexQueueURL    string `env:"INDEX_QUEUE_URL"`
	Bucket           string `env:"BUCKET,required,notEmpty"`
	UploadEndpoint   string `env:"UPLOAD_ENDPOINT"`
	OnUnknown        string `env:"ON_UNKNOWN"     envDefault:"retry"`
	OnUnknownAllowed string `env:"ON_UNKNOWN_ALLOWED"`
	Model            string `env:"MODEL"`
	AllowedOrigin    string `env:"ALLOWED_ORIGIN" envDefault:"*"`
	SignIn           string `env:"SIGN_IN"`
	CallerRate       string `env:"CALLER_RATE" envDefault:"40"`
	// What a call costs at most depends on its longest prompt and answer.
	Spend           spendVariables
	MaxOutputTokens string `env:"MAX_OUTPUT_TOKENS"`
	MaxInputTokens  string `env:"MAX_INPUT_TOKENS"`
}

type workerVariables struct {
	Common   commonVariables
	Provider providerVariables
	Table    string `env:"TABLE,required,notEmpty"`
	QueueURL string `env:"QUEUE_URL,required,notEmpty"`
	Bucket   string `env:"BUCKET,required,notEmpty"`
	Spend    spendVariables
}

type providerVariables struct {
	Provider        string `env:"PROVIDER"          envDefault:"builtin"`
	ProviderURL     string `env:"PROVIDER_URL"`
	Model           string `env:"MODEL"`
	MaxOutputTokens string `env:"MAX_OUTPUT_TOKENS"`
	MaxInputTokens  string `env:"MAX_INPUT_TOKENS"`
	ProviderKey     string `env:"PROVIDER_KEY"`
	ProviderSecret  string `env:"PROVIDER_SECRET"`
}

type indexerVariables struct {
	Common   commonVariables
	Table    string `env:"TABLE,required,notEmpty"`
	QueueURL string `env:"INDEX_QUEUE_URL,required,notEmpty"`
	Bucket   string `env:"BUCKET,required,notEmpty"`
}

type dispatcherVariables struct {
	Common             commonVariables
	Table              string `env:"TABLE,required,notEmpty"`
	QueueURL           string `env:"QUEUE_URL,required,notEmpty"`
	IndexQueueURL      string `env:"INDEX_QUEUE_URL"`
	DeadLetterQueueURL string `env:"DEAD_LETTER_QUEUE_URL"`
}

type authorizerVariables struct {
	Common         commonVariables
	Issuer         string `env:"ISSUER,required,notEmpty"`
	Audience       string `env:"AUDIENCE,required,notEmpty"`
	WorkspaceClaim string `env:"WORKSPACE_CLAIM" envDefault:"workspace"`
}
