package observe_test

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// sent is an HTTP client that keeps the request and answers nothing.
type sent struct{ body []byte }

func (s *sent) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.body = body
	return nil, errors.New("no answer")
}

var (
	ref     = worktask.Ref{Workspace: "acme", Scope: "C#01JDC000000000000000000000", ID: "01JDT000000000000000000000"}
	at      = time.Date(2026, 11, 29, 14, 0, 0, 123e6, time.UTC)
	margin  = 500 * time.Millisecond
	reserve = time.Second
	spent   = worktask.Report{Tokens: worktask.Tokens{Input: 3, Output: 5}, ProviderRequestID: "req_1"}
)

// holding is the right to the task.
func holding(t *testing.T) worktask.Assignment {
	t.Helper()
	a, ok := worktask.AssignmentOf(worktask.Task{Ref: ref, Status: worktask.Running, AssignmentID: "a-7", AssignmentVersion: 7}, "a-7")
	if !ok {
		t.Fatal("no assignment")
	}
	return a
}

// transitions are all writes of a task.
func transitions(t *testing.T) []worktask.Transition {
	t.Helper()
	a := holding(t)
	return []worktask.Transition{
		worktask.Claim{AssignmentID: "a-8", Now: at, LeaseUntil: at.Add(3 * time.Second), Margin: margin, Reserve: reserve},
		worktask.LookupClaim{AssignmentID: "a-8", Now: at, LeaseUntil: at.Add(3 * time.Second), Margin: margin, Reserve: reserve},
		a.Begin(at), a.Renew(at, at.Add(4*time.Second)), a.SaveOperation(at, "op-1"),
		a.Complete(at, worktask.Result{Body: `{"text":"yes"}`}, spent),
		a.Complete(at, worktask.Result{ObjectKey: "results/x", Bytes: 400_000, SHA256: "ab"}, spent),
		a.Release(at, worktask.ReleaseRejected, at.Add(time.Second), at.Add(4*time.Second), spent),
		a.Release(at, worktask.ReleaseUnknown, at.Add(time.Second), at.Add(4*time.Second), worktask.Report{}),
		a.Fail(at, worktask.Declined, true, spent), a.Fail(at, worktask.OutcomeUnknown, false, worktask.Report{}),
		worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: at, Margin: margin},
		worktask.End{Reason: worktask.AttemptsExhausted, By: worktask.EndedByWorker, Now: at, Margin: margin},
		worktask.Cancel{Now: at},
		worktask.Bump{Seen: at, Due: at.Add(3 * time.Second)},
	}
}

// request is what the product's store sends for a write.
func request(t *testing.T, tr worktask.Transition) *faultproxy.Request {
	t.Helper()
	var wire sent
	store := dynamostore.New(dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://nowhere"), HTTPClient: &wire, Logger: logging.Nop{},
		Credentials: credentials.NewStaticCredentialsProvider("worker-1", "local", ""),
	}), "table", dynamostore.Options{Tries: 1})
	if _, err := store.Apply(t.Context(), ref, tr); err == nil {
		t.Fatal("a write without an answer has succeeded")
	}
	return &faultproxy.Request{Caller: "worker-1", Operation: "dynamodb.UpdateItem", Body: wire.body}
}

// TestWritesAreReadAsTheyWereMeant: what a history has of a request is what its
// sender would have put there.
func TestWritesAreReadAsTheyWereMeant(t *testing.T) {
	t.Parallel()
	for _, tr := range transitions(t) {
		want, err := history.WriteOf(tr)
		if err != nil {
			t.Fatal(err)
		}
		if want.Fenced() {
			want.AssignmentID = "" // the request names the version only
		}
		got, write, ok := observe.ParseUpdate(request(t, tr), reserve)
		if !ok || got != ref || write != want {
			t.Errorf("%s of %s is read as\n%+v, want\n%+v", tr.Name(), got, write, want)
		}
	}
}

func TestBreaksTakeTheConditionOfTheirWritesOnly(t *testing.T) {
	t.Parallel()
	broken, known := observe.BreakNamed("unfenced-save")
	if _, unknown := observe.BreakNamed("nothing like it"); !known || unknown || len(observe.Breaks()) == 0 {
		t.Fatal("names are not told apart")
	}
	for _, tr := range transitions(t) {
		r := request(t, tr)
		before := string(r.Body)
		broken(r)
		var body struct {
			Condition string `json:"ConditionExpression"`
		}
		if err := r.Decode(&body); err != nil {
			t.Fatal(err)
		}
		if save := tr.Name() == history.Complete; save != (body.Condition == "") || save == (string(r.Body) == before) {
			t.Errorf("%s is sent with the condition %q", tr.Name(), body.Condition)
		}
	}
}

func FuzzParseUpdate(f *testing.F) {
	f.Add([]byte(`{"Key":{"pk":{"S":"W#acme#C#c"},"sk":{"S":"ENTRY#t"}},"ExpressionAttributeValues":{":status":{"S":"running"},":now":{"N":"1"}}}`))
	f.Add([]byte(`{"Key":{"pk":{"S":"W#acme#C#c"},"sk":{"S":"ENTRY#t"}},"ExpressionAttributeValues":{":handoff_due_at_ms":{"N":"x"}}}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, body []byte) {
		ref, write, ok := observe.ParseUpdate(&faultproxy.Request{Operation: "dynamodb.UpdateItem", Body: body}, reserve)
		if ok && (ref.ID == "" || write.Transition == "") {
			t.Errorf("read as %+v of %+v", write, ref)
		}
	})
}
