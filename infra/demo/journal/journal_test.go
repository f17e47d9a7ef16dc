package journal_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

var ref = worktask.Ref{Workspace: "acme", Scope: "C#01J8ZQ5T7V9W2X3Y4Z5A6B7C8D", ID: "01J8ZQ5T7V9W2X3Y4Z5A6B7C8E"}

// endpoint answers requests with what is put in for their operation.
type endpoint struct {
	mu      sync.Mutex
	answers map[string]string
	status  int
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	e.mu.Lock()
	defer e.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(e.status)
	_, _ = io.WriteString(w, e.answers[operation])
}

// ended is a store whose only task has ended.
type ended struct{}

func (ended) Get(context.Context, worktask.Ref) (worktask.Task, error) {
	return worktask.Task{Ref: ref, Status: worktask.Completed}, nil
}

type rig struct {
	endpoint *endpoint
	proxy    *faultproxy.Proxy
	journal  *journal.Journal
	config   aws.Config
}

func newRig(t *testing.T) rig {
	t.Helper()
	e := &endpoint{answers: map[string]string{}, status: http.StatusOK}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	proxy, err := faultproxy.Listen(server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	j := journal.New(ended{})
	proxy.Observe(j.Observe)
	return rig{e, proxy, j, aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(proxy.URL()),
		Credentials: credentials.NewStaticCredentialsProvider("worker-1", "local", ""),
	}}
}

// TestEveryWriteOfTheStoreIsRecognised uses the real store, so that the journal cannot fall behind it.
func TestEveryWriteOfTheStoreIsRecognised(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	store := dynamostore.New(dynamodb.NewFromConfig(r.config), "table", dynamostore.Options{})
	now := time.UnixMilli(1_800_000_000_000).UTC()
	a, ok := worktask.AssignmentOf(worktask.Task{Ref: ref, Status: worktask.Running, AssignmentID: "A", AssignmentVersion: 7}, "A")
	if !ok {
		t.Fatal("no assignment")
	}
	for _, c := range []struct {
		transition worktask.Transition
		kind       journal.Kind
		fence      int64
	}{
		{worktask.Claim{AssignmentID: "B", Now: now, LeaseUntil: now}, journal.Claim, 0},
		{worktask.LookupClaim{AssignmentID: "B", Now: now, LeaseUntil: now}, journal.Claim, 0},
		{a.Begin(now), journal.Begin, 7},
		{a.Renew(now, now.Add(time.Second)), journal.Renew, 7},
		{a.SaveOperation(now, "op"), journal.SaveOperation, 7},
		{a.Complete(now, worktask.Result{Body: "{}"}, worktask.Report{}), journal.Complete, 7},
		{a.Release(now, worktask.ReleaseUnknown, now, now, worktask.Report{}), journal.Release, 7},
		{a.Fail(now, worktask.Declined, true, worktask.Report{}), journal.Fail, 7},
		{worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: now}, journal.End, 0},
		{worktask.Cancel{Now: now}, journal.Cancel, 0},
		{worktask.Bump{Seen: now, Due: now}, journal.Bump, 0},
	} {
		before := len(r.journal.Writes.All())
		_, _ = store.Apply(t.Context(), ref, c.transition) // the endpoint's empty answer is no task
		writes := r.journal.Writes.All()[before:]
		if len(writes) != 1 {
			t.Errorf("%s: %d writes in the journal", c.transition.Name(), len(writes))
			continue
		}
		got := writes[0]
		if got.Kind != c.kind || got.Fence != c.fence || got.Ref != ref || got.Caller != "worker-1" {
			t.Errorf("%s: %+v", c.transition.Name(), got)
		}
		if got.Owner != "" != (c.kind == journal.Claim) {
			t.Errorf("%s: owner %q", c.transition.Name(), got.Owner)
		}
	}
}

func TestOutcomesOfWrites(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	store := dynamostore.New(dynamodb.NewFromConfig(r.config), "table", dynamostore.Options{})
	cancel := worktask.Cancel{Now: time.UnixMilli(1_800_000_000_000)}
	apply := func(status int, answer string) journal.Write {
		t.Helper()
		r.endpoint.mu.Lock()
		r.endpoint.status, r.endpoint.answers["UpdateItem"] = status, answer
		r.endpoint.mu.Unlock()
		before := len(r.journal.Writes.All())
		_, _ = store.Apply(t.Context(), ref, cancel) // what the store makes of it is not the point
		writes := r.journal.Writes.All()[before:]
		if len(writes) != 1 {
			t.Fatalf("%d writes in the journal", len(writes))
		}
		return writes[0]
	}
	const after = `{"Attributes":{"assignment_version":{"N":"3"},"status":{"S":"cancelled"}}}`
	if w := apply(http.StatusOK, after); !w.Landed || w.Version != 3 || w.Status != worktask.Cancelled || w.Task.Status != worktask.Completed || w.Lost {
		t.Errorf("landed: %+v", w)
	}
	if w := apply(http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}`); w.Landed || !w.Refused {
		t.Errorf("refused: %+v", w)
	}
	if w := apply(http.StatusInternalServerError, `{"__type":"InternalServerError"}`); w.Landed || w.Refused {
		t.Errorf("failed: %+v", w)
	}
	r.proxy.Install(faultproxy.Rule{Operation: "dynamodb.UpdateItem", Do: r.journal.LoseAnswer(t.Context())})
	if w := apply(http.StatusOK, after); !w.Landed || !w.Lost {
		t.Errorf("lost: %+v", w)
	}
}

func TestDeliveriesAndDeletions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	body, err := sqsqueue.Encode(ref)
	if err != nil {
		t.Fatal(err)
	}
	r.endpoint.answers["ReceiveMessage"] = marshal(t, map[string]any{"Messages": []any{
		map[string]any{"MessageId": "1", "ReceiptHandle": "kept", "Body": body, "Attributes": map[string]string{"ApproximateReceiveCount": "1"}},
		map[string]any{"MessageId": "2", "ReceiptHandle": "gone", "Body": body, "Attributes": map[string]string{"ApproximateReceiveCount": "3"}},
		map[string]any{"MessageId": "3", "ReceiptHandle": "garbage", "Body": "garbage"},
	}})
	r.endpoint.answers["DeleteMessageBatch"] = `{"Successful":[{"Id":"1"}],"Failed":[{"Id":"0","SenderFault":false,"Code":"InternalError"}]}`
	queue := sqs.NewFromConfig(r.config, func(o *sqs.Options) { o.DisableMessageChecksumValidation = true })
	if _, err := queue.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String("http://queue")}); err != nil {
		t.Fatal(err)
	}
	entry := func(id, receipt string) types.DeleteMessageBatchRequestEntry {
		return types.DeleteMessageBatchRequestEntry{Id: aws.String(id), ReceiptHandle: aws.String(receipt)}
	}
	if _, err := queue.DeleteMessageBatch(t.Context(), &sqs.DeleteMessageBatchInput{
		QueueUrl: aws.String("http://queue"), Entries: []types.DeleteMessageBatchRequestEntry{entry("0", "kept"), entry("1", "gone"), entry("2", "garbage")},
	}); err != nil {
		t.Fatal(err)
	}
	if got := r.journal.Deliveries.All(); len(got) != 2 || got[1].Receives != 3 || got[1].Ref != ref || got[1].Message != "2" {
		t.Errorf("deliveries %+v", got)
	}
	if got := r.journal.Deletions.All(); len(got) != 1 || got[0].Ref != ref || got[0].Message != "2" || got[0].Task.Status != worktask.Completed || got[0].Err != nil {
		t.Errorf("deletions %+v", got)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
