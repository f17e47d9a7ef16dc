package dynamostore_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/dynamostore/dynamotest"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

var (
	start   = time.Date(2026, time.November, 29, 14, 0, 0, 0, time.UTC)
	taskRef = conversation.TaskRef("acme", "c1", "t1")
)

func newTask() worktask.Task {
	return worktask.NewTask(taskRef, "reply", "alice", "{}", "gateway-1", worktask.RetryUnknown, start, worktask.DefaultTimers())
}

func newMessage() conversation.Message {
	return conversation.Message{Workspace: "acme", Conversation: "c1", ID: "m1", Text: "hi", CreatedAt: start}
}

func newRecord() idempotency.Record {
	return idempotency.Record{
		Scope: idempotency.Scope{Workspace: "acme", Caller: "alice", Operation: "send_message"}, Key: "r-1",
		Fingerprint: idempotency.Fingerprint{Schema: 1, Sum: strings.Repeat("A", 43)},
		Target:      taskRef.String(), CreatedAt: start, ReplayUntil: start.Add(24 * time.Hour), PurgeAfter: start.Add(365 * 24 * time.Hour),
	}
}

// scripted is a store on an engine that answers from a list. The pauses between
// tries are recorded and take no time.
func scripted(answers ...dynamotest.Answer) (*dynamostore.Store, *dynamotest.Script, *[]time.Duration) {
	script := dynamotest.NewScript(answers...)
	var pauses []time.Duration
	client := dynamotest.Client("http://dynamodb.invalid", func(http.RoundTripper) http.RoundTripper { return script })
	return dynamostore.New(client, "table", dynamostore.Options{
		Jitter: func() float64 { return 0.5 },
		Pause: func(_ context.Context, d time.Duration) error {
			pauses = append(pauses, d)
			return nil
		},
	}), script, &pauses
}

