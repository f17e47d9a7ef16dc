package dynamostore_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/dynamostore/dynamotest"
	"github.com/replyonce/replyonce/shared/storeerror"
)

const (
	emptyPage  = `{"Items":[],"Count":0,"ScannedCount":9,"LastEvaluatedKey":{"pk":{"S":"W#acme#D#d1"},"sk":{"S":"VERSION#0000000001"}}}`
	secondPage = `{"Items":[{"pk":{"S":"W#acme#D#d1"},"sk":{"S":"VERSION#0000000002"},"sha256":{"S":"ab"}}],"Count":1}`
)

func page(body string) dynamotest.Answer { return dynamotest.Reply(http.StatusOK, body) }

// The engine counts what it has read and not what it returns, so a page can be
// short or empty and still not be the last. No emulator does that by itself.
func TestCaseH5EmptyPageIsNotTheLast(t *testing.T) {
	t.Parallel()
	store, script, _ := scripted(page(emptyPage), page(secondPage))
	versions, err := store.Versions(t.Context(), "acme", "d1")
	if err != nil || len(versions) != 1 || versions[0].Number != 2 {
		t.Errorf("the versions are %+v, %v", versions, err)
	}
	bodies := script.Bodies()
	if len(bodies) != 2 || !strings.Contains(bodies[1], "ExclusiveStartKey") {
		t.Errorf("the requests were %v", bodies)
	}
}

// In the index the reader itself turns the pages: an empty one has a cursor.
func TestCaseH5EmptyPageOfTheIndexHasACursor(t *testing.T) {
	t.Parallel()
	const last = `{"Items":[],"LastEvaluatedKey":{"pk":{"S":"W#acme#C#c1"},"sk":{"S":"ENTRY#t1"},` +
		`"handoff_shard":{"N":"3"},"handoff_due_at_ms":{"N":"1795960830250"}}}`
	const due = `{"Items":[{"pk":{"S":"W#acme#C#c1"},"sk":{"S":"ENTRY#t2"},"handoff_shard":{"N":"3"},"handoff_due_at_ms":{"N":"1795960830251"}},` +
		`{"pk":{"S":"a stranger"},"sk":{"S":"x"},"handoff_shard":{"N":"3"},"handoff_due_at_ms":{"N":"1795960830252"}}]}`
	store, script, _ := scripted(page(last), page(due))
	first, err := store.DueHandoffs(t.Context(), 3, start, 100, "")
	if err != nil || len(first.Due) != 0 || first.Cursor == "" {
		t.Fatalf("the first page is %+v, %v", first, err)
	}
	second, err := store.DueHandoffs(t.Context(), 3, start, 100, first.Cursor)
	if err != nil || len(second.Due) != 1 || second.Due[0].Ref.ID != "t2" || second.Cursor != "" {
		t.Errorf("the second page is %+v, %v", second, err)
	}
	for _, attribute := range []string{`"sk":{"S":"ENTRY#t1"}`, `"handoff_shard":{"N":"3"}`, `"handoff_due_at_ms":{"N":"1795960830250"}`} {
		if body := script.Bodies()[1]; !strings.Contains(body, attribute) {
			t.Errorf("the second request does not go on after %s: %s", attribute, body)
		}
	}
}

const (
	unread = `{"Responses":{"table":[]},"UnprocessedKeys":{"table":{"ConsistentRead":true,"Keys":[` +
		`{"pk":{"S":"W#acme#C#c1"},"sk":{"S":"ENTRY#m1"}}]}}}`
	read = `{"Responses":{"table":[{"pk":{"S":"W#acme#C#c1"},"sk":{"S":"ENTRY#m1"},"entry":{"S":"message"},"text":{"S":"hi"}}]}}`
)

// A batch read may come back in parts; half of it is no answer.
func TestUnreadRestOfABatchIsReadAgain(t *testing.T) {
	t.Parallel()
	store, script, pauses := scripted(page(unread), page(unread), page(read))
	messages, err := store.Messages(t.Context(), "acme", "c1", []string{"m1"})
	if err != nil || len(messages) != 1 || messages[0].Text != "hi" {
		t.Errorf("the messages are %+v, %v", messages, err)
	}
	if n := len(script.Bodies()); n != 3 || len(*pauses) != 2 {
		t.Errorf("%d requests and %d pauses, want 3 and 2", n, len(*pauses))
	}
	store, _, _ = scripted(slices.Repeat([]dynamotest.Answer{page(unread)}, 6)...)
	if _, err := store.Messages(t.Context(), "acme", "c1", []string{"m1"}); !errors.Is(err, storeerror.ErrUnavailable) {
		t.Errorf("the error is %v, want %v", err, storeerror.ErrUnavailable)
	}
}

func TestErrorsOfReads(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]dynamotest.Answer{
		"no permission": dynamotest.Fault("AccessDeniedException", "no"),
		"no connection": dynamotest.Unreachable(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The client's own retries are on for reads.
			store, _, _ := scripted(slices.Repeat([]dynamotest.Answer{answer}, 10)...)
			if _, err := store.Get(t.Context(), taskRef); !errors.Is(err, storeerror.ErrUnavailable) {
				t.Errorf("the error is %v, want %v", err, storeerror.ErrUnavailable)
			}
		})
	}
	store, _, _ := scripted(dynamotest.Fault("ValidationException", "a fault of the store"))
	if _, err := store.Get(t.Context(), taskRef); err == nil || errors.Is(err, storeerror.ErrUnavailable) {
		t.Errorf("a request that is not valid gives %v, want an error that nobody tries again", err)
	}
}
