package stack_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	localstack "github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/stack"
)

// notCalled are permissions that the run below does not use, with who does.
var notCalled = map[string]string{
	"logs:CreateLogStream":   "Lambda writes logs with the role",
	"logs:PutLogEvents":      "Lambda writes logs with the role",
	"sqs:ReceiveMessage":     "the event source polls with the role",
	"sqs:DeleteMessage":      "the event source polls with the role",
	"sqs:GetQueueAttributes": "the event source polls with the role",
	"s3:ListBucket":          "no request of its own: makes S3 tell a missing object from a forbidden one",
	"s3:GetObject":           "replies above 300 KiB; the API's of uploads is HEAD",
	"s3:PutObject":           "replies above 300 KiB; the browser sends files with the API's",
	// Only the worker's; the API's is seen.
	"worker dynamodb:PutItem": "evidence of an answer that was refused",
}

// TestRolesAllowWhatFunctionsCall runs the real functions on one machine and
// holds what they ask AWS for against their roles: nothing is missing, and what
// is never used has its reason.
func TestRolesAllowWhatFunctionsCall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and runs the real functions")
	}
	template := synthesise(t)["dev"].template
	called := callsOfARun(t)
	for _, function := range functionNames {
		allowed := template.permissions(strings.ToUpper(function[:1]) + function[1:] + "Role")
		for _, call := range called[function] {
			if !slices.Contains(allowed, call) {
				t.Errorf("%s calls %s, which its role does not allow", function, call)
			}
		}
		for _, permission := range allowed {
			action, _, _ := strings.Cut(permission, " on ")
			if !slices.Contains(called[function], permission) && notCalled[action] == "" && notCalled[function+" "+action] == "" {
				t.Errorf("%s may %s and does not", function, permission)
			}
		}
	}
	if len(called[stack.API]) < 5 || len(called[stack.Worker]) < 4 || len(called[stack.Indexer]) < 4 || len(called[stack.Dispatcher]) < 4 {
		t.Errorf("the run saw too little: %v", called)
	}
}

// recorder notes the calls of each function in the form of permissions.
type recorder struct {
	mu     sync.Mutex
	called map[string][]string
	// mute refuses handoffs of the API, so that the dispatcher has to publish them.
	mute bool
}

func (r *recorder) act(request *faultproxy.Request, forward faultproxy.Forward) (*faultproxy.Response, error) {
	function, _, _ := strings.Cut(request.Caller, "-")
	r.mu.Lock()
	for _, permission := range permissionsFor(request) {
		if !slices.Contains(r.called[function], permission) {
			r.called[function] = append(r.called[function], permission)
		}
	}
	mute := r.mute && function == stack.API && request.Operation == "sqs.SendMessage"
	r.mu.Unlock()
	if mute {
		return faultproxy.Fail(http.StatusInternalServerError, "InternalFailure")(request, forward)
	}
	return forward()
}

func (r *recorder) setMute(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mute = on
}

// permissionsFor names what a request needs.
func permissionsFor(r *faultproxy.Request) []string {
	var body struct {
		IndexName     string
		QueueURL      string `json:"QueueUrl"`
		TransactItems []map[string]any
	}
	_ = r.Decode(&body) // requests of S3 have no JSON
	_, operation, _ := strings.Cut(r.Operation, ".")
	switch {
	case operation == "TransactWriteItems":
		var needed []string
		for _, item := range body.TransactItems {
			for kind := range item { // Put, Update, Delete or ConditionCheck
				needed = append(needed, "dynamodb:"+kind+"Item on Table.Arn")
			}
		}
		return needed
	case r.Service == "dynamodb" && body.IndexName != "":
		return []string{"dynamodb:" + operation + " on Table.Arn/index/" + body.IndexName}
	case r.Service == "dynamodb":
		return []string{"dynamodb:" + operation + " on Table.Arn"}
	case r.Service == "sqs" && strings.HasSuffix(body.QueueURL, "/"+localstack.Queue):
		return []string{"sqs:" + operation + " on Queue.Arn"}
	case r.Service == "sqs" && strings.HasSuffix(body.QueueURL, "/"+localstack.IndexQueue):
		return []string{"sqs:" + operation + " on IndexQueue.Arn"}
	case r.Service == "sqs" && strings.HasSuffix(body.QueueURL, "/"+localstack.DeadLetterQueue):
		return []string{"sqs:" + operation + " on DeadLetters.Arn"}
	case r.Service == "s3" && strings.Contains(r.Path(), "/uploads/"):
		action := map[string]string{"GET": "GetObject", "HEAD": "GetObject", "PUT": "PutObject", "DELETE": "DeleteObject"}[operation]
		return []string{"s3:" + action + " on Bucket.Arn/uploads/*"}
	default:
		return []string{r.Operation + " on " + body.QueueURL + r.Path()}
	}
}

