package runtimeconfig_test

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/worktask"
)

// complete is an environment that satisfies every function.
func complete() map[string]string {
	return map[string]string{
		"REPLYONCE_TABLE": "table", "REPLYONCE_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/handoffs",
		"REPLYONCE_BUCKET": "bucket", "REPLYONCE_ISSUER": "https://issuer.example.com/pool", "REPLYONCE_AUDIENCE": "client-1",
		"REPLYONCE_SIGN_IN": `{"kind":"oidc","authorization_endpoint":"https://issuer.example.com/authorize","token_endpoint":"https://issuer.example.com/token","client_id":"client-1","scope":"openid"}`,
		"PATH":              "/bin",
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	api, err := runtimeconfig.API(complete())
	if err != nil {
		t.Fatal(err)
	}
	if api.Timers != worktask.DefaultTimers() || api.LogLevel != slog.LevelInfo || api.Local || api.OnUnknown != worktask.RetryUnknown ||
		api.AllowedOrigin != "*" || api.SignIn.ClientID != "client-1" || api.Table != "table" || api.Bucket != "bucket" {
		t.Errorf("api: %+v", api)
	}
	worker, err := runtimeconfig.Worker(complete())
	if err != nil || worker.Provider != runtimeconfig.ProviderBuiltin || worker.Table != "table" {
		t.Errorf("worker: %+v, %v", worker, err)
	}
	dispatcher, err := runtimeconfig.Dispatcher(complete())
	if err != nil || !strings.HasSuffix(dispatcher.QueueURL, "/handoffs") {
		t.Errorf("dispatcher: %+v, %v", dispatcher, err)
	}
	authorizer, err := runtimeconfig.Authorizer(complete())
	if err != nil || authorizer.WorkspaceClaim != "workspace" || authorizer.Audience != "client-1" {
		t.Errorf("authorizer: %+v, %v", authorizer, err)
	}
}

func TestOneMachine(t *testing.T) {
	t.Parallel()
	environment := complete()
	environment["REPLYONCE_LOCAL"] = "1"
	delete(environment, "REPLYONCE_SIGN_IN")
	api, err := runtimeconfig.API(environment)
	if err != nil || api.SignIn != (runtimeconfig.SignIn{Kind: runtimeconfig.SignInLocal}) || api.Timers.DispatchEvery != 10*time.Second {
		t.Errorf("api: %+v, %v", api, err)
	}
	environment["REPLYONCE_PROFILE"] = "short"
	if api, err = runtimeconfig.API(environment); err != nil || api.Timers != worktask.ShortTimers() {
		t.Errorf("short profile: %+v, %v", api.Timers, err)
	}
}

// Everything that is missing is named at once, with what to do.
func TestEmptyEnvironment(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		read      func(map[string]string) error
		variables []string
	}{
		"api":        {func(e map[string]string) error { _, err := runtimeconfig.API(e); return err }, []string{"REPLYONCE_BUCKET", "REPLYONCE_QUEUE_URL", "REPLYONCE_SIGN_IN", "REPLYONCE_TABLE"}},
		"worker":     {func(e map[string]string) error { _, err := runtimeconfig.Worker(e); return err }, []string{"REPLYONCE_BUCKET", "REPLYONCE_QUEUE_URL", "REPLYONCE_TABLE"}},
		"dispatcher": {func(e map[string]string) error { _, err := runtimeconfig.Dispatcher(e); return err }, []string{"REPLYONCE_QUEUE_URL", "REPLYONCE_TABLE"}},
		"authorizer": {func(e map[string]string) error { _, err := runtimeconfig.Authorizer(e); return err }, []string{"REPLYONCE_AUDIENCE", "REPLYONCE_ISSUER"}},
	}
	for function, tt := range tests {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			empty := map[string]string{}
			for _, variable := range tt.variables {
				empty[variable] = ""
			}
			for _, environment := range []map[string]string{{}, empty} {
				failed, ok := errors.AsType[*runtimeconfig.ConfigError](tt.read(environment))
				if !ok || failed.Function != function {
					t.Fatalf("error %v", failed)
				}
				var named []string
				for _, p := range failed.Problems {
					named = append(named, p.Variable)
					if !strings.Contains(p.Detail, "Set it to") || !strings.Contains(failed.Error(), p.Variable) {
						t.Errorf("%s: %q does not say what to do", p.Variable, p.Detail)
					}
				}
				if slices.Sort(named); !slices.Equal(named, tt.variables) {
					t.Errorf("named %v, want %v", named, tt.variables)
				}
			}
		})
	}
}

