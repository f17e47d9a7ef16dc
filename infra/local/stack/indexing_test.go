package stack_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/infra/local/stack"
)

type documentOf struct {
	ID       string `json:"id"`
	Current  int    `json:"current_version"`
	Versions []struct {
		State    string `json:"state"`
		Passages int    `json:"passages"`
		Failure  string `json:"failure"`
	} `json:"versions"`
}

// longText is more than a prompt takes whole: a real manual where it is there, else
// paragraphs that are all different.
func longText() string {
	if text, err := os.ReadFile("../../../../shared/data/policy.txt"); err == nil {
		return string(text)
	}
	var text strings.Builder
	for i := 0; text.Len() < 400_000; i++ {
		text.WriteString("Rule " + strings.Repeat("I", i%7+1) + " says that the committee decides on matter " +
			time.Duration(i*7919).String() + " within a week of its arrival.\n\n")
	}
	return text.String()
}

func (p person) upload(t *testing.T, text string) documentOf {
	t.Helper()
	body, err := json.Marshal(map[string]string{"title": "Manual", "text": text})
	if err != nil {
		t.Fatal(err)
	}
	return decode[documentOf](t, p.call(t, http.MethodPost, "/v1/documents", "manual", string(body), http.StatusCreated))
}

func (p person) awaitIndex(t *testing.T, made documentOf) documentOf {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		now := decode[documentOf](t, p.call(t, http.MethodGet, "/v1/documents/"+made.ID, "", "", http.StatusOK))
		if now.Versions[0].State != "indexing" {
			return now
		}
		if time.Now().After(deadline) {
			t.Fatalf("the version is not ready: %+v", now)
		}
	}
}

// entries counts the items of a document's index in the table, by stage.
func (b *bundle) entries(t *testing.T, document string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	pages := dynamodb.NewQueryPaginator(dynamodb.NewFromConfig(b.DirectAWSConfig()), &dynamodb.QueryInput{
		TableName:                aws.String(stack.Table),
		KeyConditionExpression:   aws.String("#pk = :pk AND begins_with(#sk, :index)"),
		ExpressionAttributeNames: map[string]string{"#pk": "pk", "#sk": "sk"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk":    &types.AttributeValueMemberS{Value: "W#acme#D#" + document},
			":index": &types.AttributeValueMemberS{Value: "INDEX#"},
		},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			key, _ := item["sk"].(*types.AttributeValueMemberS)
			counts[strings.Split(key.Value, "#")[3]]++
		}
	}
	return counts
}

func TestProductIndexesALongText(t *testing.T) {
	t.Parallel()
	b, alice := product(t, stack.Options{Profile: "short"})
	made := alice.upload(t, longText())
	if state := made.Versions[0].State; state != "indexing" || made.Current != 0 {
		t.Errorf("made %+v", made)
	}
	ready := alice.awaitIndex(t, made)
	if v := ready.Versions[0]; v.State != "ready" || v.Passages == 0 || ready.Current != 1 {
		t.Errorf("document %+v", ready)
	}
	counts := b.entries(t, made.ID)
	t.Logf("%d passages, entries %v", ready.Versions[0].Passages, counts)
	if counts["extract"] == 0 || counts["split"] == 0 || counts["search"] == 0 {
		t.Errorf("entries %v", counts)
	}
}

// The indexer is killed when a part of its entries is written. The next one goes on
// from there: there is one set of entries, as many as without a fault.
func TestProductIndexesOnceAlthoughTheIndexerIsKilled(t *testing.T) {
	t.Parallel()
	b, alice := product(t, stack.Options{Profile: "short"})
	text := longText()
	rule := b.Faults().Install(faultproxy.Rule{
		Name: "kill after the first entries", Caller: "indexer-*", Operation: "dynamodb.TransactWriteItems", Times: 1,
		Do: faultproxy.Then(func(r *faultproxy.Request, _ *faultproxy.Response) {
			b.Process(r.Caller).Kill()
			<-r.Gone()
		}),
	})
	killed := alice.upload(t, text)
	ready := alice.awaitIndex(t, killed)
	if rule.Acted() != 1 {
		t.Errorf("killed %d indexers", rule.Acted())
	}
	body, err := json.Marshal(map[string]string{"title": "Manual", "text": text})
	if err != nil {
		t.Fatal(err)
	}
	calm := decode[documentOf](t, alice.call(t, http.MethodPost, "/v1/documents", "again", string(body), http.StatusCreated))
	whole := alice.awaitIndex(t, calm)
	if got, want := ready.Versions[0], whole.Versions[0]; got.State != "ready" || got != want {
		t.Errorf("after the kill %+v, without one %+v", got, want)
	}
	got, want := b.entries(t, killed.ID), b.entries(t, calm.ID)
	t.Logf("entries %v", got)
	for stage := range want {
		if got[stage] != want[stage] {
			t.Errorf("entries %v after the kill, %v without one", got, want)
		}
	}
}

// A question that is asked while its version is being indexed waits, and is then
// answered from a passage of it, by one attempt.
func TestProductAnswersWhenTheVersionIsReady(t *testing.T) {
	t.Parallel()
	b, alice := product(t, stack.Options{Profile: "short"})
	released := make(chan struct{})
	rule := b.Faults().Install(faultproxy.Rule{
		Name: "hold the publication", Caller: "indexer-*", Operation: "dynamodb.TransactWriteItems", Times: 1,
		Do: faultproxy.Before(func(*faultproxy.Request) { <-released }),
	})
	made := alice.upload(t, longText()+"\n\nThe treasurer of the choir keeps the silver whistle.\n")
	talk := decode[identified](t, alice.call(t, http.MethodPost, "/v1/conversations", "c-1", `{"document":"`+made.ID+`"}`, http.StatusCreated))
	asked := decode[waitingTask](t, alice.call(t, http.MethodPost, "/v1/conversations/"+talk.ID+"/messages", "m-1",
		`{"text":"Who keeps the silver whistle?","document":"`+made.ID+`","version":1}`, http.StatusAccepted))
	if asked.WaitingFor.Version != 1 {
		t.Errorf("asked %+v", asked)
	}
	time.AfterFunc(time.Second, func() { close(released) })
	ended := alice.awaitEnd(t, asked.task)
	if ended.Status != "completed" || ended.AssignmentVersion != 1 || !strings.Contains(ended.Reply.Text, "The treasurer of the choir keeps the silver whistle.") {
		t.Errorf("task %+v", ended)
	}
	if rule.Acted() != 1 {
		t.Error("the indexer was not held")
	}
}

type waitingTask struct {
	task

	WaitingFor struct {
		Version int `json:"version"`
	} `json:"waiting_for"`
}
