package faultproxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/logging"
)

// endpoint remembers what reaches it and answers {} to everything.
type endpoint struct {
	mu       sync.Mutex
	arrived  []string // operation and body
	requests []*http.Request
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, service, operation := identify(r)
	e.mu.Lock()
	e.arrived = append(e.arrived, operation+" "+string(body))
	e.requests = append(e.requests, r)
	e.mu.Unlock()
	if service != "s3" {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		_, _ = io.WriteString(w, `{}`)
	}
}

func (e *endpoint) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.arrived)
}

type bundle struct {
	endpoint *endpoint
	proxy    *Proxy
	logger   logging.Logger // of the SDK; nil is its own
}

func setup(t *testing.T, credentials *Credentials) *bundle {
	t.Helper()
	e := &endpoint{}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	proxy, err := Listen(server.URL, credentials)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	return &bundle{endpoint: e, proxy: proxy}
}

func (b *bundle) config(caller string) aws.Config {
	return aws.Config{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider(caller, "secret", ""),
		BaseEndpoint: aws.String(b.proxy.URL()),
		Logger:       b.logger,
		Retryer:      func() aws.Retryer { return aws.NopRetryer{} },
	}
}

// put writes an item as the caller.
func (b *bundle) put(ctx context.Context, caller, item string) error {
	_, err := dynamodb.NewFromConfig(b.config(caller)).PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("t"),
		Item:      map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: item}},
	})
	if err != nil {
		return fmt.Errorf("put %s: %w", item, err)
	}
	return nil
}

func TestRequestsPassWithoutRules(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	var logged bytes.Buffer
	b.logger = logging.NewStandardLogger(&logged)
	var seen []string
	b.proxy.Observe(func(x Exchange) {
		seen = append(seen, fmt.Sprintf("%s %s %d", x.Request.Caller, x.Request.Operation, x.Response.Status))
	})
	if err := b.put(t.Context(), "worker-1", "a"); err != nil {
		t.Error(err)
	}
	_, err := sqs.NewFromConfig(b.config("api-1")).DeleteMessage(t.Context(), &sqs.DeleteMessageInput{
		QueueUrl: aws.String("http://localhost/q"), ReceiptHandle: aws.String("r"),
	})
	if err != nil {
		t.Error(err)
	}
	_, err = s3.NewFromConfig(b.config("api-2")).PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String("bucket"), Key: aws.String("a b/ü"), Body: strings.NewReader("text"),
	})
	if err != nil {
		t.Error(err)
	}
	want := "worker-1 dynamodb.PutItem 200, api-1 sqs.DeleteMessage 200, api-2 s3.PUT 200"
	if got := strings.Join(seen, ", "); got != want {
		t.Errorf("saw %s, want %s", got, want)
	}
	b.endpoint.mu.Lock()
	defer b.endpoint.mu.Unlock()
	if last := b.endpoint.requests[2]; last.URL.EscapedPath() != "/bucket/a%20b/%C3%BC" || b.endpoint.arrived[2] != "s3.PUT text" {
		t.Errorf("object arrived as %s %q", last.URL.EscapedPath(), b.endpoint.arrived[2])
	}
	if logged.String() != "" {
		t.Errorf("the SDK complains: %s", logged.String())
	}
	if n := b.proxy.Counts()[Key{"worker-1", "dynamodb.PutItem"}]; n != 1 || b.proxy.Count("s3.PUT") != 1 {
		t.Errorf("counts %v", b.proxy.Counts())
	}
}

func TestRuleSelectsByCallerOperationContentAndNumber(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	rule := b.proxy.Install(Rule{
		Name: "second put of x by a worker", Caller: "worker-*", Operation: "dynamodb.Put*",
		When: func(r *Request) bool {
			var in struct {
				Item struct{ PK struct{ S string } }
			}
			return r.Decode(&in) == nil && in.Item.PK.S == "x"
		},
		Skip: 1, Times: 1, Do: Throttle(),
	})
	for i, step := range []struct {
		caller, item string
		refused      bool
	}{
		{"worker-1", "x", false},
		{"api-1", "x", false},
		{"worker-1", "y", false},
		{"worker-2", "x", true},
		{"worker-2", "x", false},
	} {
		err := b.put(t.Context(), step.caller, step.item)
		if _, ok := errors.AsType[*types.ThrottlingException](err); ok != step.refused {
			t.Errorf("step %d: %v", i, err)
		}
	}
	if rule.Acted() != 1 {
		t.Errorf("acted %d times", rule.Acted())
	}
}

func TestLoseAnswerAppliesTheWriteOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	rule := b.proxy.Install(Rule{Times: 1, Do: LoseAnswer()})
	if err := b.put(t.Context(), "worker-1", "a"); err == nil {
		t.Error("the sender heard of its write")
	}
	if b.endpoint.count() != 1 || rule.Acted() != 1 {
		t.Errorf("%d requests arrived", b.endpoint.count())
	}
	if err := b.put(t.Context(), "worker-1", "b"); err != nil {
		t.Errorf("the next request: %v", err)
	}
}