// callsOfARun uses everything that the product has.
func callsOfARun(t *testing.T) map[string][]string {
	t.Helper()
	running, err := localstack.Start(t.Context(), localstack.Options{Profile: "short", DispatchEvery: -1, AuthorizerTTL: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := running.Close(); err != nil {
			t.Error(err)
		}
	}()
	r := &recorder{called: map[string][]string{}}
	running.Faults().Install(faultproxy.Rule{Name: "record", Do: r.act})
	u := user{t: t, stack: running}
	u.token = must(running.SignIn("alice", "acme"))(t)

	document := u.id(u.post("/v1/documents", `{"title":"Rules","text":"The committee decides on Mondays."}`, http.StatusCreated))
	u.post("/v1/documents/"+document+"/versions", `{"text":"The committee decides on Tuesdays."}`, http.StatusCreated)
	for _, path := range []string{"", "/" + document, "/" + document + "/versions/2"} {
		u.get("/v1/documents" + path)
	}
	talk := "/v1/conversations/" + u.id(u.post("/v1/conversations", `{"document":"`+document+`"}`, http.StatusCreated))
	question := `{"text":"When does it decide?","document":"` + document + `","version":2`
	first := u.post(talk+"/messages", question+`}`, http.StatusAccepted)
	u.awaitEnd(talk, u.id(first))
	u.awaitEnd(talk, u.id(u.post(talk+"/messages", question+`,"history":["`+u.id(first)+`"]}`, http.StatusAccepted)))
	u.awaitEnd(talk, u.id(u.post(talk+"/messages/"+u.field(first, "message")+"/regenerate", "", http.StatusAccepted)))
	u.get("/v1/conversations")
	u.get(talk)
	manual := u.id(u.post("/v1/documents", `{"title":"Manual","text":"`+longText+`"}`, http.StatusCreated))
	u.awaitIndex(manual)

	r.setMute(true)
	unpublished := u.id(u.post(talk+"/messages", question+`}`, http.StatusAccepted))
	u.post("/v1/documents/"+manual+"/versions", `{"text":"Second. `+longText+`"}`, http.StatusCreated)
	cancelled := u.id(u.post(talk+"/messages", question+`}`, http.StatusAccepted))
	u.post(talk+"/tasks/"+cancelled+"/cancel", "", http.StatusOK)
	bury(t, running)
	time.Sleep(running.Timers().HandoffGrace) // a real clock in real processes
	if err := running.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	u.awaitEnd(talk, unpublished)
	u.awaitIndex(manual)
	r.setMute(false)
	u.deleteAFile()
	r.await(t, stack.Indexer, "s3:DeleteObject")
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.called
}

// await waits until a function has called an action.
func (r *recorder) await(t *testing.T, function, action string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		r.mu.Lock()
		seen := slices.ContainsFunc(r.called[function], func(p string) bool { return strings.HasPrefix(p, action+" ") })
		r.mu.Unlock()
		if seen {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s has not called %s", function, action)
		}
	}
}

