package resources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
)

// keepMessages is SQS's longest retention, 14 days: a dead letter is kept longer than a queued message.
const (
	keepMessages    = 4 * 24 * 60 * 60
	keepDeadLetters = 14 * 24 * 60 * 60
)

func ensureQueues(ctx context.Context, cfg aws.Config, d Definition) (Created, error) {
	client := sqs.NewFromConfig(cfg)
	deadURL, deadARN, err := ensureQueue(ctx, client, d.DeadLetterQueue, map[string]string{
		string(types.QueueAttributeNameMessageRetentionPeriod): strconv.Itoa(keepDeadLetters),
	})
	if err != nil {
		return Created{}, err
	}
	redrive, err := json.Marshal(map[string]any{"deadLetterTargetArn": deadARN, "maxReceiveCount": d.MaxReceiveCount})
	if err != nil {
		return Created{}, fmt.Errorf("write redrive policy: %w", err)
	}
	queueURL, queueARN, err := ensureQueue(ctx, client, d.Queue, map[string]string{
		string(types.QueueAttributeNameVisibilityTimeout):      strconv.Itoa(int(d.VisibilityTimeout.Seconds())),
		string(types.QueueAttributeNameMessageRetentionPeriod): strconv.Itoa(keepMessages),
		string(types.QueueAttributeNameRedrivePolicy):          string(redrive),
	})
	if err != nil {
		return Created{}, err
	}
	return Created{QueueURL: queueURL, QueueARN: queueARN, DeadLetterQueueURL: deadURL}, nil
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