func TestHeldRequestOfADeadSenderNeverArrives(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	release := make(chan struct{})
	rule := b.proxy.Install(Rule{Times: 1, Do: Hold(release)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.put(ctx, "worker-1", "a") }()
	if err := rule.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-done
	if err := b.put(t.Context(), "worker-1", "b"); err != nil { // gives the proxy time to notice
		t.Error(err)
	}
	if got := b.endpoint.count(); got != 1 {
		t.Errorf("%d requests arrived", got)
	}
}

func TestHeldRequestArrivesWhenReleased(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	release := make(chan struct{})
	rule := b.proxy.Install(Rule{Do: Hold(release)})
	done := make(chan error, 1)
	go func() { done <- b.put(t.Context(), "worker-1", "a") }()
	if err := rule.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if b.endpoint.count() != 0 {
		t.Error("a held request arrived")
	}
	close(release)
	if err := <-done; err != nil || b.endpoint.count() != 1 {
		t.Errorf("%d requests arrived, %v", b.endpoint.count(), err)
	}
}

func TestWriteLandsAlthoughItsSenderDies(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	b.proxy.Install(Rule{Times: 1, Do: func(r *Request, forward Forward) (*Response, error) {
		cancel()
		<-r.Gone()
		return forward()
	}})
	if err := b.put(ctx, "worker-1", "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for deadline := time.Now().Add(5 * time.Second); b.endpoint.count() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the write did not land")
		}
	}
}

func TestHookRunsBetweenWriteAndAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	arrived := 0
	b.proxy.Install(Rule{Do: Then(func(_ *Request, resp *Response) {
		arrived = b.endpoint.count()
		if resp.Status != http.StatusOK {
			t.Errorf("status %d", resp.Status)
		}
	})})
	if err := b.put(t.Context(), "worker-1", "a"); err != nil || arrived != 1 {
		t.Errorf("%d requests had arrived, %v", arrived, err)
	}
}

func TestDuplicateAndLateRequests(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	release, landed := make(chan struct{}), make(chan struct{})
	b.proxy.Install(Rule{Do: Sequence(
		Duplicate(),
		Late(release, func(resp *Response, err error) {
			if err != nil || resp.Status != http.StatusOK {
				t.Errorf("late request: %v, %v", resp, err)
			}
			close(landed)
		}),
	)})
	if err := b.put(t.Context(), "worker-1", "a"); err != nil || b.endpoint.count() != 2 {
		t.Errorf("duplicate: %d requests arrived, %v", b.endpoint.count(), err)
	}
	if err := b.put(t.Context(), "worker-1", "b"); err == nil || b.endpoint.count() != 2 {
		t.Errorf("late: %d requests arrived, %v", b.endpoint.count(), err)
	}
	if err := b.put(t.Context(), "worker-1", "c"); err != nil || b.endpoint.count() != 3 {
		t.Errorf("third: %d requests arrived, %v", b.endpoint.count(), err)
	}
	close(release)
	<-landed
	if b.endpoint.count() != 4 || !strings.Contains(b.endpoint.arrived[3], `"b"`) {
		t.Errorf("the late request did not arrive last: %q", b.endpoint.arrived)
	}
}

func TestRemovedRuleDoesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	rule := b.proxy.Install(Rule{Do: Fail(http.StatusInternalServerError, "InternalServerError")})
	if err := b.put(t.Context(), "worker-1", "a"); err == nil {
		t.Error("the rule did not act")
	}
	rule.Remove()
	if err := b.put(t.Context(), "worker-1", "a"); err != nil {
		t.Error(err)
	}
}

func TestEndpointThatIsDownCutsTheConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	if err := b.proxy.SetEndpoint("http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	if err := b.put(t.Context(), "worker-1", "a"); err == nil {
		t.Error("a request was answered without an endpoint")
	}
}

func TestEndpointThatChecksSignaturesGetsItsOwn(t *testing.T) {
	t.Parallel()
	keys := credentials.NewStaticCredentialsProvider("AKIDREAL", "real", "token")
	b := setup(t, &Credentials{Provider: keys, Region: "eu-central-1"})
	if err := b.put(t.Context(), "worker-1", "a"); err != nil {
		t.Fatal(err)
	}
	if b.proxy.Counts()[Key{"worker-1", "dynamodb.PutItem"}] != 1 {
		t.Error("the sender is counted under another name")
	}
	b.endpoint.mu.Lock()
	defer b.endpoint.mu.Unlock()
	got := b.endpoint.requests[0]
	signedAt, err := time.Parse("20060102T150405Z", got.Header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	// What the endpoint would compute over the request that it got.
	again := httptest.NewRequest(got.Method, "http://"+got.Host+got.URL.RequestURI(), nil)
	again.ContentLength = got.ContentLength
	again.Header = got.Header.Clone()
	again.Header.Del("Authorization")
	body := strings.TrimPrefix(b.endpoint.arrived[0], "dynamodb.PutItem ")
	value, _ := keys.Retrieve(t.Context())
	if err := v4.NewSigner().SignHTTP(t.Context(), value, again, sha256Hex(body), "dynamodb", "eu-central-1", signedAt); err != nil {
		t.Fatal(err)
	}
	if got.Header.Get("Authorization") != again.Header.Get("Authorization") {
		t.Errorf("signed\n%s, want\n%s", got.Header.Get("Authorization"), again.Header.Get("Authorization"))
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add("AWS4-HMAC-SHA256 Credential=worker-1/20261129/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0", "AmazonSQS.SendMessage")
	f.Add("Credential=", "a.b.c")
	f.Fuzz(func(t *testing.T, authorization, target string) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Authorization", authorization)
		r.Header.Set("X-Amz-Target", target)
		_, service, operation := identify(r)
		if !strings.HasPrefix(operation, service+".") {
			t.Errorf("operation %q of service %q", operation, service)
		}
	})
}

func sha256Hex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
