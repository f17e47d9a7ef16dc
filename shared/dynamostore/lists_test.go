package dynamostore_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/dynamostore/dynamotest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Half of a list would look like a whole one: a damaged item ends it with an error.
func TestDamagedItemsOfLists(t *testing.T) {
	t.Parallel()
	client := dynamotest.Client(startKumo(t), nil)
	table := dynamotest.NewTable(t, client)
	store := dynamostore.New(client, table, dynamostore.Options{})
	ref := worktask.Ref{Workspace: "acme", Scope: "C#c1", ID: "t1"}
	for _, k := range []dynamoschema.Key{
		dynamoschema.EvidenceKey("acme", "C#c1", "t1", 1), dynamoschema.AttemptKey("acme", "C#c1", "t1", 1),
	} {
		text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: map[string]types.AttributeValue{
			dynamoschema.PK: text(k.PK), dynamoschema.SK: text(k.SK), dynamoschema.AssignmentVersion: text("one"),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if list, err := store.ListEvidence(t.Context(), ref); err == nil || !strings.Contains(err.Error(), "decode evidence") || list != nil {
		t.Errorf("evidence %v, %v", list, err)
	}
	if list, err := store.ListAttempts(t.Context(), ref); err == nil || !strings.Contains(err.Error(), "decode records of attempts") || list != nil {
		t.Errorf("attempts %v, %v", list, err)
	}
}