// deleteAFile uploads a file and, when it can be read, deletes its document.
func (u *user) deleteAFile() {
	u.t.Helper()
	sum := sha256.Sum256([]byte(longText))
	announced, _ := u.post("/v1/uploads", fmt.Sprintf(`{"file_name":"m.txt","bytes":%d,"sha256":%q}`, len(longText), hex.EncodeToString(sum[:])), http.StatusCreated)["upload"].(map[string]any)
	request := must(http.NewRequestWithContext(u.t.Context(), http.MethodPut, u.field(announced, "url"), strings.NewReader(longText)))(u.t)
	headers, _ := announced["headers"].(map[string]any)
	for name := range headers {
		request.Header.Set(name, u.field(headers, name))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		u.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // only the status counts
	if response.StatusCode != http.StatusOK {
		u.t.Fatalf("put: %s", response.Status)
	}
	document := u.id(u.post("/v1/uploads/"+u.id(announced)+"/complete", "", http.StatusCreated))
	u.awaitIndex(document)
	u.send(http.MethodDelete, "/v1/documents/"+document, "", http.StatusNoContent)
}

// bury puts a letter into the dead-letter queue.
func bury(t *testing.T, running *localstack.Stack) {
	t.Helper()
	_, err := sqs.NewFromConfig(running.DirectAWSConfig()).SendMessage(t.Context(), &sqs.SendMessageInput{
		QueueUrl: aws.String(running.DeadLetterQueueURL()), MessageBody: aws.String("not ours"),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// user is somebody who uses the product over HTTP.
type user struct {
	t     *testing.T
	stack *localstack.Stack
	token string
	keys  int
}

func (u *user) get(path string) map[string]any {
	return u.send(http.MethodGet, path, "", http.StatusOK)
}

func (u *user) post(path, body string, want int) map[string]any {
	return u.send(http.MethodPost, path, body, want)
}

func (u *user) send(method, path, body string, want int) map[string]any {
	u.t.Helper()
	u.keys++
	request := must(http.NewRequestWithContext(u.t.Context(), method, u.stack.URL()+path, strings.NewReader(body)))(u.t)
	request.Header.Set("Authorization", "Bearer "+u.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", fmt.Sprintf("key-%d", u.keys))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		u.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // only read
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		u.t.Fatal(err)
	}
	if response.StatusCode != want {
		u.t.Fatalf("%s %s: %d %s, want %d", method, path, response.StatusCode, &text, want)
	}
	var value map[string]any
	if want == http.StatusNoContent {
		return value
	}
	if err := json.Unmarshal(text.Bytes(), &value); err != nil {
		u.t.Fatalf("%s %s: %v", method, path, err)
	}
	return value
}

func (u *user) field(value map[string]any, name string) string {
	u.t.Helper()
	text, ok := value[name].(string)
	if !ok {
		u.t.Fatalf("no %s in %v", name, value)
	}
	return text
}

func (u *user) id(value map[string]any) string {
	u.t.Helper()
	return u.field(value, "id")
}

// longText does not fit into a prompt, so that a task makes its version ready.
var longText = strings.Repeat("The committee decides on Mondays. ", 4000)

// awaitIndex waits until the latest version is ready.
func (u *user) awaitIndex(document string) {
	u.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		versions := list(u.get("/v1/documents/" + document)["versions"])
		switch state := u.field(object(versions[len(versions)-1]), "state"); {
		case state == "ready":
			return
		case state != "indexing" || time.Now().After(deadline):
			u.t.Fatalf("document %s is %s", document, state)
		}
	}
}

func (u *user) awaitEnd(conversation, task string) {
	u.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		switch status := u.field(u.get(conversation+"/tasks/"+task), "status"); {
		case status != "pending" && status != "running":
			return
		case time.Now().After(deadline):
			u.t.Fatalf("task %s is still %s", task, status)
		}
	}
}
