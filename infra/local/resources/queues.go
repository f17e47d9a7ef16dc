package resources

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/replyonce/replyonce/infra/stack/extract"
)

func ensureQueues(ctx context.Context, cfg aws.Config, d Definition) (Created, error) {
	client := sqs.NewFromConfig(cfg)
	var c Created
	var err error
	c.DeadLetterQueueURL, c.QueueURL, c.QueueARN, err = ensurePair(ctx, client,
		pair{d.DeadLetterQueue, d.Like.DeadLetterQueue}, pair{d.Queue, d.Like.Queue})
	if err != nil || d.IndexQueue == "" {
		return c, err
	}
	c.IndexDeadLetterQueueURL, c.IndexQueueURL, c.IndexQueueARN, err = ensurePair(ctx, client,
		pair{d.IndexDeadLetterQueue, d.Like.IndexDeadLetterQueue}, pair{d.IndexQueue, d.Like.IndexQueue})
	return c, err
}

// pair is a queue's name with what it is like.
type pair struct {
	name string
	like extract.Queue
}

// ensurePair makes a queue and the one that its dead letters go to.
func ensurePair(ctx context.Context, client *sqs.Client, dead, queue pair) (deadURL, url, arn string, err error) {
	deadURL, deadARN, err := ensureQueue(ctx, client, dead.name, attributesOf(dead.like, ""))
	if err != nil {
		return "", "", "", err
	}
	url, arn, err = ensureQueue(ctx, client, queue.name, attributesOf(queue.like, deadARN))
	return deadURL, url, arn, err
}

// attributesOf are the attributes of a queue like q; deadARN is where its dead letters go, if it has any.
func attributesOf(q extract.Queue, deadARN string) map[string]string {
	attributes := map[string]string{
		string(types.QueueAttributeNameMessageRetentionPeriod): strconv.Itoa(q.RetentionSeconds),
	}
	if q.VisibilitySeconds > 0 {
		attributes[string(types.QueueAttributeNameVisibilityTimeout)] = strconv.Itoa(q.VisibilitySeconds)
	}
	if q.MaxReceiveCount > 0 {
		attributes[string(types.QueueAttributeNameRedrivePolicy)] = fmt.Sprintf(
			`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, deadARN, q.MaxReceiveCount)
	}
	return attributes
}

// ensureQueue looks first: creating an existing queue with other attributes is an error on AWS.
func ensureQueue(ctx context.Context, client *sqs.Client, name string, attributes map[string]string) (url, arn string, err error) {
	found, err := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(name)})
	switch {
	case isMissing(err):
		created, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(name), Attributes: attributes})
		if err != nil {
			return "", "", fmt.Errorf("create %s: %w", name, err)
		}
		url = aws.ToString(created.QueueUrl)
	case err != nil:
		return "", "", fmt.Errorf("look for %s: %w", name, err)
	default:
		url = aws.ToString(found.QueueUrl)
		_, err := client.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: aws.String(url), Attributes: attributes})
		if err != nil {
			return "", "", fmt.Errorf("set attributes of %s: %w", name, err)
		}
	}
	got, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(url), AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		return "", "", fmt.Errorf("read attributes of %s: %w", name, err)
	}
	return url, got.Attributes[string(types.QueueAttributeNameQueueArn)], nil
}

// isMissing knows both names of the error: that of the JSON protocol, and the older one that AWS adds for
// compatibility and the emulator sends alone.
func isMissing(err error) bool {
	if _, ok := errors.AsType[*types.QueueDoesNotExist](err); ok {
		return true
	}
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == "AWS.SimpleQueueService.NonExistentQueue"
}