// A cancelled transaction has a reason for each of its actions. Only the
// record's own condition means that the key is taken; a conflict is tried again
// with the same bytes and never passes for a duplicate.
func TestCaseS3ReasonsOfCancelledTransactions(t *testing.T) {
	t.Parallel()
	const condition, conflict, throttled = "ConditionalCheckFailed", "TransactionConflict", "ThrottlingError"
	cancelled := dynamotest.Cancelled
	inProgress := dynamotest.Fault("TransactionInProgressException", "in progress")
	forever := func(a dynamotest.Answer) []dynamotest.Answer {
		return []dynamotest.Answer{a, a, a, a, a, a}
	}
	for name, c := range map[string]struct {
		answers []dynamotest.Answer
		want    error // nil: accepted
		sent    int
	}{
		"conflict, then accepted": {
			[]dynamotest.Answer{cancelled("None", conflict, "None"), dynamotest.OK()}, nil, 2,
		},
		"the record's condition":     {[]dynamotest.Answer{cancelled(condition, "None", "None")}, storeerror.ErrRecordExists, 1},
		"another item's condition":   {[]dynamotest.Answer{cancelled("None", "None", condition)}, storeerror.ErrExists, 1},
		"clean items without a code": {[]dynamotest.Answer{cancelled("", "", condition)}, storeerror.ErrExists, 1},
		"both conditions":            {[]dynamotest.Answer{cancelled(condition, condition, "None")}, storeerror.ErrRecordExists, 1},
		"condition beside conflict": {
			[]dynamotest.Answer{cancelled(condition, conflict, "None")}, storeerror.ErrRecordExists, 1,
		},
		"throttled in one place, then accepted": {
			[]dynamotest.Answer{cancelled("None", throttled, "None"), dynamotest.OK()}, nil, 2,
		},
		"provisioned throughput, then the record": {
			[]dynamotest.Answer{cancelled("None", "None", "ProvisionedThroughputExceeded"), cancelled(condition, "None", "None")},
			storeerror.ErrRecordExists, 2,
		},
		"in progress, then accepted":   {[]dynamotest.Answer{inProgress, inProgress, dynamotest.OK()}, nil, 3},
		"conflict for ever":            {forever(cancelled("None", conflict, "None")), storeerror.ErrConflict, 6},
		"in progress for ever":         {forever(inProgress), storeerror.ErrConflict, 6},
		"throttled for ever":           {forever(dynamotest.Fault("ThrottlingException", "slow down")), storeerror.ErrUnavailable, 6},
		"throttled reasons for ever":   {forever(cancelled(throttled, "None", "None")), storeerror.ErrUnavailable, 6},
		"request limit for ever":       {forever(dynamotest.Fault("RequestLimitExceeded", "slow down")), storeerror.ErrUnavailable, 6},
		"in progress, then throttled":  {append([]dynamotest.Answer{inProgress}, forever(cancelled(throttled))...), storeerror.ErrConflict, 6},
		"conflict without transaction": {[]dynamotest.Answer{dynamotest.Fault("TransactionConflictException", "busy"), dynamotest.OK()}, nil, 2},
		"no reasons at all":            {forever(cancelled()), storeerror.ErrConflict, 6},
		"a reason that is not known":   {[]dynamotest.Answer{cancelled("None", "DuplicateItem", "None")}, storeerror.ErrUnavailable, 1},
		"the token with other bytes":   {[]dynamotest.Answer{dynamotest.Fault("IdempotentParameterMismatchException", "other")}, storeerror.ErrWriteUnknown, 1},
		"answer lost":                  {[]dynamotest.Answer{dynamotest.Reset()}, storeerror.ErrWriteUnknown, 1},
		"answer lost after a conflict": {[]dynamotest.Answer{cancelled(conflict, "None", "None"), dynamotest.Reset()}, storeerror.ErrWriteUnknown, 2},
		"engine out of order":          {[]dynamotest.Answer{dynamotest.Reply(http.StatusInternalServerError, `{"__type":"InternalServerError"}`)}, storeerror.ErrWriteUnknown, 1},
		"half an answer":               {[]dynamotest.Answer{dynamotest.Reply(http.StatusBadGateway, "<html>")}, storeerror.ErrWriteUnknown, 1},
		"no connection":                {[]dynamotest.Answer{dynamotest.Unreachable()}, storeerror.ErrUnavailable, 1},
		"no such table":                {[]dynamotest.Answer{dynamotest.Fault("ResourceNotFoundException", "no table")}, storeerror.ErrUnavailable, 1},
		"no permission":                {[]dynamotest.Answer{dynamotest.Fault("AccessDeniedException", "no")}, storeerror.ErrUnavailable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, script, pauses := scripted(c.answers...)
			err := store.AcceptMessage(t.Context(), newRecord(), newMessage(), newTask())
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
			checkTries(t, script.Bodies(), *pauses, c.sent)
		})
	}
}

// checkTries asks that all tries had the same token and the same parameters, with
// a pause between them. The SDK writes maps in any order, so the bytes differ in
// that; an engine that minds answers "parameter mismatch", see case L1.
func checkTries(t *testing.T, bodies []string, pauses []time.Duration, want int) {
	t.Helper()
	if len(bodies) != want || len(pauses) != want-1 {
		t.Errorf("%d requests and %d pauses, want %d and %d", len(bodies), len(pauses), want, want-1)
	}
	for _, body := range bodies {
		if !equalJSON(t, body, bodies[0]) || !strings.Contains(body, "ClientRequestToken") {
			t.Errorf("a later try sent other parameters: %s, first %s", body, bodies[0])
		}
	}
	for i, d := range pauses {
		if d <= 0 || d > 250*time.Millisecond || (i > 0 && d < pauses[i-1]) {
			t.Errorf("pauses are %v: want them short and growing", pauses)
		}
	}
}

