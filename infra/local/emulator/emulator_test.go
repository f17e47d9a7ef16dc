package emulator_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go/logging"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/emulator"
	"github.com/replyonce/replyonce/infra/local/internal/testprograms"
	"github.com/replyonce/replyonce/infra/local/resources"
	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/dynamoschema"
)

var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, remove, err := testprograms.Dir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	binary = binaries.Path(dir, "emulator")
	return m.Run()
}

var definition = resources.Definition{
	Table: "t", Queue: "q", DeadLetterQueue: "dead", Bucket: "bucket", Like: deployed(),
}

// deployed is what the template has, with a visibility of its own.
func deployed() extract.Extract {
	e, err := extract.Load()
	if err != nil {
		panic(err)
	}
	e.Queue.VisibilitySeconds = 12
	return e
}

func start(t *testing.T, dir string) (*emulator.Emulator, aws.Config, resources.Created) {
	t.Helper()
	e, err := emulator.Start(t.Context(), emulator.Options{Path: binary, DataDir: dir, Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	cfg := aws.Config{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		BaseEndpoint: aws.String(e.URL()),
		Logger:       logging.Nop{}, // the emulator's answers lack a checksum
	}
	created, err := resources.Ensure(t.Context(), cfg, definition)
	if err != nil {
		t.Fatal(err)
	}
	return e, cfg, created
}

// write puts one thing into each service.
func write(t *testing.T, cfg aws.Config, queueURL, name string) {
	t.Helper()
	_, err := dynamodb.NewFromConfig(cfg).PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(definition.Table),
		Item: map[string]types.AttributeValue{
			dynamoschema.PK: &types.AttributeValueMemberS{Value: name},
			dynamoschema.SK: &types.AttributeValueMemberS{Value: "x"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sqs.NewFromConfig(cfg).SendMessage(t.Context(), &sqs.SendMessageInput{
		QueueUrl: aws.String(queueURL), MessageBody: aws.String(name),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s3.NewFromConfig(cfg).PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(definition.Bucket), Key: aws.String("a/" + name), Body: strings.NewReader(name),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read tells what of the written things is there.
func read(t *testing.T, cfg aws.Config, queueURL, name string) string {
	t.Helper()
	var found []string
	item, err := dynamodb.NewFromConfig(cfg).GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String(definition.Table),
		Key: map[string]types.AttributeValue{
			dynamoschema.PK: &types.AttributeValueMemberS{Value: name},
			dynamoschema.SK: &types.AttributeValueMemberS{Value: "x"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if item.Item != nil {
		found = append(found, "item")
	}
	messages, err := sqs.NewFromConfig(cfg).ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(queueURL)})
	if err != nil {
		t.Fatal(err)
	}
	if len(messages.Messages) == 1 && aws.ToString(messages.Messages[0].Body) == name {
		found = append(found, "message")
	}
	object, err := s3.NewFromConfig(cfg).GetObject(t.Context(), &s3.GetObjectInput{
		Bucket: aws.String(definition.Bucket), Key: aws.String("a/" + name),
	})
	if err == nil {
		if body, err := io.ReadAll(object.Body); err == nil && string(body) == name {
			found = append(found, "object")
		}
	}
	return strings.Join(found, " ")
}

func TestDataSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, cfg, created := start(t, dir)
	write(t, cfg, created.QueueURL, "kept")
	err := first.Flush(t.Context(), cfg, emulator.Resources{
		Table: definition.Table, QueueURL: created.QueueURL, Bucket: definition.Bucket,
	})
	if err != nil {
		t.Fatal(err)
	}
	first.Kill() // what Flush has seen survives even this

	_, cfg, created = start(t, dir)
	if got := read(t, cfg, created.QueueURL, "kept"); got != "item message object" {
		t.Errorf("after the restart there are: %s", got)
	}
}

func TestTwoEmulatorsShareNothing(t *testing.T) {
	t.Parallel()
	_, one, created := start(t, "")
	_, other, _ := start(t, "")
	write(t, one, created.QueueURL, "mine")
	if got := read(t, other, created.QueueURL, "mine"); got != "" {
		t.Errorf("the other emulator has: %s", got)
	}
}

func TestResourcesAreAsDefined(t *testing.T) {
	t.Parallel()
	_, cfg, created := start(t, "")
	changed := definition
	changed.Like.Queue.VisibilitySeconds = 720
	again, err := resources.Ensure(t.Context(), cfg, changed)
	if err != nil || again != created {
		t.Fatalf("second time: %+v, %v", again, err)
	}
	attributes, err := sqs.NewFromConfig(cfg).GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(created.QueueURL), AttributeNames: []sqstypes.QueueAttributeName{"All"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := attributes.Attributes["VisibilityTimeout"]; got != "720" {
		t.Errorf("visibility timeout %s", got)
	}
	if got := attributes.Attributes["RedrivePolicy"]; !strings.Contains(got, `:dead"`) || !strings.Contains(got, "20") {
		t.Errorf("redrive policy %s", got)
	}
	table, err := dynamodb.NewFromConfig(cfg).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(definition.Table)})
	if err != nil {
		t.Fatal(err)
	}
	indexes := table.Table.GlobalSecondaryIndexes
	if len(indexes) != 1 || aws.ToString(indexes[0].IndexName) != dynamoschema.HandoffIndex ||
		indexes[0].Projection.ProjectionType != types.ProjectionTypeKeysOnly {
		t.Errorf("indexes %+v", indexes)
	}
}

func TestDamagedDataFolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dynamodb.json"), []byte(`{"tables":`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := emulator.Start(t.Context(), emulator.Options{Path: binary, DataDir: dir, Region: "us-east-1"})
	if err == nil || !strings.Contains(err.Error(), "dynamodb.json is damaged") {
		t.Errorf("start: %v", err)
	}
}
