package observe_test

import (
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/worktask"
)

// first is an HTTP client that keeps the first request and answers nothing.
type first struct {
	operation string
	body      []byte
}

func (f *first) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if f.body == nil {
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		f.operation, f.body = "dynamodb."+operation, body
	}
	return nil, errors.New("no answer")
}

// TestWritesOfVersionsAreReadAsTheyWereMeant: what a history has of a request is
// what its sender would have put there.
func TestWritesOfVersionsAreReadAsTheyWereMeant(t *testing.T) {
	t.Parallel()
	w := indexing.Writer{Target: indexing.Target{Workspace: "acme", Document: "01JDD", Number: 2, Pipeline: "0a1b2c3d"}, Assignment: 7}
	entries := []indexing.Entry{
		{Key: indexing.Key{Stage: indexing.Extract}, Body: []byte("head")}, {Key: indexing.Key{Stage: indexing.Search, Part: 12}, Body: []byte{0, 255}},
	}
	for what, write := range map[string]func(indexing.Store, document.Store) error{
		history.IndexTake:    func(s indexing.Store, _ document.Store) error { return s.TakeVersion(t.Context(), w) },
		history.IndexEntries: func(s indexing.Store, _ document.Store) error { return s.WriteEntries(t.Context(), w, entries) },
		history.IndexPublish: func(s indexing.Store, _ document.Store) error {
			return s.Publish(t.Context(), w, indexing.Summary{Entries: 2, Manifest: "m"})
		},
		history.IndexFail: func(s indexing.Store, _ document.Store) error { return s.FailVersion(t.Context(), w, "no_text") },
		history.IndexClose: func(_ indexing.Store, s document.Store) error {
			return s.CloseVersion(t.Context(), "acme", "01JDD", 2, "deadline")
		},
	} {
		var wire first
		store := dynamostore.New(dynamodb.New(dynamodb.Options{
			Region: "us-east-1", BaseEndpoint: aws.String("http://nowhere"), HTTPClient: &wire, Logger: logging.Nop{},
			Credentials: credentials.NewStaticCredentialsProvider("indexer-1", "local", ""),
		}), "table", dynamostore.Options{Tries: 1})
		meant := drills.NewLog(at.Local, "meant", worktask.ShortTimers())
		actor := meant.Actor("indexer-1")
		if err := write(actor.Entries(store), actor.Documents(store)); err == nil {
			t.Fatalf("%s: a write without an answer has succeeded", what)
		}
		want := *meant.History().Events[0].Index
		if want.What == history.IndexPublish {
			want.Current = want.Version // this request moves the pointer, or is refused
		}
		read := drills.NewLog(at.Local, "read", worktask.ShortTimers())
		read.Follow(document.ScopeOf("01JDD"))
		o := observe.New(worktask.ShortTimers())
		o.Begin(read)
		request := &faultproxy.Request{Caller: "indexer-1", Operation: wire.operation, Body: wire.body}
		if _, err := o.Rule().Do(request, func() (*faultproxy.Response, error) {
			return &faultproxy.Response{Status: http.StatusOK, Header: http.Header{}, Body: []byte(`{}`)}, nil
		}); err != nil {
			t.Fatal(err)
		}
		events := read.History().Events
		if len(events) != 3 || events[1].Kind != history.Indexed || events[2].Outcome != history.Landed || !reflect.DeepEqual(*events[1].Index, want) {
			t.Errorf("%s is read as %+v, want %+v", what, events, want)
		}
	}
}
