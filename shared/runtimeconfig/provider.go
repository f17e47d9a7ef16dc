package runtimeconfig

import (
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Names of the model providers.
const (
	ProviderBuiltin          = "builtin"           // answers from the document, needs no network
	ProviderScripted         = "scripted"          // a server for demonstrations and drills
	ProviderOpenAI           = "openai"            // OpenAI's Responses API, in background mode
	ProviderOpenAICompatible = "openai-compatible" // any server with Chat Completions, such as Ollama and vLLM
	ProviderAnthropic        = "anthropic"         // Anthropic's Messages API
	ProviderBedrock          = "bedrock"           // Amazon Bedrock's Converse
)

// need says whether a provider takes a setting.
type need int

const (
	unused need = iota
	optional
	required
)

// providerNeeds are the settings of one provider.
type providerNeeds struct {
	name            string
	url, model, key need
}

// providers in the order in which they are listed to a reader.
var providers = []providerNeeds{
	{name: ProviderBuiltin, model: optional},
	{name: ProviderScripted, url: required, model: optional},
	{name: ProviderOpenAI, url: optional, model: required, key: required},
	{name: ProviderOpenAICompatible, url: required, model: required, key: optional},
	{name: ProviderAnthropic, url: optional, model: required, key: required},
	{name: ProviderBedrock, url: optional, model: required},
}

// Providers lists the names of all model providers.
func Providers() []string {
	names := make([]string, 0, len(providers))
	for _, p := range providers {
		names = append(names, p.name)
	}
	return names
}

// TakesKey reports whether a provider is asked with a key of its own. Bedrock is
// not: it is asked with the credentials of the function.
func TakesKey(provider string) bool {
	needs, known := needsOf(provider)
	return known && needs.key != unused
}

// Programs of the worker. Some adapters are built on the providers' own SDKs, which
// add up to a megabyte each to what Lambda loads at a cold start: what is deployed
// has the one that it needs.
const (
	workerProgram          = "worker"
	workerProgramOpenAI    = "worker-openai"
	workerProgramAnthropic = "worker-anthropic"
	workerProgramBedrock   = "worker-bedrock"
)

// WorkerPrograms lists the programs that the worker is built as, each a folder of
// what make build makes.
func WorkerPrograms() []string {
	return []string{workerProgram, workerProgramOpenAI, workerProgramAnthropic, workerProgramBedrock}
}

// WorkerProgram is the one of [WorkerPrograms] that asks a provider.
func WorkerProgram(provider string) string {
	switch provider {
	case ProviderOpenAI:
		return workerProgramOpenAI
	case ProviderAnthropic:
		return workerProgramAnthropic
	case ProviderBedrock:
		return workerProgramBedrock
	default:
		return workerProgram
	}
}

func needsOf(provider string) (providerNeeds, bool) {
	at := slices.IndexFunc(providers, func(p providerNeeds) bool { return p.name == provider })
	if at < 0 {
		return providerNeeds{}, false
	}
	return providers[at], true
}

// Hidden is a value that must not be seen: printing, logging and encoding it as
// text show that it is there, and no more.
type Hidden string

const hiddenText = "[hidden]"

// Reveal returns the value itself.
func (h Hidden) Reveal() string { return string(h) }

// String hides the value.
func (h Hidden) String() string {
	if h == "" {
		return ""
	}
	return hiddenText
}

// GoString hides the value from %#v, too.
func (h Hidden) GoString() string { return strconv.Quote(h.String()) }

// LogValue hides the value from logs.
func (h Hidden) LogValue() slog.Value { return slog.StringValue(h.String()) }

// MarshalText hides the value from JSON and other encodings.
func (h Hidden) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// ProviderConfig says which model provider is asked, where and with what.
type ProviderConfig struct {
	Provider    string // one of the Provider constants
	ProviderURL string // empty: the provider's own address
	Model       string // empty: the provider's own

	// Limits of one call, in tokens; zero leaves them to the adapter.
	MaxOutputTokens int
	MaxInputTokens  int

	// Where the key is, if the provider takes one; at most one of them is set.
	ProviderKey    Hidden // the key itself, on one machine only
	ProviderSecret string // ARN or name of a secret in AWS Secrets Manager
}

func (raw providerVariables) read(local bool, p *problems) ProviderConfig {
	c := ProviderConfig{
		Provider: raw.Provider, ProviderURL: raw.ProviderURL, Model: raw.Model,
		MaxOutputTokens: readCount("MAX_OUTPUT_TOKENS", raw.MaxOutputTokens, 0, p),
		MaxInputTokens:  readCount("MAX_INPUT_TOKENS", raw.MaxInputTokens, 0, p),
		ProviderKey:     Hidden(raw.ProviderKey), ProviderSecret: raw.ProviderSecret,
	}
	needs, known := needsOf(c.Provider)
	if !known {
		names := Providers()
		last := len(names) - 1
		p.add("PROVIDER", "is %q. Set it to %s or %s.", c.Provider, strings.Join(names[:last], ", "), names[last])
		return c
	}
	if c.Provider == ProviderBedrock && local {
		// The AWS of one machine is an emulator, and it has no Bedrock.
		needs.url = required
	}
	c.checkURL(needs, p)
	if needs.model == required && c.Model == "" {
		p.add("MODEL", "is not set. Set it to the name of a model: the provider %s has none of its own.", c.Provider)
	}
	c.checkKey(needs, local, p)
	return c
}

func (c ProviderConfig) checkURL(needs providerNeeds, p *problems) {
	switch {
	case c.ProviderURL == "" && needs.url == required:
		p.add("PROVIDER_URL", "is not set. Set it to the URL at which the provider %s is reached from here.", c.Provider)
	case c.ProviderURL != "" && needs.url == unused:
		p.add("PROVIDER_URL", "is set, but the provider %s has no address. Set REPLYONCE_PROVIDER to the one that is meant, or leave this out.", c.Provider)
	case c.ProviderURL != "":
		p.providerURL(c.ProviderURL)
	}
}

// providerURL quotes no address that may hold credentials.
func (p *problems) providerURL(text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		p.add("PROVIDER_URL", "is no plain URL. Set it to an absolute http or https URL without user, password, query and fragment.")
	case !isWeb(u):
		p.add("PROVIDER_URL", "is %q. Set it to an absolute http or https URL.", text)
	}
}

func (c ProviderConfig) checkKey(needs providerNeeds, local bool, p *problems) {
	given, other := "PROVIDER_KEY", "PROVIDER_SECRET"
	if c.ProviderSecret != "" {
		given, other = other, given
	}
	hasKey, hasSecret := c.ProviderKey != "", c.ProviderSecret != ""
	switch {
	case needs.key == unused && (hasKey || hasSecret):
		p.add(given, "is set, but the provider %s takes no key. Set REPLYONCE_PROVIDER to the one that is meant, or leave this out.", c.Provider)
	case hasKey && hasSecret:
		p.add(given, "is set, and so is %s%s. Leave one of them out.", prefix, other)
	case hasKey && !local:
		p.add("PROVIDER_KEY", "is set, but variables of a deployed function can be read by many. "+
			"Put the key into AWS Secrets Manager and set REPLYONCE_PROVIDER_SECRET to the secret's ARN.")
	case needs.key == required && !hasKey && !hasSecret && local:
		p.add("PROVIDER_KEY", "is not set. Set it to your key for the provider %s.", c.Provider)
	case needs.key == required && !hasKey && !hasSecret:
		p.add("PROVIDER_SECRET", "is not set. Set it to the ARN or the name of the secret with the key for the provider %s.", c.Provider)
	}
}
