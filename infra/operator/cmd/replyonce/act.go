package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

const (
	// letterHold is how long a dead letter stays hidden while it is looked at.
	letterHold = 5 * time.Minute
	// letterWait is the long poll of an empty queue.
	letterWait = 2 * time.Second
)

func prepareRedrive(flags *flag.FlagSet, s *settings) action {
	yes := flags.Bool("yes", false, "do it; without it nothing is changed")
	most := flags.Int("max", 1000, "look at no more than so many messages")
	text := flags.Bool("text", false, "print the bodies of messages that are not ours, whatever is in them")
	return func(ctx context.Context, args []string) (int, error) {
		if err := noArguments(args); err != nil {
			return 0, err
		}
		if *most < 1 || *most > 100_000 {
			return 0, usagef("-max is %d: give 1 to 100000", *most)
		}
		return redrive(ctx, s, operator.Redriver{Now: time.Now, Hold: letterHold, Text: *text}, *most, !*yes)
	}
}

func redrive(ctx context.Context, s *settings, r operator.Redriver, most int, dryRun bool) (int, error) {
	cfg, err := s.aws(ctx)
	if err != nil {
		return 0, err
	}
	names, err := s.names(ctx, cfg, func(n operator.Names) string {
		switch {
		case n.QueueURL == "":
			return "the queue"
		case n.DeadLetterQueue == "":
			return "the dead-letter queue"
		}
		return needsTable(n)
	})
	if err != nil {
		return 0, err
	}
	client := awsclients.SQS(cfg)
	r.Letters = operator.DeadLetterQueue{Client: client, URL: names.DeadLetterQueue, Wait: letterWait}
	r.Queue = sqsqueue.New(client, names.QueueURL)
	r.Tasks = dynamostore.New(awsclients.DynamoDB(cfg), names.Table, dynamostore.Options{})
	result, err := r.Redrive(ctx, most, dryRun)
	if printErr := s.print(result); printErr != nil || err != nil {
		return 0, errors.Join(err, printErr) // what was done is printed in any case
	}
	switch {
	case result.Failed > 0:
		return exitFailed, nil
	case result.Kept > 0:
		return exitAttention, nil
	}
	return exitDone, nil
}

func prepareRaise(flags *flag.FlagSet, s *settings) action {
	yes := flags.Bool("yes", false, "do it; without it nothing is changed")
	by := flags.Int64("by", 1_000_000, "raise each version by so much: far more than a task is ever claimed")
	return func(ctx context.Context, args []string) (int, error) {
		if err := noArguments(args); err != nil {
			return 0, err
		}
		return raise(ctx, s, *by, !*yes)
	}
}

func raise(ctx context.Context, s *settings, by int64, dryRun bool) (int, error) {
	cfg, err := s.aws(ctx)
	if err != nil {
		return 0, err
	}
	names, err := s.names(ctx, cfg, needsTable)
	if err != nil {
		return 0, err
	}
	store := dynamostore.New(awsclients.DynamoDB(cfg), names.Table, dynamostore.Options{})
	result, err := operator.Raiser{
		Handoffs: store, Writer: taskflow.Writer{Tasks: store, Now: time.Now, Pause: pause}, Now: time.Now,
	}.Raise(ctx, by, dryRun)
	if printErr := s.print(result); printErr != nil || err != nil {
		return 0, errors.Join(err, printErr) // what was done is printed in any case
	}
	if len(result.Failed) > 0 {
		return exitFailed, nil
	}
	return exitDone, nil
}

func prepareRetry(flags *flag.FlagSet, s *settings) action {
	var r operator.RetryRequest
	workspace := flags.String("workspace", "", "`workspace` of the task")
	key := flags.String("key", "", "idempotency `key` of the decision; only for a second retry of one task")
	model := flags.String("model", "", "`model` of the new task, in place of the failed task's")
	flags.StringVar(&r.Why, "why", "", "the `reason`, which is stored with the new task")
	flags.StringVar(&r.By, "by", "", "`who` decides; by default the identity of the AWS credentials")
	return func(ctx context.Context, args []string) (int, error) {
		text, err := oneTask(args)
		if err != nil {
			return 0, err
		}
		if r.Task, err = operator.ParseTask(*workspace, text); err != nil {
			return 0, err
		}
		if r.Why == "" {
			return 0, usagef("say why: -why \"provider was down, is back\"; it is stored with the new task")
		}
		if *key != "" {
			if r.Key, err = idempotency.ParseKey([]string{*key}); err != nil {
				return 0, usagef("-key: %v", err)
			}
		}
		if *model != "" {
			r.Model = model
		}
		return retry(ctx, s, r)
	}
}