func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// An update has one try; what its error means decides whether anybody may make
// it again without looking.
func TestErrorsOfUpdates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer dynamotest.Answer
		want   error
	}{
		"throttled":           {dynamotest.Fault("ProvisionedThroughputExceededException", "slow"), storeerror.ErrUnavailable},
		"too many requests":   {dynamotest.Reply(http.StatusTooManyRequests, `{"__type":"Odd"}`), storeerror.ErrUnavailable},
		"held by transaction": {dynamotest.Fault("TransactionConflictException", "busy"), storeerror.ErrUnavailable},
		"answer lost":         {dynamotest.Reset(), storeerror.ErrWriteUnknown},
		"engine out of order": {dynamotest.Reply(http.StatusServiceUnavailable, `{"__type":"ServiceUnavailable"}`), storeerror.ErrWriteUnknown},
		"answer unreadable":   {dynamotest.Reply(http.StatusOK, `{"Attributes":`), storeerror.ErrWriteUnknown},
		"no connection":       {dynamotest.Unreachable(), storeerror.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, script, _ := scripted(c.answer)
			_, err := store.Apply(t.Context(), taskRef, worktask.Cancel{Now: start})
			if !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
			if n := len(script.Bodies()); n != 1 {
				t.Errorf("%d requests for one write", n)
			}
		})
	}
}

// The engine alone knows how large an item becomes by an update.
func TestItemThatGrowsTooLarge(t *testing.T) {
	t.Parallel()
	const message = "Item size to update has exceeded the maximum allowed size"
	store, _, _ := scripted(dynamotest.Fault("ValidationException", message))
	_, err := store.Apply(t.Context(), taskRef, worktask.Cancel{Now: start})
	if _, ok := errors.AsType[*storeerror.TooLargeError](err); !ok {
		t.Errorf("the error is %v, want a refused size", err)
	}
	other, _, _ := scripted(dynamotest.Fault("ValidationException", "Invalid UpdateExpression"))
	_, err = other.Apply(t.Context(), taskRef, worktask.Cancel{Now: start})
	for _, kind := range []error{storeerror.ErrUnavailable, storeerror.ErrWriteUnknown} {
		if err == nil || errors.Is(err, kind) {
			t.Errorf("a request that is not valid gives %v, want an error that nobody tries again", err)
		}
	}
}

