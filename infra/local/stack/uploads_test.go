package stack_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/replyonce/replyonce/infra/local/stack"
)

type announced struct {
	Upload struct {
		ID      string            `json:"id"`
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	} `json:"upload"`
}

type described struct {
	ID             string `json:"id"`
	CurrentVersion int    `json:"current_version"`
	Versions       []struct {
		State    string `json:"state"`
		Failure  string `json:"failure"`
		Passages int    `json:"passages"`
	} `json:"versions"`
}

// announce tells of a file.
func (p person) announce(t *testing.T, key, name, file string) announced {
	t.Helper()
	sum := sha256.Sum256([]byte(file))
	body := fmt.Sprintf(`{"file_name":%q,"bytes":%d,"sha256":%q}`, name, len(file), hex.EncodeToString(sum[:]))
	return decode[announced](t, p.call(t, http.MethodPost, "/v1/uploads", key, body, http.StatusCreated))
}

// put sends a file with the signed request, as a browser does.
func put(t *testing.T, a announced, file string) int {
	t.Helper()
	var headers []string
	for name, value := range a.Upload.Headers {
		headers = append(headers, name, value)
	}
	status, _, err := do(t.Context(), a.Upload.Method, a.Upload.URL, file, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func (p person) awaitReady(t *testing.T, id string) described {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		d := decode[described](t, p.call(t, http.MethodGet, "/v1/documents/"+id, "", "", http.StatusOK))
		if d.Versions[0].State != "indexing" {
			return d
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %+v", d)
		}
	}
}

// left counts the items of a document's partition, by the beginning of their sort
// key, and the objects of uploads.
func (b *bundle) left(ctx context.Context, t *testing.T, id string) map[string]int {
	t.Helper()
	out, err := dynamodb.NewFromConfig(b.DirectAWSConfig()).Query(ctx, &dynamodb.QueryInput{
		TableName: aws.String(stack.Table), KeyConditionExpression: aws.String("pk = :pk"), ConsistentRead: aws.Bool(true),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: "W#acme#D#" + id}},
	})
	objects, listErr := s3.NewFromConfig(b.DirectAWSConfig(), func(o *s3.Options) { o.UsePathStyle = true }).
		ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String(stack.Bucket), Prefix: aws.String("uploads/")})
	if err := errors.Join(err, listErr); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, item := range out.Items {
		sk, _ := item["sk"].(*types.AttributeValueMemberS)
		kind, _, _ := strings.Cut(sk.Value, "#")
		counts[kind]++
	}
	if n := len(objects.Contents); n > 0 {
		counts["object"] = n
	}
	return counts
}

// A file goes from the browser to object storage, becomes a version, and is asked
// about; deleted, nothing of it is left but the tombstone and the tasks.
func TestProductTakesAFileAndErasesIt(t *testing.T) {
	t.Parallel()
	b, alice := product(t, stack.Options{Profile: "short"})
	file := fileToUpload
	a := alice.announce(t, "u-1", "rules.md", file)
	path := "/v1/uploads/" + a.Upload.ID + "/complete"
	if !strings.HasPrefix(a.Upload.URL, b.URL()+"/local/objects/") {
		t.Errorf("files go to %s", a.Upload.URL)
	}
	alice.call(t, http.MethodPost, path, "", "", http.StatusConflict)
	if status := put(t, a, strings.Repeat("x", len(file))); status != http.StatusBadRequest {
		t.Errorf("another file: %d", status)
	}
	if first, second := put(t, a, file), put(t, a, file); first != http.StatusOK || second != http.StatusPreconditionFailed {
		t.Fatalf("put: %d, again: %d", first, second)
	}
	made := decode[described](t, alice.call(t, http.MethodPost, path, "", "", http.StatusCreated))
	if again := decode[described](t, alice.call(t, http.MethodPost, path, "", "", http.StatusOK)); again.ID != made.ID {
		t.Errorf("completed again: %s, first %s", again.ID, made.ID)
	}
	ready := alice.awaitReady(t, made.ID)
	if v := ready.Versions[0]; v.State != "ready" || v.Passages == 0 || ready.CurrentVersion != 1 {
		t.Fatalf("document %+v", ready)
	}
	before := b.left(t.Context(), t, made.ID)
	if before["INDEX"] == 0 || before["VERSION"] != 1 || before["object"] != 1 {
		t.Errorf("before the deletion: %v", before)
	}
	for range 2 {
		alice.call(t, http.MethodDelete, "/v1/documents/"+made.ID, "", "", http.StatusNoContent)
	}
	alice.call(t, http.MethodGet, "/v1/documents/"+made.ID, "", "", http.StatusNotFound)
	alice.call(t, http.MethodPost, path, "", "", http.StatusGone)
	b.awaitErased(t, made.ID)
}

// awaitErased waits until the tombstone and the two tasks are all that is left.
func (b *bundle) awaitErased(t *testing.T, id string) {
	t.Helper()
	want := map[string]int{"DOCUMENT": 1, "ENTRY": 2}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got := b.left(t.Context(), t, id)
		if maps.Equal(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the deletion: %v, want %v", got, want)
		}
	}
}

// A document is deleted while its file is being indexed: the worker that is at it
// adds nothing any more, whenever it was.
func TestProductDeletesWhileIndexing(t *testing.T) {
	t.Parallel()
	b, alice := product(t, stack.Options{Profile: "short", Indexers: 2})
	for i := range 4 {
		file := fmt.Sprintf("# File %d\n\n%s", i, fileToUpload)
		a := alice.announce(t, fmt.Sprintf("u-%d", i), "rules.md", file)
		if status := put(t, a, file); status != http.StatusOK {
			t.Fatalf("put: %d", status)
		}
		made := decode[described](t, alice.call(t, http.MethodPost, "/v1/uploads/"+a.Upload.ID+"/complete", "", "", http.StatusCreated))
		time.Sleep(time.Duration(i) * 40 * time.Millisecond) // at another step each time
		alice.call(t, http.MethodDelete, "/v1/documents/"+made.ID, "", "", http.StatusNoContent)
		b.awaitErased(t, made.ID)
		time.Sleep(200 * time.Millisecond) // for a worker that is late
		b.awaitErased(t, made.ID)
	}
}

// fileToUpload is too long for a prompt.
var fileToUpload = "# Rules\n\n" + strings.Repeat("The committee decides on Mondays, and nobody else decides.\n\n", 3000)
