package dynamostore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

func completedTask() worktask.Task {
	return sampleAssignment().Complete(instant.Add(3*time.Second), worktask.Result{Body: strings.Repeat("a", 800)}, report).
		Apply(sampleClaim().Apply(sampleTask()))
}

func sampleEvidence() worktask.Evidence {
	return worktask.Evidence{
		Ref: sampleTask().Ref, AssignmentVersion: 1, AssignmentID: assignmentID, Bytes: 812, SHA256: strings.Repeat("ab", 32),
		Tokens: report.Tokens, ProviderRequestID: report.ProviderRequestID, At: instant,
	}
}

func sampleAttempt() worktask.AttemptRecord {
	return worktask.AttemptRecord{
		Ref: sampleTask().Ref, AssignmentVersion: 1, AssignmentID: assignmentID, Outcome: worktask.AttemptUnknown, Provider: "openai",
		ProviderRequestID: report.ProviderRequestID, OperationID: "resp_1", BegunAt: instant, EndedAt: instant.Add(time.Minute),
		Cause: "the call has reached its time limit",
	}
}

// What is stored must stay readable for versions to come.
func TestStoredItems(t *testing.T) {
	t.Parallel()
	message := sampleMessage()
	message.Text, message.History = "What does it say?", []string{taskID, messageID}
	completed := completedTask()
	completed.Result.Body = "It says so."
	version := document.Version{
		Workspace: workspaceID, Document: documentID, Title: "Report", Number: 3, Bytes: 4, SHA256: "ab", Text: "text", CreatedAt: instant,
	}
	items := []newPut{
		{"idempotency record", recordItem(sampleRecord())},
		{"message", messageItem(message)},
		{"task, accepted", taskItem(sampleTask())},
		{"task, running", taskItem(sampleClaim().Apply(sampleTask()))},
		{"task, completed", taskItem(completed)},
		{"conversation", conversationItem(sampleConversation())},
		{"conversation card", conversationCard(sampleConversation())},
		{"document", documentItem(sampleDocument())},
		{"document card", documentCard(sampleDocument())},
		{"evidence", evidenceItem(sampleEvidence())},
		{"record of an attempt", attemptItem(sampleAttempt())},
	}
	var b strings.Builder
	for _, p := range append(items, versionItems(version)...) {
		fmt.Fprintf(&b, "%s\n%s\n", p.what, render(p.item))
	}
	golden(t, "items.golden", b.String())
}

// A record of the first schema stands in tables for a year.
func TestRecordOfTheFirstSchemaIsRead(t *testing.T) {
	t.Parallel()
	want := sampleRecord()
	if want.Fingerprint.Schema != 1 {
		t.Fatalf("the sample has schema %d", want.Fingerprint.Schema)
	}
	got, err := recordFrom(want.Scope, want.Key, recordItem(want))
	if err != nil || got != want {
		t.Errorf("read %+v, %v, want %+v", got, err, want)
	}
}

// TTL counts whole seconds; a number of milliseconds would expire in the year
// 58 000, and one in minutes at once.
func TestCaseI7PurgeTimeIsInSeconds(t *testing.T) {
	t.Parallel()
	r := &itemReader{item: recordItem(sampleRecord())}
	got, purge := r.number(dynamoschema.PurgeAfter), instant.Add(365*24*time.Hour)
	if got < purge.Unix() || got > purge.Unix()+1 {
		t.Errorf("the purge time is stored as %d, want %d or a second later", got, purge.Unix())
	}
	if dynamoschema.Definition().TimeToLiveAttribute != dynamoschema.PurgeAfter {
		t.Error("the table's time to live is another attribute")
	}
}

func TestDamagedItemsAreErrors(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(it item){
		"no status":             func(it item) { delete(it, dynamoschema.Status) },
		"no sort key":           func(it item) { delete(it, dynamoschema.SK) },
		"a text for a number":   func(it item) { it[dynamoschema.CallsLeft] = text("3") },
		"a number for a text":   func(it item) { it[dynamoschema.Kind] = number(3) },
		"a text for a flag":     func(it item) { it[dynamoschema.CallOpen] = text("true") },
		"a number that is none": func(it item) { it[dynamoschema.CallsLeft] = &types.AttributeValueMemberN{Value: "1.5"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			it := taskItem(sampleTask())
			damage(it)
			if _, err := taskFrom(it); err == nil {
				t.Error("the damaged item was read as a task")
			}
		})
	}
	list := messageItem(sampleMessage())
	list[dynamoschema.History] = &types.AttributeValueMemberL{Value: []types.AttributeValue{number(1)}}
	if _, err := messageFrom(conversationID, list); err == nil {
		t.Error("a history of numbers was read")
	}
}
