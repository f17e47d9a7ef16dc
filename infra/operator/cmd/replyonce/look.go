package main

import (
	"context"
	"flag"
	"time"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/s3objects"
)

func prepareShow(flags *flag.FlagSet, s *settings) action {
	var o showOptions
	flags.StringVar(&o.workspace, "workspace", "", "`workspace` of the task")
	flags.StringVar(&o.key, "key", "", "idempotency `key` of the call that made the task; with -workspace and -caller in place of TASK")
	flags.StringVar(&o.caller, "caller", "", "who made the call, as in the log: the token's `sub`")
	flags.BoolVar(&o.text, "text", false, "print question, reply and who asked, too")
	return func(ctx context.Context, args []string) (int, error) {
		request, err := o.request(args)
		if err != nil {
			return 0, err
		}
		return show(ctx, s, request)
	}
}

type showOptions struct {
	workspace, key, caller string
	text                   bool
}

func (o showOptions) request(args []string) (operator.Request, error) {
	r := operator.Request{Workspace: o.workspace, Caller: o.caller, Text: o.text}
	if o.key != "" {
		key, err := idempotency.ParseKey([]string{o.key})
		if err != nil {
			return operator.Request{}, usagef("-key: %v", err)
		}
		r.Key = key
	}
	if len(args) == 0 && r.Key != "" {
		if o.workspace == "" || o.caller == "" {
			return operator.Request{}, usagef("a key alone is not enough: give -workspace and -caller with it, or a TASK")
		}
		return r, nil
	}
	text, err := oneTask(args)
	if err != nil {
		return operator.Request{}, err
	}
	r.Task, err = operator.ParseTask(o.workspace, text)
	return r, err
}

func show(ctx context.Context, s *settings, r operator.Request) (int, error) {
	judge, err := s.judge(0)
	if err != nil {
		return 0, err
	}
	cfg, err := s.aws(ctx)
	if err != nil {
		return 0, err
	}
	names, err := s.names(ctx, cfg, func(n operator.Names) string {
		switch {
		case n.Table == "":
			return "the table"
		case n.Bucket == "" && r.Text:
			return "the bucket"
		}
		return ""
	})
	if err != nil {
		return 0, err
	}
	store := dynamostore.New(awsclients.DynamoDB(cfg), names.Table, dynamostore.Options{})
	report, err := operator.Shower{
		Tasks: store, Messages: store, Evidence: store, Records: store, Objects: s3objects.New(awsclients.S3(cfg), names.Bucket),
		Judge: judge, Now: time.Now,
	}.Show(ctx, r)
	if err != nil {
		return 0, notFound(err)
	}
	return exitDone, s.print(report)
}

// everything is later than any handoff is due.
const everything = 10 * 365 * 24 * time.Hour

func prepareDue(flags *flag.FlagSet, s *settings) action {
	within := flags.Duration("within", 0, "list also what is due within this time from now")
	all := flags.Bool("all", false, "list all open tasks")
	limit := flags.Int("limit", 200, "list at most so many")
	stuckAfter := flags.Duration("stuck-after", 0, "call a task stuck when it is overdue for longer; by default three periods of the dispatcher")
	return func(ctx context.Context, args []string) (int, error) {
		if err := noArguments(args); err != nil {
			return 0, err
		}
		if *limit < 1 || *limit > 10_000 {
			return 0, usagef("-limit is %d: give 1 to 10000", *limit)
		}
		if *within < 0 || *stuckAfter < 0 {
			return 0, usagef("a time below zero is no time to look ahead or to wait")
		}
		if *all {
			*within = everything
		}
		judge, err := s.judge(*stuckAfter)
		if err != nil {
			return 0, err
		}
		return due(ctx, s, operator.Lister{Judge: judge, Now: time.Now, Limit: *limit}, *within)
	}
}

func due(ctx context.Context, s *settings, lister operator.Lister, within time.Duration) (int, error) {
	cfg, err := s.aws(ctx)
	if err != nil {
		return 0, err
	}
	names, err := s.names(ctx, cfg, needsTable)
	if err != nil {
		return 0, err
	}
	store := dynamostore.New(awsclients.DynamoDB(cfg), names.Table, dynamostore.Options{})
	lister.Handoffs, lister.Tasks = store, store
	list, err := lister.List(ctx, within)
	if err != nil {
		return 0, err
	}
	code := exitDone
	if list.Stuck > 0 {
		code = exitAttention
	}
	return code, s.print(list)
}

func needsTable(n operator.Names) string {
	if n.Table == "" {
		return "the table"
	}
	return ""
}
