package stack_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// A dead letter counts for as long as its task is open, and it stays in its queue.
func TestProductTellsOfDeadLettersThatSomebodyWaitsFor(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []int64
	b, alice := product(t, stack.Options{Profile: "short", DispatchEvery: -1, Observe: func(line supervisor.Line) {
		mu.Lock()
		defer mu.Unlock()
		if _, isGauge := line.Fields[string(telemetry.OpenDeadLetters)]; isGauge {
			told = append(told, line.Number(string(telemetry.OpenDeadLetters)))
		}
	}})
	look := func() int64 {
		t.Helper()
		if err := b.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			mu.Lock()
			all := told
			told = nil
			mu.Unlock()
			if len(all) > 0 {
				return all[len(all)-1]
			}
			if time.Now().After(deadline) {
				t.Fatal("the dispatcher tells nothing")
			}
		}
	}
	if n := look(); n != 0 {
		t.Errorf("%d open dead letters before there is one", n)
	}
	claims := b.Faults().Install(faultproxy.Rule{
		Name: "no claims", Caller: "worker-*", Operation: "dynamodb.UpdateItem",
		Do: faultproxy.Fail(http.StatusInternalServerError, "InternalServerError"),
	})
	asked := alice.ask(t)
	body, err := sqsqueue.Encode(conversation.TaskRef("acme", asked.Conversation, asked.ID))
	if err != nil {
		t.Fatal(err)
	}
	dead := sqs.NewFromConfig(b.DirectAWSConfig())
	for _, letter := range []string{body, body, "garbage"} {
		_, err := dead.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(b.DeadLetterQueueURL()), MessageBody: aws.String(letter)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := look(); n != 1 {
		t.Errorf("%d open dead letters while somebody waits for one task", n)
	}
	claims.Remove()
	time.Sleep(b.Timers().HandoffGrace) // a real clock in real processes: a handoff that led to no claim is due then
	look()
	if ended := alice.awaitEnd(t, asked); !strings.Contains(ended.Reply.Text, "committee") {
		t.Errorf("task %+v", ended)
	}
	if n := look(); n != 0 {
		t.Errorf("%d open dead letters after the end", n)
	}
	out, err := dead.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(b.DeadLetterQueueURL()), MaxNumberOfMessages: 10})
	if err != nil || len(out.Messages) != 3 {
		t.Errorf("the dead-letter queue has %d letters that can be received, %v", len(out.Messages), err)
	}
}
