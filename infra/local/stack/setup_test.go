package stack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/local/internal/testprograms"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/local/supervisor"
)

// programs is a folder in which all functions are the test function.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, remove, err := testprograms.Dir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	programs = dir
	return m.Run()
}

// bundle is a stack of test functions and what its functions wrote.
type bundle struct {
	*stack.Stack

	mu    sync.Mutex
	lines []supervisor.Line
}

func setup(t *testing.T, o stack.Options) *bundle {
	t.Helper()
	b := &bundle{}
	o.Observe = func(line supervisor.Line) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lines = append(b.lines, line)
	}
	if o.Binaries == "" {
		o.Binaries = programs
	}
	if o.Profile == "" {
		o.Profile = "short"
	}
	running, err := stack.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Stack = running
	t.Cleanup(func() {
		if err := running.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// await returns the first n lines with the message and the text in their raw form, when they are there.
func (b *bundle) await(t *testing.T, n int, message, text string) []supervisor.Line {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var found []supervisor.Line
		b.mu.Lock()
		for _, line := range b.lines {
			if line.Message == message && strings.Contains(string(line.Raw), text) {
				found = append(found, line)
			}
		}
		b.mu.Unlock()
		if len(found) >= n {
			return found[:n]
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d lines %q with %q, want %d", len(found), message, text, n)
		}
	}
}

func (b *bundle) send(t *testing.T, body string) {
	t.Helper()
	_, err := sqs.NewFromConfig(b.DirectAWSConfig()).SendMessage(t.Context(), &sqs.SendMessageInput{
		QueueUrl: aws.String(b.QueueURL()), MessageBody: aws.String(body),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// counts returns how many messages wait and how many are in hand.
func (b *bundle) counts(t *testing.T) string {
	t.Helper()
	out, err := sqs.NewFromConfig(b.DirectAWSConfig()).GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(b.QueueURL()), AttributeNames: []sqsAttribute{"All"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Attributes["ApproximateNumberOfMessages"] + " waiting, " +
		out.Attributes["ApproximateNumberOfMessagesNotVisible"] + " in hand"
}

func (b *bundle) awaitCounts(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); b.counts(t) != want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the queue has %s, want %s", b.counts(t), want)
		}
	}
}

// has tells whether the test function's item is in the table.
func (b *bundle) has(t *testing.T, name string) bool {
	t.Helper()
	out, err := dynamodb.NewFromConfig(b.DirectAWSConfig()).GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String(stack.Table), ConsistentRead: aws.Bool(true),
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "test"},
			"sk": &types.AttributeValueMemberS{Value: name},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item != nil
}

// do sends a request and returns status and body.
func do(ctx context.Context, method, url, body string, header ...string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", fmt.Errorf("send request: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, "", fmt.Errorf("read answer: %w", err)
	}
	return resp.StatusCode, string(got), nil
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return value
}
