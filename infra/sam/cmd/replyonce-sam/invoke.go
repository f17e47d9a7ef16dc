package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/replyonce/replyonce/events"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/sam"
	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/dynamostore"
)

// invoke sends a sample, after those that have to come before it, and prints what
// the function answers. An answer that is not as expected is an error.
func invoke(ctx context.Context, local *sam.Local, path string, out io.Writer) error {
	sample, err := events.Find(path)
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	store := dynamostore.New(awsclients.DynamoDB(local.Stack().DirectAWSConfig()), stack.Table, dynamostore.Options{})
	if err := events.Seed(ctx, store, time.Now()); err != nil {
		return err //nolint:wrapcheck // likewise
	}
	token, err := local.Stack().SignIn("alice", "acme")
	if err != nil {
		return err //nolint:wrapcheck // likewise
	}
	for _, name := range sample.Expected.Given {
		given, err := events.Find(name)
		if err != nil {
			return err //nolint:wrapcheck // likewise
		}
		if _, err := local.Invoke(ctx, sam.LogicalID(given.Function), given.WithToken(token)); err != nil {
			return err //nolint:wrapcheck // likewise
		}
	}
	answer, err := local.Invoke(ctx, sam.LogicalID(sample.Function), sample.WithToken(token))
	if err != nil {
		return err //nolint:wrapcheck // likewise
	}
	fmt.Fprintf(out, "%s\n", answer)
	if err := events.Match(sample.Expected.Answer, answer); err != nil {
		return fmt.Errorf("not as events/expected/%s.json says: %w", sample.Name, err)
	}
	fmt.Fprintf(out, "as events/expected/%s.json says\n", sample.Name)
	return nil
}
