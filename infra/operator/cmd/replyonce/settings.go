package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/smithy-go/logging"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/pausing"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// settings are what all commands have in common.
type settings struct {
	getenv      func(string) string
	out, errOut io.Writer

	stack   string
	named   operator.Names // by flags
	profile string
	json    bool
	timeout time.Duration
}

// localDispatchEvery is the dispatcher's period on one machine.
const localDispatchEvery = 10 * time.Second

func (s *settings) register(flags *flag.FlagSet) {
	flags.StringVar(&s.stack, "stack", s.getenv("REPLYONCE_STACK"), "`name` of the deployed stack, whose outputs name the resources")
	flags.StringVar(&s.named.Table, "table", "", "`name` of the table, in place of the stack's")
	flags.StringVar(&s.named.QueueURL, "queue-url", "", "`URL` of the queue of handoffs")
	flags.StringVar(&s.named.DeadLetterQueue, "dead-letter-queue-url", "", "`URL` of the dead-letter queue")
	flags.StringVar(&s.named.Bucket, "bucket", "", "`name` of the bucket of large replies")
	flags.StringVar(&s.named.UserPool, "user-pool", "", "`id` of the user pool")
	flags.StringVar(&s.profile, "profile", "default", "timer `profile` of the deployment: default or short")
	flags.BoolVar(&s.json, "json", false, "print JSON")
	flags.DurationVar(&s.timeout, "timeout", 5*time.Minute, "give up after this time")
}

// local reports whether the one-machine stack is meant.
func (s *settings) local() bool { return s.stack == "" && s.getenv("AWS_ENDPOINT_URL") != "" }

// aws reads the standard settings. The emulator of the one-machine stack takes
// any credentials, so none have to be made up for it.
func (s *settings) aws(ctx context.Context) (aws.Config, error) {
	cfg, err := awsclients.Load(ctx)
	if err != nil {
		return aws.Config{}, err
	}
	if s.local() {
		cfg.Logger = logging.Nop{} // the emulator's answers lack checksums, of which the SDK complains each time
		if cfg.Region == "" {
			cfg.Region = "us-east-1"
		}
		if s.getenv("AWS_ACCESS_KEY_ID") == "" && s.getenv("AWS_PROFILE") == "" {
			cfg.Credentials = credentials.NewStaticCredentialsProvider("operator", "local", "")
		}
	}
	if cfg.Region == "" {
		return aws.Config{}, usagef("no region is set: set AWS_REGION, or a region in the profile that AWS_PROFILE names")
	}
	return cfg, nil
}

// names finds the resources: by flags, by the stack's outputs, or by the names
// that the one-machine stack gives them. missing tells which one a command needs
// and has not got.
func (s *settings) names(ctx context.Context, cfg aws.Config, missing func(operator.Names) string) (operator.Names, error) {
	named := s.named
	if missing(named) == "" {
		return named, nil
	}
	var found operator.Names
	var err error
	switch {
	case s.stack != "":
		if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
			return operator.Names{}, fmt.Errorf("there are no AWS credentials: set AWS_PROFILE, or sign in with aws sso login: %w", err)
		}
		found, err = operator.StackNames(ctx, cloudformation.NewFromConfig(cfg), s.stack)
	case s.local():
		found, err = operator.LocalNames(ctx, awsclients.SQS(cfg))
	default:
		return operator.Names{}, usagef("which deployment? Give -stack, for instance replyonce-dev, " +
			"or name the resources by flags; for the one-machine stack set AWS_ENDPOINT_URL")
	}
	if err != nil {
		return operator.Names{}, err
	}
	named = named.Fill(found)
	if what := missing(named); what != "" {
		return operator.Names{}, fmt.Errorf("%s is not known: stack %q has no such output", what, s.stack)
	}
	return named, nil
}

// judge has the timers of the deployment.
func (s *settings) judge(stuckAfter time.Duration) (operator.Judge, error) {
	timers, err := worktask.TimersNamed(s.profile)
	if err != nil {
		return operator.Judge{}, usagef("%v", err)
	}
	if s.local() {
		timers.DispatchEvery = min(timers.DispatchEvery, localDispatchEvery)
	}
	if stuckAfter == 0 {
		stuckAfter = operator.DefaultStuckAfter(timers)
	}
	return operator.Judge{Margin: timers.SkewMargin, StuckAfter: stuckAfter}, nil
}

// printable is a result of a command.
type printable interface{ Print(w io.Writer) error }

func (s *settings) print(result printable) error {
	if !s.json {
		return result.Print(s.out)
	}
	if err := json.MarshalWrite(s.out, result, jsontext.Multiline(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	_, err := fmt.Fprintln(s.out)
	return err
}

// usageError is a command line that is of no use.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// exitOf tells a wrong command line from a failure.
func exitOf(err error) int {
	_, isUsage := errors.AsType[*usageError](err)
	_, isRef := errors.AsType[*operator.RefError](err)
	_, isInput := errors.AsType[*operator.InputError](err)
	_, isField := errors.AsType[*inputcheck.FieldError](err)
	if isUsage || isRef || isInput || isField {
		return exitUsage
	}
	return exitFailed
}

// notFound puts it into words when a task is not there.
func notFound(err error) error {
	if errors.Is(err, storeerror.ErrNotFound) {
		return fmt.Errorf("there is no such task in this deployment; look at workspace, ids and -stack: %w", err)
	}
	return err
}

// oneTask is the task that stands behind the flags.
func oneTask(args []string) (string, error) {
	if len(args) != 1 {
		return "", usagef("name one task, not %d", len(args))
	}
	return args[0], nil
}

func noArguments(args []string) error {
	if len(args) > 0 {
		return usagef("%q is too much: this command takes flags only", args[0])
	}
	return nil
}

// pause waits between tries of one write.
func pause(ctx context.Context, try int) error {
	return pausing.Jittered(50*time.Millisecond, time.Second, rand.Float64)(ctx, try)
}
