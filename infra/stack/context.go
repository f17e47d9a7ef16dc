package stack

import (
	"fmt"
	"maps"
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Setting is an option as it is given on the command line, -c name=value, or in
// the context of cdk.json.
type Setting struct {
	Name    string
	Default string // empty: none, or as the meaning says
	Meaning string
}

// Settings lists all options.
func Settings() []Setting {
	usual := worktask.DefaultTimers()
	return []Setting{
		{"stage", "dev", "dev or prod"},
		{"provider", runtimeconfig.ProviderBuiltin, "model provider: " + strings.Join(runtimeconfig.Providers(), ", ")},
		{"providerUrl", "", "address of a provider that has one"},
		{"model", "", "model of new tasks; without it the provider's own"},
		{"maxOutputTokens", "", "longest answer in tokens; without it as the provider's adapter says"},
		{"maxInputTokens", "", "longest prompt that is sent, in tokens by estimate; without it as the worker says. Longer documents are cut down to passages"},
		{"onUnknown", string(worktask.RetryUnknown), "after a call whose end nobody saw: retry once, or stop"},
		{"onUnknownAllowed", "", "what a request may ask for instead, with commas; without it onUnknown and stop"},
		{"prices", "", "JSON with the price of each model for a million tokens, in millionths of the currency"},
		{"currency", "", "of the prices, such as EUR; without it USD"},
		{"moneyLimit", "", "what a task may cost, in millionths of the currency; it needs prices, maxInputTokens and maxOutputTokens"},
		{"attempts", "", fmt.Sprintf("attempts that a task has; without it %d", usual.Attempts)},
		{"calls", "", fmt.Sprintf("calls of the model provider that a task has, attempts or more; without it %d", usual.Calls)},
		{"deadline", "", fmt.Sprintf("time in which a task ends, such as 90s or 1h; without it %s", usual.TaskDeadline)},
		{"issuer", "", "OpenID Connect issuer that signs users in; without it the stack makes a user pool"},
		{"audience", "", "client id of the page at the issuer"},
		{"workspaceClaim", "workspace", "claim of the issuer's ID tokens that names the workspace"},
		{"authorizationEndpoint", "", "address of the issuer's sign-in page"},
		{"tokenEndpoint", "", "address where the page exchanges the code for tokens"},
		{"endSessionEndpoint", "", "address that ends the issuer's own session; optional"},
		{"scope", "openid email profile", "scope that the page asks the issuer for"},
		{"allowedOrigin", "*", "origin of a page elsewhere"},
		{"callerRate", "", "reads a second that one caller may send to one instance of the api, where creating counts as ten; 0 is no limit"},
		{"domainName", "", "domain name of one's own"},
		{"certificateArn", "", "its certificate in AWS Certificate Manager, in the region of the stack"},
		{"concurrency", "10", "batches that workers work on at a time, 2 to 1000"},
		{"retention", "", "days that logs are kept; without it as the stage says"},
		{"alarmAddress", "", "email address that alarms are sent to"},
		{"tracesEndpoint", "", "https address of a collector that takes OTLP over HTTP; without it spans are lines of the log"},
		{"tracesSecretArn", "", "whole ARN of a secret with the headers that the collector wants, as name=value,name=value"},
		{"tracesRatio", "1", "part of all tasks that is traced, 0 to 1"},
		{"architecture", ARM64, "arm64 or x86_64"},
		{"logLevel", "info", "debug, info, warn or error"},
	}
}

// OptionsError lists everything that is wrong with the options.
type OptionsError struct{ Problems []string }

func (e *OptionsError) Error() string {
	return "the options are not usable:\n  " + strings.Join(e.Problems, "\n  ")
}

// reader takes options out of a context and collects what is wrong with them.
type reader struct {
	given    map[string]any
	problems []string
}

// ReadOptions reads the options from the context of a CDK app. root is the
// module's folder. It looks at no file: whether the functions are built is
// checked by [New]. Its errors are [*OptionsError].
func ReadOptions(context map[string]any, root string) (Options, error) {
	r := &reader{given: context}
	r.refuseUnknown()
	o := Options{
		Stage:    r.stage(),
		Provider: r.text("provider"), ProviderURL: r.text("providerUrl"), Model: r.text("model"),
		MaxOutputTokens: r.text("maxOutputTokens"), MaxInputTokens: r.text("maxInputTokens"),
		OnUnknown: r.text("onUnknown"), OnUnknownAllowed: r.text("onUnknownAllowed"),
		Prices: r.text("prices"), Currency: r.text("currency"), MoneyLimit: r.text("moneyLimit"), LogLevel: r.text("logLevel"),
		Attempts: r.text("attempts"), Calls: r.text("calls"), Deadline: r.text("deadline"), Traces: r.traces(),
		Issuer: r.issuer(), AllowedOrigin: r.text("allowedOrigin"), CallerRate: r.text("callerRate"), Domain: r.domain(),
		Concurrency: r.number("concurrency", 2, 1000), AlarmAddress: r.address("alarmAddress"),
		Architecture: r.oneOf("architecture", ARM64, X86),
	}
	o.LogRetentionDays = r.retention(o.Stage)
	o.Functions = functionsFolder(root, o.Architecture)
	w := example
	if o.Issuer != nil && len(r.problems) == 0 {
		w.signIn = o.Issuer.signIn()
	}
	timers, problems := o.checkEnvironment(w)
	o.Timers = timers
	r.problems = append(r.problems, problems...)
	r.problems = append(r.problems, o.checkBedrock()...)
	if len(r.problems) > 0 {
		return Options{}, &OptionsError{r.problems}
	}
	return o, nil
}

func (r *reader) addf(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// ownName is the form of names of our options. The context holds names of other
// forms too: feature flags and what the CDK has looked up.
var ownName = regexp.MustCompile(`^[a-zA-Z]+$`)

// refuseUnknown keeps a slip such as -c stgae=prod from deploying something else.
func (r *reader) refuseUnknown() {
	known := make(map[string]bool)
	for _, s := range Settings() {
		known[s.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(r.given)) {
		if ownName.MatchString(name) && !known[name] {
			r.addf("%s: there is no such option. The options are %s.", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
}

// text is the value of an option, or its default. Values from cdk.json may be
// numbers; an empty value is none.
func (r *reader) text(name string) string {
	value := ""
	switch given := r.given[name].(type) {
	case nil:
	case string:
		value = strings.TrimSpace(given)
	case float64:
		value = strconv.FormatFloat(given, 'f', -1, 64)
	default:
		r.addf("%s: the value is neither a text nor a number.", name)
	}
	if value != "" {
		return value
	}
	for _, s := range Settings() {
		if s.Name == name {
			return s.Default
		}
	}
	return ""
}

func (r *reader) oneOf(name string, values ...string) string {
	value := r.text(name)
	if !slices.Contains(values, value) {
		r.addf("%s: %q is unknown. Use %s.", name, value, strings.Join(values, " or "))
	}
	return value
}

func (r *reader) stage() Stage { return Stages()[r.oneOf("stage", stageNames()...)] }

func (r *reader) number(name string, least, most int) int {
	text := r.text(name)
	value, err := strconv.Atoi(text)
	if err != nil || value < least || value > most {
		r.addf("%s: %q is no number from %d to %d.", name, text, least, most)
	}
	return value
}

func (r *reader) address(name string) string {
	text := r.text(name)
	if text == "" {
		return ""
	}
	if parsed, err := mail.ParseAddress(text); err != nil || parsed.Address != text {
		r.addf("%s: %q is no email address.", name, text)
	}
	return text
}

func (r *reader) retention(stage Stage) int {
	if r.text("retention") == "" {
		return stage.LogRetentionDays
	}
	days := r.number("retention", 1, 3653)
	if _, known := retentions[days]; !known && days != 0 {
		r.addf("retention: CloudWatch does not keep logs for %d days. Use one of %v.", days, slices.Sorted(maps.Keys(retentions)))
	}
	return days
}
