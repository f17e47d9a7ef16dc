package stack_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TestResourcesAreLikeTheDeployedOnes: the visibility of the short profile is the only thing of its own.
func TestResourcesAreLikeTheDeployedOnes(t *testing.T) {
	t.Parallel()
	e, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	for profile, visibility := range map[string]int{"default": e.Queue.VisibilitySeconds, "short": int(worktask.ShortTimers().Visibility.Seconds())} {
		b := setup(t, stack.Options{Profile: profile})
		e.Queue.VisibilitySeconds = visibility
		b.wantQueue(t, b.QueueURL(), e.Queue)
		e.DeadLetterQueue.VisibilitySeconds = 30 // SQS's default
		b.wantQueue(t, b.DeadLetterQueueURL(), e.DeadLetterQueue)
		b.wantTable(t, e.Table)
		if b.BatchSize() != e.EventSource.BatchSize {
			t.Errorf("batches of %d, deployed of %d", b.BatchSize(), e.EventSource.BatchSize)
		}
	}
}

func (b *bundle) wantQueue(t *testing.T, url string, want extract.Queue) {
	t.Helper()
	out, err := sqs.NewFromConfig(b.DirectAWSConfig()).GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(url), AttributeNames: []sqsAttribute{"All"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got extract.Queue
	for name, into := range map[string]*int{"VisibilityTimeout": &got.VisibilitySeconds, "MessageRetentionPeriod": &got.RetentionSeconds} {
		if _, err := fmt.Sscan(out.Attributes[name], into); err != nil {
			t.Errorf("%s of %s: %v", name, url, err)
		}
	}
	if policy := out.Attributes["RedrivePolicy"]; policy != "" {
		got.MaxReceiveCount = decode[struct {
			MaxReceiveCount int `json:"maxReceiveCount"`
		}](t, policy).MaxReceiveCount
	}
	if got != want {
		t.Errorf("%s is %+v, want %+v", url, got, want)
	}
}

func (b *bundle) wantTable(t *testing.T, want extract.Table) {
	t.Helper()
	out, err := dynamodb.NewFromConfig(b.DirectAWSConfig()).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(stack.Table)})
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, a := range out.Table.AttributeDefinitions {
		types[aws.ToString(a.AttributeName)] = string(a.AttributeType)
	}
	index := out.Table.GlobalSecondaryIndexes[0]
	keys := append(out.Table.KeySchema, index.KeySchema...)
	for i, key := range []extract.Attribute{want.PartitionKey, want.SortKey, want.Indexes[0].PartitionKey, want.Indexes[0].SortKey} {
		if name := aws.ToString(keys[i].AttributeName); name != key.Name || types[name] != key.Type {
			t.Errorf("key %d is %s of type %s, want %+v", i, name, types[name], key)
		}
	}
	if aws.ToString(index.IndexName) != want.Indexes[0].Name || string(index.Projection.ProjectionType) != want.Indexes[0].Projection {
		t.Errorf("index %+v, want %+v", index, want.Indexes[0])
	}
}

// TestRoutesAreTheDeployedOnes: the function sees by which resource it was reached.
func TestRoutesAreTheDeployedOnes(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{})
	for path, resource := range map[string]string{"/": "/", "/v1": "/v1", "/v1/openapi.json": "/v1/openapi.json", "/assets/a.js": "/{proxy+}"} {
		_, body, err := do(t.Context(), http.MethodGet, b.URL()+path, "")
		if err != nil {
			t.Fatal(err)
		}
		if event := decode[events.APIGatewayProxyRequest](t, body); event.Resource != resource {
			t.Errorf("%s reached %s, want %s", path, event.Resource, resource)
		}
	}
	status, _, err := do(t.Context(), http.MethodGet, b.URL()+"/v1/documents", "")
	if err != nil || status != http.StatusUnauthorized {
		t.Errorf("without a token: %d, %v", status, err)
	}
}

// TestFunctionsHaveTheDeployedMemory: it is in their environment.
func TestFunctionsHaveTheDeployedMemory(t *testing.T) {
	t.Parallel()
	e, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	b := setup(t, stack.Options{})
	if _, _, err := do(t.Context(), http.MethodPost, b.URL()+"/orders", `{"do":"environ"}`); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("AWS_LAMBDA_FUNCTION_MEMORY_SIZE=%d", e.Functions["api"].MemoryMB)
	if line := b.await(t, 1, "environment", "")[0]; !strings.Contains(string(line.Raw), want) {
		t.Errorf("%s is missing in %s", want, line.Raw)
	}
}

// TestNothingHereNeedsTheCDK, which would start Node.js.
func TestNothingHereNeedsTheCDK(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.Lines(string(out)) {
		if strings.Contains(pkg, "aws-cdk") || strings.Contains(pkg, "jsii") {
			t.Errorf("a package of the one-machine stack imports %s", pkg)
		}
	}
	if !strings.Contains(string(out), "infra/stack/extract") {
		t.Error("the extract of the template is not read")
	}
}
