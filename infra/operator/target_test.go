package operator_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/operator"
)

// The shape is that of the API reference of DescribeStacks.
const describedStack = `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>
<StackName>replyonce-dev</StackName><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-11-29T14:00:00Z</CreationTime><Outputs>
<member><OutputKey>TableName</OutputKey><OutputValue>table-1</OutputValue></member>
<member><OutputKey>QueueUrl</OutputKey><OutputValue>https://sqs.example.com/1/queue</OutputValue></member>
<member><OutputKey>DeadLetterQueueUrl</OutputKey><OutputValue>https://sqs.example.com/1/dead</OutputValue></member>
<member><OutputKey>BucketName</OutputKey><OutputValue>bucket-1</OutputValue></member>
<member><OutputKey>UserPoolId</OutputKey><OutputValue>pool-1</OutputValue></member>
<member><OutputKey>Issuer</OutputKey><OutputValue>https://issuer.example.com</OutputValue></member>
</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`

const noStack = `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>ValidationError</Code>
<Message>Stack with id replyonce-prod does not exist</Message></Error></ErrorResponse>`

// fakeCloudFormation knows one stack.
func fakeCloudFormation(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/xml")
		if err := r.ParseForm(); err != nil || r.Form.Get("StackName") != "replyonce-dev" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(noStack))
			return
		}
		_, _ = w.Write([]byte(describedStack))
	}))
	t.Cleanup(server.Close)
	return server
}

func TestNamesFromTheStacksOutputs(t *testing.T) {
	t.Parallel()
	client := cloudformation.NewFromConfig(aws.Config{
		Region: "eu-west-1", BaseEndpoint: aws.String(fakeCloudFormation(t).URL), Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	})
	names, err := operator.StackNames(t.Context(), client, "replyonce-dev")
	want := operator.Names{
		Table: "table-1", QueueURL: "https://sqs.example.com/1/queue", DeadLetterQueue: "https://sqs.example.com/1/dead",
		Bucket: "bucket-1", UserPool: "pool-1", Issuer: "https://issuer.example.com",
	}
	if err != nil || names != want {
		t.Errorf("%+v, %v", names, err)
	}
	_, err = operator.StackNames(t.Context(), client, "replyonce-prod")
	if missing, ok := errors.AsType[*operator.NoStackError](err); !ok || missing.Stack != "replyonce-prod" || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("a stack that is not there: %v", err)
	}
	if got := (operator.Names{Table: "mine"}).Fill(want); got.Table != "mine" || got.Bucket != "bucket-1" {
		t.Errorf("filled %+v", got)
	}
}

func TestLocalNamesAreThoseOfTheStack(t *testing.T) {
	t.Parallel()
	for ours, theirs := range map[string]string{
		operator.LocalTable: stack.Table, operator.LocalQueue: stack.Queue, operator.LocalDeadLetterQueue: stack.DeadLetterQueue,
		operator.LocalBucket: stack.Bucket,
	} {
		if ours != theirs {
			t.Errorf("%s, the stack says %s", ours, theirs)
		}
	}
	client := sqs.NewFromConfig(emulated.Config())
	if _, err := operator.LocalNames(t.Context(), client); err == nil || !strings.Contains(err.Error(), "one-machine stack") {
		t.Errorf("without queues: %v", err)
	}
	createQueue(t, client, operator.LocalQueue, nil)
	createQueue(t, client, operator.LocalDeadLetterQueue, nil)
	names, err := operator.LocalNames(t.Context(), client)
	if err != nil || names.Table != stack.Table || !strings.HasSuffix(names.QueueURL, stack.Queue) || !strings.HasSuffix(names.DeadLetterQueue, stack.DeadLetterQueue) {
		t.Errorf("%+v, %v", names, err)
	}
}