func TestValuesThatAreRefused(t *testing.T) {
	t.Parallel()
	api := func(e map[string]string) error { _, err := runtimeconfig.API(e); return err }
	worker := func(e map[string]string) error { _, err := runtimeconfig.Worker(e); return err }
	authorizer := func(e map[string]string) error { _, err := runtimeconfig.Authorizer(e); return err }
	tests := map[string]struct {
		read            func(map[string]string) error
		variable, value string
	}{
		"profile":              {api, "REPLYONCE_PROFILE", "long"},
		"log level":            {api, "REPLYONCE_LOG_LEVEL", "loud"},
		"namespace of AWS":     {api, "REPLYONCE_METRICS_NAMESPACE", "AWS/Lambda"},
		"namespace with blank": {worker, "REPLYONCE_METRICS_NAMESPACE", "Reply Once"},
		"namespace with colon": {worker, "REPLYONCE_METRICS_NAMESPACE", ":a"},
		"endless namespace":    {worker, "REPLYONCE_METRICS_NAMESPACE", strings.Repeat("a", 256)},
		"local":                {api, "REPLYONCE_LOCAL", "maybe"},
		"policy":               {api, "REPLYONCE_ON_UNKNOWN", "guess"},
		"allowed policy":       {api, "REPLYONCE_ON_UNKNOWN_ALLOWED", "retry,guess"},
		"default not allowed":  {api, "REPLYONCE_ON_UNKNOWN_ALLOWED", "stop"},
		"nothing allowed":      {api, "REPLYONCE_ON_UNKNOWN_ALLOWED", ","},
		"queue":                {api, "REPLYONCE_QUEUE_URL", "handoffs"},
		"origin with path":     {api, "REPLYONCE_ALLOWED_ORIGIN", "https://app.example.com/"},
		"origin without host":  {api, "REPLYONCE_ALLOWED_ORIGIN", "https://"},
		"several origins":      {api, "REPLYONCE_ALLOWED_ORIGIN", "https://a.example.com, https://b.example.com"},
		"sign-in is no JSON":   {api, "REPLYONCE_SIGN_IN", "{"},
		"sign-in unknown name": {api, "REPLYONCE_SIGN_IN", `{"kind":"oidc","secret":"x"}`},
		"sign-in kind":         {api, "REPLYONCE_SIGN_IN", `{"kind":"saml"}`},
		"sign-in by name":      {api, "REPLYONCE_SIGN_IN", `{"kind":"local"}`},
		"sign-in incomplete":   {api, "REPLYONCE_SIGN_IN", `{"kind":"oidc","client_id":"x"}`},
		"sign-in no URL":       {api, "REPLYONCE_SIGN_IN", `{"kind":"oidc","client_id":"x","scope":"openid","authorization_endpoint":"a","token_endpoint":"https://b"}`},
		"provider":             {worker, "REPLYONCE_PROVIDER", "oracle"},
		"provider without URL": {worker, "REPLYONCE_PROVIDER", "scripted"},
		"provider URL":         {worker, "REPLYONCE_PROVIDER_URL", "localhost"},
		"issuer":               {authorizer, "REPLYONCE_ISSUER", "issuer.example.com"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environment := complete()
			environment[tt.variable] = tt.value
			failed, ok := errors.AsType[*runtimeconfig.ConfigError](tt.read(environment))
			if !ok || !strings.Contains(failed.Error(), "REPLYONCE_") {
				t.Fatalf("accepted %s=%q: %v", tt.variable, tt.value, failed)
			}
			for _, p := range failed.Problems {
				if !strings.HasPrefix(p.Variable, strings.TrimSuffix(tt.variable, "_URL")) {
					t.Errorf("%s is blamed: %s", p.Variable, p.Detail)
				}
			}
		})
	}
}

func TestOriginsThatAreTaken(t *testing.T) {
	t.Parallel()
	for _, origin := range []string{"*", "https://app.example.com", "http://192.168.0.20:8080"} {
		environment := maps.Clone(complete())
		environment["REPLYONCE_ALLOWED_ORIGIN"] = origin
		if api, err := runtimeconfig.API(environment); err != nil || api.AllowedOrigin != origin {
			t.Errorf("origin %s: %+v, %v", origin, api.AllowedOrigin, err)
		}
	}
}

// Nothing said: a request may take more care than the deployment, never less.
func TestPoliciesThatARequestMayName(t *testing.T) {
	t.Parallel()
	retry, stop := worktask.RetryUnknown, worktask.StopUnknown
	for _, tt := range []struct {
		byDefault, allowed string
		want               []worktask.UnknownPolicy
	}{
		{"", "", []worktask.UnknownPolicy{retry, stop}},
		{"stop", "", []worktask.UnknownPolicy{stop}},
		{"stop", "stop, retry,stop", []worktask.UnknownPolicy{retry, stop}},
		{"retry", "retry", []worktask.UnknownPolicy{retry}},
	} {
		environment := complete()
		environment["REPLYONCE_ON_UNKNOWN_ALLOWED"] = tt.allowed
		if tt.byDefault != "" {
			environment["REPLYONCE_ON_UNKNOWN"] = tt.byDefault
		}
		if api, err := runtimeconfig.API(environment); err != nil || !slices.Equal(api.OnUnknownAllowed, tt.want) {
			t.Errorf("%q, %q: %v, %v, want %v", tt.byDefault, tt.allowed, api.OnUnknownAllowed, err, tt.want)
		}
	}
}

func TestMetricsNamespace(t *testing.T) {
	t.Parallel()
	for _, namespace := range []string{"", "ReplyOnce/prod", "a:b#c.d-e_f", strings.Repeat("a", 255)} {
		environment := complete()
		environment["REPLYONCE_METRICS_NAMESPACE"] = namespace
		for function, read := range readers {
			if c, err := read(environment); err != nil || c.MetricsNamespace != namespace {
				t.Errorf("%s: %q, %v", function, c.MetricsNamespace, err)
			}
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := runtimeconfig.Environment([]string{"REPLYONCE_TABLE=a=b", "EMPTY="})
	if got["REPLYONCE_TABLE"] != "a=b" {
		t.Errorf("environment %v", got)
	}
}

func FuzzSignIn(f *testing.F) {
	f.Add(`{"kind":"local"}`, true)
	f.Add(complete()["REPLYONCE_SIGN_IN"], false)
	f.Fuzz(func(t *testing.T, text string, local bool) {
		environment := complete()
		environment["REPLYONCE_SIGN_IN"] = text
		if local {
			environment["REPLYONCE_LOCAL"] = "1"
		}
		api, err := runtimeconfig.API(environment)
		if err == nil && !local && api.SignIn.Kind != runtimeconfig.SignInOIDC {
			t.Fatalf("a deployment signs in by %q", api.SignIn.Kind)
		}
	})
}
