package stack_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/local/supervisor"
)

type sqsAttribute = sqstypes.QueueAttributeName

func TestRequestPassesAuthorizerAndAPI(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{StageInPath: true})
	status, body, err := do(t.Context(), http.MethodPost, b.URL()+"/v1/x", "{}", "Authorization", "Bearer alice")
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, body, err)
	}
	event := decode[events.APIGatewayProxyRequest](t, body)
	if event.Path != "/v1/x" || event.RequestContext.Path != "/prod/v1/x" || event.RequestContext.Authorizer["caller"] != "alice" {
		t.Errorf("event %+v", event)
	}
	if status, _, err := do(t.Context(), http.MethodPost, b.URL()+"/v1/x", "{}"); err != nil || status != http.StatusUnauthorized {
		t.Errorf("without a token: %d, %v", status, err)
	}
}

func TestRequestsRunInParallelAndAKilledAPIIsReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{APIs: 2})
	var requests sync.WaitGroup
	var failed, answered atomic.Int64
	for range 2 {
		requests.Go(func() {
			status, _, err := do(t.Context(), http.MethodPost, b.URL()+"/orders", `{"do":"sleep","ms":700}`)
			switch {
			case err != nil:
				t.Error(err)
			case status == http.StatusBadGateway:
				failed.Add(1)
			case status == http.StatusOK:
				answered.Add(1)
			}
		})
	}
	lines := b.await(t, 2, "order", "sleep")
	if lines[0].Process == lines[1].Process {
		t.Errorf("both requests went to %s", lines[0].Process)
	}
	if err := b.KillAPI(1); err != nil {
		t.Error(err)
	}
	requests.Wait()
	if failed.Load() != 1 || answered.Load() != 1 {
		t.Errorf("%d requests failed and %d were answered", failed.Load(), answered.Load())
	}
	for range 3 {
		if status, body, err := do(t.Context(), http.MethodPost, b.URL()+"/orders", `{"do":"echo"}`); err != nil || status != http.StatusOK {
			t.Errorf("after the kill: %d %s %v", status, body, err)
		}
	}
}

// held is a hook that remembers the receipt handles of deliveries.
type held struct {
	mu      sync.Mutex
	handles map[string]string
}

func (h *held) hold(_ context.Context, messages []sqstypes.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range messages {
		h.handles[aws.ToString(m.Body)] = aws.ToString(m.ReceiptHandle)
	}
}

// show makes a message visible again, as a worker that defers it does.
func (h *held) show(t *testing.T, b *bundle, body string) {
	t.Helper()
	h.mu.Lock()
	handle := h.handles[body]
	h.mu.Unlock()
	_, err := sqs.NewFromConfig(b.DirectAWSConfig()).ChangeMessageVisibility(t.Context(), &sqs.ChangeMessageVisibilityInput{
		QueueUrl: aws.String(b.QueueURL()), ReceiptHandle: aws.String(handle), VisibilityTimeout: 0,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFailedMessageStaysAndComesBack(t *testing.T) {
	t.Parallel()
	h := &held{handles: map[string]string{}}
	b := setup(t, stack.Options{Hold: h.hold})
	const good, bad = `{"do":"echo","text":"good"}`, `{"do":"error","text":"bad"}`
	b.send(t, good)
	b.send(t, bad)
	b.await(t, 1, "message", "good")
	b.await(t, 1, "message", "bad")
	b.awaitCounts(t, "0 waiting, 1 in hand")
	h.show(t, b, bad)
	second := b.await(t, 2, "message", "bad")[1]
	if second.String("receive_count") != "2" {
		t.Errorf("receive count %s", second.String("receive_count"))
	}
}

func TestKilledWorkerEndsItsDeliveryAndTheMessageComesBack(t *testing.T) {
	t.Parallel()
	h := &held{handles: map[string]string{}}
	b := setup(t, stack.Options{Hold: h.hold, Workers: 1})
	const slow = `{"do":"sleep","ms":1500}`
	b.send(t, slow)
	first := b.await(t, 1, "order", "sleep")[0]
	if err := b.KillWorker(1); err != nil {
		t.Fatal(err)
	}
	b.await(t, 1, stack.MessageFailed, "")
	if got := b.counts(t); got != "0 waiting, 1 in hand" {
		t.Errorf("after the kill the queue has %s", got)
	}
	h.show(t, b, slow)
	if second := b.await(t, 2, "order", "sleep")[1]; second.Process != first.Process {
		t.Errorf("delivered to %s, then to %s", first.Process, second.Process)
	}
	b.awaitCounts(t, "0 waiting, 0 in hand")
	if starts := b.Process("worker-1").Starts(); starts != 2 {
		t.Errorf("%d starts", starts)
	}
}

func TestWorkerKilledRightAfterItsWriteLanded(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{Workers: 1})
	rule := b.Faults().Install(faultproxy.Rule{
		Name: "kill after put", Caller: "worker-*", Operation: "dynamodb.PutItem", Times: 1,
		Do: faultproxy.Then(func(r *faultproxy.Request, _ *faultproxy.Response) {
			b.Process(r.Caller).Kill()
			<-r.Gone()
		}),
	})
	b.send(t, `{"do":"put","text":"landed"}`)
	if err := rule.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	exit := b.await(t, 1, supervisor.MessageExited, "")[0]
	if exit.Process != "worker-1" || exit.String("reason") != "signal: killed" {
		t.Errorf("exit %+v", exit)
	}
	if !b.has(t, "landed") {
		t.Error("the write did not land")
	}
	if got := b.counts(t); got != "0 waiting, 1 in hand" {
		t.Errorf("the queue has %s", got)
	}
}

func TestWorkerThatHearsNothingOfItsWrite(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{})
	b.Faults().Install(faultproxy.Rule{Operation: "dynamodb.PutItem", Times: 1, Do: faultproxy.LoseAnswer()})
	b.Faults().Install(faultproxy.Rule{Operation: "dynamodb.PutItem", Times: 1, Do: faultproxy.Throttle()})
	b.send(t, `{"do":"put","text":"unheard"}`)
	b.await(t, 1, "order failed", "unheard")
	if !b.has(t, "unheard") {
		t.Error("the write did not land")
	}
	b.send(t, `{"do":"put","text":"throttled"}`)
	b.await(t, 1, "order failed", "throttled")
	if b.has(t, "throttled") {
		t.Error("a refused write landed")
	}
	if got := b.counts(t); got != "0 waiting, 2 in hand" {
		t.Errorf("the queue has %s", got)
	}
}

func TestDoubleDeliveryReachesTwoWorkers(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{Workers: 2, Copies: func(sqstypes.Message) int { return 2 }})
	b.send(t, `{"do":"sleep","ms":300}`)
	lines := b.await(t, 2, "order", "sleep")
	if lines[0].Process == lines[1].Process {
		t.Errorf("both deliveries went to %s", lines[0].Process)
	}
	b.awaitCounts(t, "0 waiting, 0 in hand")
}

