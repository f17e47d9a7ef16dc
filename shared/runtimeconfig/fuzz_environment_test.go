package runtimeconfig_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// FuzzEnvironment reads whole environments, a variable a line: a function either
// has a configuration or says what is wrong with it, and never shows a key.
func FuzzEnvironment(f *testing.F) {
	f.Add("REPLYONCE_TABLE=t\nREPLYONCE_QUEUE_URL=https://sqs.eu-west-1.amazonaws.com/1/q\nREPLYONCE_BUCKET=b")
	f.Fuzz(func(t *testing.T, text string) {
		environment := runtimeconfig.Environment(strings.Split(text, "\n"))
		const key = "sk-this-is-a-key"
		environment["REPLYONCE_PROVIDER_KEY"] = key
		for name, read := range map[string]func() error{
			"api":        func() error { _, err := runtimeconfig.API(environment); return err },
			"worker":     func() error { _, err := runtimeconfig.Worker(environment); return err },
			"dispatcher": func() error { _, err := runtimeconfig.Dispatcher(environment); return err },
			"authorizer": func() error { _, err := runtimeconfig.Authorizer(environment); return err },
		} {
			err := read()
			if err == nil {
				continue
			}
			if _, ours := errors.AsType[*runtimeconfig.ConfigError](err); !ours || strings.Contains(err.Error(), key) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