func retry(ctx context.Context, s *settings, r operator.RetryRequest) (int, error) {
	cfg, err := s.aws(ctx)
	if err != nil {
		return 0, err
	}
	names, err := s.names(ctx, cfg, func(n operator.Names) string {
		if n.QueueURL == "" {
			return "the queue"
		}
		return needsTable(n)
	})
	if err != nil {
		return 0, err
	}
	if r.By == "" {
		if r.By, err = identityOf(ctx, cfg); err != nil {
			return 0, err
		}
	}
	store := dynamostore.New(awsclients.DynamoDB(cfg), names.Table, dynamostore.Options{})
	timers := worktask.DefaultTimers() // both profiles have the same windows
	made, err := operator.Retrier{
		Tasks: store, Messages: store, Accepts: store,
		Creator: keyed.Creator{
			Records: store, Windows: idempotency.Windows{Replay: timers.ReplayWindow, Purge: timers.PurgeAfter},
			Now: time.Now, Pause: pause,
		},
		Queue: sqsqueue.New(awsclients.SQS(cfg), names.QueueURL), NewID: newid.NewSource(time.Now, rand.Reader).Next, Now: time.Now,
	}.Retry(ctx, r)
	if over, ok := errors.AsType[*idempotency.WindowOverError](err); ok {
		return 0, fmt.Errorf("the task was retried before, as %s; give -key for one more", over.Location)
	}
	if err != nil {
		return 0, notFound(err)
	}
	return exitDone, s.print(made)
}

// identityOf is whose credentials these are.
func identityOf(ctx context.Context, cfg aws.Config) (string, error) {
	out, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return "", fmt.Errorf("who decides? Give -by; the identity of the AWS credentials could not be read: %w", err)
	}
	return aws.ToString(out.Arn), nil
}

func prepareUser(flags *flag.FlagSet, s *settings) action {
	var r operator.UserRequest
	flags.StringVar(&r.Email, "email", "", "email `address` of the user, who is invited there")
	flags.StringVar(&r.Workspace, "workspace", "", "`workspace` whose documents the user sees")
	flags.BoolVar(&r.Move, "move", false, "set the workspace of a user who is there already")
	flags.BoolVar(&r.Resend, "resend", false, "send the invitation again, with a new first password")
	return func(ctx context.Context, args []string) (int, error) {
		if err := noArguments(args); err != nil {
			return 0, err
		}
		if r.Email == "" || (r.Workspace == "" && !r.Resend) {
			return 0, usagef("give -email and -workspace")
		}
		return user(ctx, s, r)
	}
}

func user(ctx context.Context, s *settings, r operator.UserRequest) (int, error) {
	if s.local() && s.named.UserPool == "" {
		return 0, usagef("the one-machine stack has no users: sign in there by any name; give -stack for a deployment")
	}
	cfg, err := s.aws(ctx)
	if err != nil {
		return 0, err
	}
	names, err := s.names(ctx, cfg, func(n operator.Names) string {
		if n.UserPool == "" && n.Issuer == "" {
			return "the user pool"
		}
		return ""
	})
	if err != nil {
		return 0, err
	}
	if names.UserPool == "" {
		return 0, fmt.Errorf("this deployment has no user pool of its own: make the user at its issuer, %s, with the workspace in the claim that was configured", names.Issuer)
	}
	made, err := operator.Users{Client: cognito.NewFromConfig(cfg), PoolID: names.UserPool}.Create(ctx, r)
	if err != nil {
		return 0, err
	}
	return exitDone, s.print(made)
}
