package sam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/infra/local/stack"
)

// Options say what to run.
type Options struct {
	Root     string // the module's folder
	Template string // as synthesised
	SAM      string // SAM CLI's program
	Host     string // address of this machine as containers reach it; "" asks the Docker engine
	Output   io.Writer
}

// Local is the one-machine stack, ready for functions in containers.
type Local struct {
	options Options
	stack   *stack.Stack
	relay   *Door
	// Template is the changed one, in a file of its own.
	Template string
}

// Start starts the one-machine stack where containers reach it, and writes the
// template that SAM CLI runs.
func Start(ctx context.Context, o Options) (l *Local, err error) {
	if o.Host == "" {
		if o.Host, err = HostAddress(ctx); err != nil {
			return nil, err
		}
	}
	l = &Local{options: o}
	l.stack, err = stack.Start(ctx, stack.Options{
		Root: o.Root, Listen: o.Host, Progress: func(text string) { fmt.Fprintln(o.Output, text) },
	})
	if err != nil {
		return nil, fmt.Errorf("start the one-machine stack: %w", err)
	}
	if err := l.prepare(ctx); err != nil {
		return nil, errors.Join(err, l.Close()) //nolint:contextcheck // stops what was started
	}
	return l, nil
}

func (l *Local) prepare(ctx context.Context) (err error) {
	l.relay, err = OpenRelay(ctx, l.options.Host, aws.ToString(l.stack.DirectAWSConfig().BaseEndpoint))
	if err != nil {
		return err
	}
	template, err := os.ReadFile(l.options.Template)
	if err != nil {
		return fmt.Errorf("read the synthesised template (run make synth): %w", err)
	}
	architecture, err := Architecture(runtime.GOARCH)
	if err != nil {
		return err
	}
	changed, err := Change(template, Changes{
		Architecture: architecture, Binaries: filepath.Join(l.options.Root, "dist", "local"), Environment: l.environment(),
	})
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "replyonce-sam-")
	if err != nil {
		return fmt.Errorf("make folder for the template: %w", err)
	}
	l.Template = filepath.Join(folder, "template.json")
	if err := os.WriteFile(l.Template, changed, 0o600); err != nil {
		return fmt.Errorf("write template: %w", err)
	}
	return nil
}

// environment is that of the functions of the stack, as containers need it: the
// same table, queues and issuer, and the endpoint behind the relay.
func (l *Local) environment() map[string]string {
	env := l.stack.Environment()
	env["AWS_ENDPOINT_URL"] = l.relay.URL()
	env["REPLYONCE_SIGN_IN"] = `{"kind":"local"}`
	return env
}

// Stack is the one-machine stack: its worker and its dispatcher work on what the
// API in the container accepts.
func (l *Local) Stack() *stack.Stack { return l.stack }

// Close stops everything and removes the template.
func (l *Local) Close() error {
	if l.relay != nil {
		l.relay.Close()
	}
	if l.Template != "" {
		_ = os.RemoveAll(filepath.Dir(l.Template)) // a temporary folder of ours
	}
	if err := l.stack.Close(); err != nil {
		return fmt.Errorf("stop the one-machine stack: %w", err)
	}
	return nil
}
