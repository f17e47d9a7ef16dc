package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
)

// Names are the resources of a deployment, as far as they are known.
type Names struct {
	Table           string
	QueueURL        string
	DeadLetterQueue string // URL
	Bucket          string
	UserPool        string // id
	Issuer          string // who signs users in, where the deployment has no pool
}

// Names of the one-machine stack's resources.
const (
	LocalTable           = "replyonce"
	LocalQueue           = "replyonce-handoffs"
	LocalDeadLetterQueue = "replyonce-dead-letters"
	LocalBucket          = "replyonce-replies"
)

// Fill returns n with what is missing taken from other.
func (n Names) Fill(other Names) Names {
	for _, name := range []struct{ to, from *string }{
		{&n.Table, &other.Table},
		{&n.QueueURL, &other.QueueURL},
		{&n.DeadLetterQueue, &other.DeadLetterQueue},
		{&n.Bucket, &other.Bucket},
		{&n.UserPool, &other.UserPool},
		{&n.Issuer, &other.Issuer},
	} {
		if *name.to == "" {
			*name.to = *name.from
		}
	}
	return n
}

// StackClient is what of the CloudFormation client is used.
type StackClient interface {
	DescribeStacks(ctx context.Context, in *cloudformation.DescribeStacksInput, opts ...func(*cloudformation.Options)) (*cloudformation.DescribeStacksOutput, error)
}

// NoStackError says that there is no stack of the name.
type NoStackError struct{ Stack string }

func (e *NoStackError) Error() string {
	return fmt.Sprintf("there is no stack %s in this account and region: check AWS_PROFILE and AWS_REGION, or name another one with -stack", e.Stack)
}

// StackNames reads the names from the outputs of a deployed stack.
func StackNames(ctx context.Context, client StackClient, stack string) (Names, error) {
	out, err := client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(stack)})
	if isNoStack(err) || (err == nil && len(out.Stacks) == 0) {
		return Names{}, &NoStackError{Stack: stack}
	}
	if err != nil {
		return Names{}, fmt.Errorf("read outputs of stack %s: %w", stack, err)
	}
	values := map[string]string{}
	for _, output := range out.Stacks[0].Outputs {
		values[aws.ToString(output.OutputKey)] = aws.ToString(output.OutputValue)
	}
	return Names{
		Table: values["TableName"], QueueURL: values["QueueUrl"], DeadLetterQueue: values["DeadLetterQueueUrl"],
		Bucket: values["BucketName"], UserPool: values["UserPoolId"], Issuer: values["Issuer"],
	}, nil
}

// isNoStack knows the answer to an unknown name, which has no type of its own.
func isNoStack(err error) bool {
	refused, ok := errors.AsType[smithy.APIError](err)
	return ok && refused.ErrorCode() == "ValidationError" && strings.Contains(refused.ErrorMessage(), "does not exist")
}

// QueueFinder finds queues by their names.
type QueueFinder interface {
	GetQueueUrl(ctx context.Context, in *sqs.GetQueueUrlInput, opts ...func(*sqs.Options)) (*sqs.GetQueueUrlOutput, error)
}

// LocalNames are the names of the one-machine stack behind an endpoint.
func LocalNames(ctx context.Context, client QueueFinder) (Names, error) {
	n := Names{Table: LocalTable, Bucket: LocalBucket}
	for _, queue := range []struct {
		name string
		url  *string
	}{{LocalQueue, &n.QueueURL}, {LocalDeadLetterQueue, &n.DeadLetterQueue}} {
		out, err := client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(queue.name)})
		if err != nil {
			return Names{}, fmt.Errorf("find queue %s: is the one-machine stack running there? %w", queue.name, err)
		}
		*queue.url = aws.ToString(out.QueueUrl)
	}
	return n, nil
}