func TestConditionErrorCarriesTheOldItem(t *testing.T) {
	t.Parallel()
	const failed = `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"failed"%s}`
	for name, c := range map[string]struct {
		item string
		seen bool
	}{
		"told":       {`,"Item":{"pk":{"S":"W#acme#C#c1"},"sk":{"S":"ENTRY#t1"},"entry":{"S":"task"},"status":{"S":"cancelled"}}`, true},
		"not told":   {"", false},
		"unreadable": {`,"Item":{"pk":{"S":"W#acme#C#c1"},"sk":{"S":"ENTRY#t1"},"status":{"N":"1"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _, _ := scripted(dynamotest.Reply(http.StatusBadRequest, strings.Replace(failed, "%s", c.item, 1)))
			_, err := store.Apply(t.Context(), taskRef, worktask.Cancel{Now: start})
			refused, ok := errors.AsType[*taskflow.ConditionError](err)
			if !ok {
				t.Fatalf("the error is %v, want a refused condition", err)
			}
			if (refused.Seen != nil) != c.seen {
				t.Errorf("the item that was seen is %+v", refused.Seen)
			}
			if c.seen && (refused.Seen.Status != worktask.Cancelled || refused.Seen.Ref != taskRef) {
				t.Errorf("the item that was seen is %+v", refused.Seen)
			}
		})
	}
}

// A client that retries by itself would hide the first try's fate: whatever its
// retryer says, a write is sent once.
func TestCaseS1NoRetryInsideTheSDK(t *testing.T) {
	t.Parallel()
	script := dynamotest.NewScript(dynamotest.Reset(), dynamotest.OK())
	eager := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://dynamodb.invalid"), RetryMaxAttempts: 9,
		Credentials: aws.AnonymousCredentials{}, HTTPClient: &http.Client{Transport: script},
	})
	store := dynamostore.New(eager, "table", dynamostore.Options{})
	if _, err := store.Apply(t.Context(), taskRef, worktask.Cancel{Now: start}); !errors.Is(err, storeerror.ErrWriteUnknown) {
		t.Errorf("the error is %v, want %v", err, storeerror.ErrWriteUnknown)
	}
	if n := len(script.Bodies()); n != 1 {
		t.Errorf("%d requests for one write", n)
	}
}

// Without credentials nothing can be sent.
func TestFailureBeforeSendingIsUnavailable(t *testing.T) {
	t.Parallel()
	script := dynamotest.NewScript()
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://dynamodb.invalid"), HTTPClient: &http.Client{Transport: script},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, errors.New("no credentials")
		}),
	})
	_, err := dynamostore.New(client, "table", dynamostore.Options{}).Apply(t.Context(), taskRef, worktask.Cancel{Now: start})
	if !errors.Is(err, storeerror.ErrUnavailable) || len(script.Bodies()) != 0 {
		t.Errorf("the error is %v after %d requests, want %v and none", err, len(script.Bodies()), storeerror.ErrUnavailable)
	}
}

// A deadline that passes on the way leaves the outcome open.
func TestDeadlineAfterSendingIsUnknown(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	store, _, _ := scripted(func(r *http.Request) (*http.Response, error) {
		cancel()
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	if _, err := store.Apply(ctx, taskRef, worktask.Cancel{Now: start}); !errors.Is(err, storeerror.ErrWriteUnknown) {
		t.Errorf("the error is %v, want %v", err, storeerror.ErrWriteUnknown)
	}
}

// losing runs a store on kumo behind a transport that loses the first answer to
// an operation.
func losing(t *testing.T, operation string) *dynamostore.Store {
	t.Helper()
	url := startKumo(t)
	table := dynamotest.NewTable(t, dynamotest.Client(url, nil))
	var once sync.Once
	client := dynamotest.Client(url, func(next http.RoundTripper) http.RoundTripper {
		return &dynamotest.Lossy{Next: next, Lose: func(r *http.Request) (lose bool) {
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+operation) {
				once.Do(func() { lose = true })
			}
			return lose
		}}
	})
	return dynamostore.New(client, table, dynamostore.Options{})
}

// The write lands and its answer is lost; reading back proves it one's own, and
// writing again is refused.
func TestCaseS1LostAnswers(t *testing.T) {
	t.Parallel()
	t.Run("claim", func(t *testing.T) {
		t.Parallel()
		store := losing(t, "UpdateItem")
		if err := store.AcceptTask(t.Context(), newRecord(), newTask()); err != nil {
			t.Fatal(err)
		}
		claim := worktask.Claim{AssignmentID: "a1", Now: start, LeaseUntil: start.Add(30 * time.Second), Margin: 2 * time.Second}
		checkLost(t, store, claim)
	})
	t.Run("completion", func(t *testing.T) {
		t.Parallel()
		store := losing(t, "UpdateItem")
		running := newTask()
		running.Status, running.AssignmentID, running.AssignmentVersion = worktask.Running, "a1", 1
		running.LeaseExpiresAt = start.Add(30 * time.Second)
		if err := store.AcceptTask(t.Context(), newRecord(), running); err != nil {
			t.Fatal(err)
		}
		a, _ := worktask.AssignmentOf(running, "a1")
		checkLost(t, store, a.Complete(start, worktask.Result{Body: "saved"}, worktask.Report{}))
	})
	t.Run("accept", func(t *testing.T) {
		t.Parallel()
		store := losing(t, "TransactWriteItems")
		err := store.AcceptMessage(t.Context(), newRecord(), newMessage(), newTask())
		if !errors.Is(err, storeerror.ErrWriteUnknown) {
			t.Fatalf("the error is %v, want %v", err, storeerror.ErrWriteUnknown)
		}
		record, err := store.Record(t.Context(), newRecord().Scope, newRecord().Key)
		if err != nil || record.Target != newRecord().Target {
			t.Errorf("the record is %+v, %v", record, err)
		}
	})
}

func checkLost(t *testing.T, store *dynamostore.Store, tr worktask.Transition) {
	t.Helper()
	if _, err := store.Apply(t.Context(), taskRef, tr); !errors.Is(err, storeerror.ErrWriteUnknown) {
		t.Fatalf("the error is %v, want %v", err, storeerror.ErrWriteUnknown)
	}
	seen, err := store.Get(t.Context(), taskRef)
	if err != nil {
		t.Fatal(err)
	}
	if !tr.Mine(seen, start) {
		t.Errorf("the write does not recognise itself on %+v", seen)
	}
	if _, err := store.Apply(t.Context(), taskRef, tr); err == nil {
		t.Error("the write has landed twice")
	}
}
