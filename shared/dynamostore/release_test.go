package dynamostore

import (
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	minidyn "github.com/truora/minidyn/server"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

// While a deployment is replaced, and after a rollback, functions of two releases
// work on one table. So each release has to read what the ones before it wrote, and
// to leave alone what a later one adds.

// itemsOfRelease1 reads the file of items that release 1 wrote. Unlike the other
// golden files it is never written anew.
func itemsOfRelease1(t *testing.T) map[string]item {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "release-1.golden"))
	if err != nil {
		t.Fatal(err)
	}
	items := map[string]item{}
	name := ""
	for line := range strings.Lines(string(content)) {
		attribute, isAttribute := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  ")
		switch {
		case isAttribute:
			key, value, _ := strings.Cut(attribute, " = ")
			items[name][key] = parseValue(t, value)
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#"):
			name = strings.TrimSpace(line)
			items[name] = item{}
		}
	}
	if len(items) < 13 {
		t.Fatalf("only %d items", len(items))
	}
	return items
}

// parseValue reads what renderValue writes.
func parseValue(t *testing.T, text string) types.AttributeValue {
	t.Helper()
	kind, value, _ := strings.Cut(text, " ")
	unquoted := func(quoted string) *types.AttributeValueMemberS {
		s, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("value %s: %v", text, err)
		}
		return &types.AttributeValueMemberS{Value: s}
	}
	switch kind {
	case "S":
		return unquoted(value)
	case "N":
		return &types.AttributeValueMemberN{Value: value}
	case "BOOL":
		return &types.AttributeValueMemberBOOL{Value: value == "true"}
	case "L":
		list := &types.AttributeValueMemberL{}
		for element := range strings.SplitSeq(strings.Trim(value, "[]"), ", ") {
			list.Value = append(list.Value, unquoted(strings.TrimPrefix(element, "S ")))
		}
		return list
	}
	t.Fatalf("value %s", text)
	return nil
}

// reread decodes an item and encodes it as this release would.
var reread = map[string]func(item) (item, error){
	"message": func(it item) (item, error) {
		m, err := messageFrom(conversationID, it)
		return messageItem(m), err
	},
	"task, accepted": rereadTask, "task, running": rereadTask, "task, completed": rereadTask,
	"idempotency record": func(it item) (item, error) {
		r, err := recordFrom(sampleRecord().Scope, sampleRecord().Key, it)
		return recordItem(r), err
	},
	"document": func(it item) (item, error) {
		d, err := documentFrom(workspaceID, documentID, it)
		return documentItem(d), err
	},
}

func rereadTask(it item) (item, error) {
	task, err := taskFrom(it)
	return taskItem(task), err
}

// Everything that release 1 wrote is understood: encoded anew, it says at least the
// same.
func TestItemsOfRelease1AreRead(t *testing.T) {
	t.Parallel()
	items := itemsOfRelease1(t)
	for name, again := range reread {
		got, err := again(items[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for attribute, value := range items[name] {
			if now := got[attribute]; now == nil || renderValue(now) != renderValue(value) {
				t.Errorf("%s: %s was %s and is read as %v", name, attribute, renderValue(value), now)
			}
		}
	}
}

// What a later release adds to an item is passed over, whatever its type. It stays on
// the item, because every write names the attributes that it sets.
func TestAttributesOfLaterReleasesAreIgnored(t *testing.T) {
	t.Parallel()
	for name, again := range reread {
		old := itemsOfRelease1(t)[name]
		later := maps.Clone(old)
		later["later_text"] = text("x")
		later["later_map"] = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"a": number(1)}}
		later["later_bytes"] = &types.AttributeValueMemberB{Value: []byte{0}}
		before, err := again(old)
		if err != nil {
			t.Fatal(err)
		}
		after, err := again(later)
		if err != nil || render(before) != render(after) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, render(after), render(before))
		}
	}
}

// The worker of this release takes a task that the api of another one accepted, to
// which a later one has added something, up to the saved reply. What it does not know
// is still there afterwards.
func TestTaskOfAnotherReleaseIsWorkedOn(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(minidyn.NewServer())
	t.Cleanup(server.Close)
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(server.URL), Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		DisableValidateResponseChecksum: true,
	})
	if _, err := client.CreateTable(t.Context(), TableInput("table")); err != nil {
		t.Fatal(err)
	}
	s := New(client, "table", Options{})
	accepted := itemsOfRelease1(t)["task, accepted"]
	accepted["later_text"] = text("of a later release")
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.table), Item: accepted}); err != nil {
		t.Fatal(err)
	}
	ref := sampleTask().Ref
	for _, tr := range []worktask.Transition{
		sampleClaim(), sampleAssignment().Renew(instant.Add(time.Second), instant.Add(40*time.Second)),
		sampleAssignment().Complete(instant.Add(3*time.Second), worktask.Result{Body: "It says so."}, report),
	} {
		if _, err := s.Apply(t.Context(), ref, tr); err != nil {
			t.Fatalf("%s: %v", tr.Name(), err)
		}
	}
	task, err := s.Get(t.Context(), ref)
	if err != nil || task.Status != worktask.Completed || task.Result.Body != "It says so." {
		t.Errorf("task %+v, %v", task, err)
	}
	out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(s.table), Key: item{"pk": accepted["pk"], "sk": accepted["sk"]}})
	if err != nil || renderValue(out.Item["later_text"]) != `S "of a later release"` {
		t.Errorf("the later attribute is %v, %v", out.Item["later_text"], err)
	}
}

// An attribute that has another type than this release writes is an error and no
// guess: the message stays, and the release that knows it may take it.
func TestAttributesOfAnotherTypeAreRefused(t *testing.T) {
	t.Parallel()
	changed := itemsOfRelease1(t)["task, running"]
	changed[dynamoschema.AssignmentVersion] = text("one")
	if _, err := taskFrom(changed); err == nil {
		t.Error("a version that is a text is read")
	}
}

// Fingerprints say by which rule they were made. One of a later rule cannot be
// compared, and must not be taken for another request's.
func TestFingerprintOfALaterRuleIsKept(t *testing.T) {
	t.Parallel()
	it := itemsOfRelease1(t)["idempotency record"]
	it["request_fingerprint"] = text("7:ryvb4aqbbsHireHWlPQfxxqDHQJo6YkVYhE9imKt0b8")
	record, err := recordFrom(sampleRecord().Scope, sampleRecord().Key, it)
	if err == nil && record.Fingerprint == (idempotency.Fingerprint{}) {
		t.Error("the fingerprint is lost without an error")
	}
	if err == nil && record.Fingerprint.Schema != 7 {
		t.Errorf("read as of schema %d", record.Fingerprint.Schema)
	}
}