func TestFrozenWorkerDoesNothingUntilThawed(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{Workers: 1})
	if err := errors.Join(b.FreezeWorker(1), b.FreezeWorker(2)); err == nil || err.Error() != "there is no process worker-2" {
		t.Errorf("freeze: %v", err)
	}
	b.send(t, `{"do":"echo","text":"patience"}`)
	b.awaitCounts(t, "0 waiting, 1 in hand")
	time.Sleep(100 * time.Millisecond)
	if got := b.counts(t); got != "0 waiting, 1 in hand" {
		t.Errorf("a frozen worker finished: %s", got)
	}
	if err := b.ThawWorker(1); err != nil {
		t.Error(err)
	}
	b.awaitCounts(t, "0 waiting, 0 in hand")
}

func TestDispatcherTicks(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{DispatchEvery: -1})
	if err := b.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	line := b.await(t, 1, "tick", "")[0]
	if line.Process != "dispatcher-1" || line.String("detail_type") != "Scheduled Event" {
		t.Errorf("tick %+v", line)
	}
	regular := setup(t, stack.Options{DispatchEvery: 50 * time.Millisecond})
	regular.await(t, 3, "tick", "")
}

func TestDataAndKeysSurviveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := setup(t, stack.Options{DataDir: dir})
	first.send(t, `{"do":"put","text":"kept"}`)
	first.await(t, 1, "order", "kept")
	first.awaitCounts(t, "0 waiting, 0 in hand")
	if _, err := stack.Start(t.Context(), stack.Options{DataDir: dir, Binaries: programs}); err == nil {
		t.Error("two stacks have one data folder")
	} else if used, ok := errors.AsType[*stack.FolderInUseError](err); !ok || used.Dir != dir || !strings.Contains(err.Error(), "REPLYONCE_DATA") {
		t.Errorf("second stack: %v", err)
	}
	key, err := os.ReadFile(filepath.Join(dir, "issuer-key.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second := setup(t, stack.Options{DataDir: dir})
	if !second.has(t, "kept") {
		t.Error("the item is gone")
	}
	if again, err := os.ReadFile(filepath.Join(dir, "issuer-key.json")); err != nil || string(again) != string(key) {
		t.Errorf("the issuer has another key: %v", err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "functions.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if member := decode[map[string]any](t, line); member["process"] == nil || member["msg"] == nil {
			t.Errorf("log line %s", line)
		}
	}
}

func TestTakenPortIsExplained(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{})
	_, err := stack.Start(t.Context(), stack.Options{Binaries: programs, Port: b.Port()})
	taken, ok := errors.AsType[*stack.PortTakenError](err)
	if !ok || taken.Port != b.Port() || !strings.Contains(err.Error(), "REPLYONCE_PORT=") {
		t.Errorf("second stack: %v", err)
	}
}

func TestFailedStartIsExplainedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := stack.Start(t.Context(), stack.Options{
		Binaries: programs, DataDir: dir, Env: map[string]string{"TESTLAMBDA_FAIL": "no luck"},
	})
	if err == nil || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("start: %v", err)
	}
	setup(t, stack.Options{DataDir: dir}) // the folder is free again
	for name, o := range map[string]stack.Options{
		"profile":        {Binaries: programs, Profile: "tiny"},
		"budget":         {Binaries: programs, Attempts: "9"},
		"programs":       {Binaries: dir},
		"workers":        {Binaries: programs, Workers: -1},
		"source":         {Root: dir},
		"unsigned AWS":   {Binaries: programs, NoFaults: true, Endpoint: "http://127.0.0.1:1"},
		"listen address": {Binaries: programs, Listen: "192.0.2.1"},
	} {
		if running, err := stack.Start(t.Context(), o); err == nil {
			t.Errorf("%s: started", name)
			_ = running.Close()
		}
	}
}

func TestFunctionsHaveTheirOwnNamesAndNothingElse(t *testing.T) {
	t.Setenv("SECRET_OF_THE_SHELL", "x")
	b := setup(t, stack.Options{Env: map[string]string{"EXTRA": "1", "REPLYONCE_CALLS": "7"}, Attempts: "3", Workers: 2})
	if timers := b.Timers(); timers.Attempts != 3 || timers.Calls != 7 {
		t.Errorf("timers %+v", timers)
	}
	b.send(t, `{"do":"put","text":"a"}`)
	b.awaitCounts(t, "0 waiting, 0 in hand")
	worker := 0
	for key, n := range b.Faults().Counts() {
		if strings.HasPrefix(key.Caller, "worker-") && key.Operation == "dynamodb.PutItem" {
			worker += n
		}
	}
	if worker != 1 || b.Faults().Count("sqs.DeleteMessageBatch") != 1 {
		t.Errorf("counts %v", b.Faults().Counts())
	}
	status, body, err := do(t.Context(), http.MethodPost, b.URL()+"/orders", `{"do":"environ"}`)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, body, err)
	}
	line := b.await(t, 1, "environment", "")[0]
	for _, want := range []string{"EXTRA=1", "REPLYONCE_ATTEMPTS=3", "REPLYONCE_CALLS=7", "REPLYONCE_LOCAL=1", "AWS_ACCESS_KEY_ID=api-", "AWS_LAMBDA_FUNCTION_NAME=api"} {
		if !strings.Contains(string(line.Raw), want) {
			t.Errorf("%s is missing in %s", want, line.Raw)
		}
	}
	if strings.Contains(string(line.Raw), "SECRET_OF_THE_SHELL") {
		t.Error("functions inherit the environment")
	}
}

// The provider's key is for the worker. The api function answers the world and has no use for it.
func TestOnlyTheWorkerIsToldTheProvidersKey(t *testing.T) {
	t.Parallel()
	b := setup(t, stack.Options{
		Provider: "openai", ProviderURL: "http://127.0.0.1:1/v1", Model: "model-1", ProviderKey: "key-1", MaxOutputTokens: "500", MaxInputTokens: "9000",
	})
	b.send(t, `{"do":"environ"}`)
	worker := string(b.await(t, 1, "environment", "AWS_LAMBDA_FUNCTION_NAME=worker")[0].Raw)
	for _, want := range []string{
		"REPLYONCE_PROVIDER=openai", "REPLYONCE_PROVIDER_URL=http://127.0.0.1:1/v1", "REPLYONCE_PROVIDER_KEY=key-1", "REPLYONCE_MODEL=model-1",
		"REPLYONCE_MAX_OUTPUT_TOKENS=500", "REPLYONCE_MAX_INPUT_TOKENS=9000",
	} {
		if !strings.Contains(worker, want) {
			t.Errorf("%s is missing in %s", want, worker)
		}
	}
	if strings.Contains(worker, "PROVIDER_SECRET") {
		t.Errorf("a setting that is not there was made: %s", worker)
	}
	if status, body, err := do(t.Context(), http.MethodPost, b.URL()+"/orders", `{"do":"environ"}`); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, body, err)
	}
	api := string(b.await(t, 1, "environment", "AWS_LAMBDA_FUNCTION_NAME=api")[0].Raw)
	if strings.Contains(api, "key-1") || strings.Contains(api, "REPLYONCE_PROVIDER") || !strings.Contains(api, "REPLYONCE_MODEL=model-1") {
		t.Errorf("the api function is told %s", api)
	}
}
