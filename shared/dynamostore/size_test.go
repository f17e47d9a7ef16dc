package dynamostore

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

func TestSizeFollowsTheDeveloperGuide(t *testing.T) {
	t.Parallel()
	n := func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	for name, c := range map[string]struct {
		value types.AttributeValue
		want  int // without the name
	}{
		"text":            {text("漢字"), 6},
		"empty text":      {text(""), 0},
		"zero":            {n("0"), 1},
		"one digit":       {n("7"), 2},
		"two digits":      {n("42"), 2},
		"three digits":    {n("142"), 3},
		"trailing zeros":  {n("1000"), 2},
		"negative":        {n("-42"), 3},
		"milliseconds":    {n("1796047200251"), 8},
		"flag":            {yes(), 1},
		"bytes":           {&types.AttributeValueMemberB{Value: []byte("abc")}, 3},
		"null":            {&types.AttributeValueMemberNULL{Value: true}, 1},
		"empty list":      {&types.AttributeValueMemberL{}, 3},
		"list":            {&types.AttributeValueMemberL{Value: []types.AttributeValue{text("ab"), n("1")}}, 3 + 2 + 2 + 2},
		"map":             {&types.AttributeValueMemberM{Value: item{"key": text("v")}}, 3 + 1 + 4},
		"nothing we have": {&types.AttributeValueMemberSS{Value: []string{"a"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Size(item{"a": c.value}); got != 1+c.want {
				t.Errorf("the item has %d bytes, want %d", got, 1+c.want)
			}
		})
	}
}

// The price of a reply, from the first send to the saved answer: a question of
// 200 bytes, an input of 120, an answer of 800. Writes in a transaction count
// twice, entries of the index never do, and an update counts the larger of the
// item before and after.
func TestUnitsFromFirstSendToSaved(t *testing.T) {
	t.Parallel()
	index := key(dynamoschema.EntryKey(workspaceID, "C#"+conversationID, taskID))
	index[dynamoschema.HandoffShard], index[dynamoschema.HandoffDueAt] = number(7), millis(instant)
	total := 0
	for _, w := range []struct {
		name  string
		item  item
		limit int // bytes
		times int
	}{
		{"record, in the transaction", recordItem(sampleRecord()), 1024, 2},
		{"message, in the transaction", messageItem(sampleMessage()), 1024, 2},
		{"task, in the transaction", taskItem(sampleTask()), 1024, 2},
		{"index entry, put", index, 1024, 1},
		{"claim", taskItem(sampleClaim().Apply(sampleTask())), 1024, 1},
		{"completion", taskItem(completedTask()), 2048, 1},
		{"index entry, removed", index, 1024, 1},
	} {
		size := Size(w.item)
		units := w.times * WriteUnits(size)
		total += units
		t.Logf("%-28s %5d bytes %2d units", w.name, size, units)
		if size > w.limit {
			t.Errorf("%s has %d bytes, want at most %d", w.name, size, w.limit)
		}
	}
	t.Logf("%-28s             %2d units", "together", total)
	if total != 11 {
		t.Errorf("a reply costs %d write units, want 11", total)
	}
}

// Counting money costs some forty bytes on the task and no unit; a task that
// counts none has not even those.
func TestMoneyCostsNoUnit(t *testing.T) {
	t.Parallel()
	priced := sampleTask()
	priced.Money = worktask.NewMoney(50_000, 18_350)
	claim := sampleClaim()
	claim.Money = true
	claimed := claim.Apply(priced)
	a, _ := worktask.AssignmentOf(claimed, assignmentID)
	cost := report
	cost.Cost = worktask.Cost{Known: true, Micros: 4_123}
	completed := a.Complete(instant, worktask.Result{Body: strings.Repeat("a", 800)}, cost).Apply(claimed)
	for _, c := range []struct {
		name          string
		without, with item
		units         int
	}{
		{"accepted", taskItem(sampleTask()), taskItem(priced), 1},
		{"running", taskItem(sampleClaim().Apply(sampleTask())), taskItem(claimed), 1},
		{"completed", taskItem(completedTask()), taskItem(completed), 2},
	} {
		more := Size(c.with) - Size(c.without)
		t.Logf("%-10s %5d bytes, %d of them for money", c.name, Size(c.with), more)
		if more < 1 || more > 48 || WriteUnits(Size(c.with)) != c.units || WriteUnits(Size(c.without)) != c.units {
			t.Errorf("%s: %d bytes more, %d units, want %d", c.name, more, WriteUnits(Size(c.with)), c.units)
		}
		for _, name := range []string{dynamoschema.MoneyLimit, dynamoschema.MoneyLeft, dynamoschema.CallMoney} {
			if _, found := c.without[name]; found {
				t.Errorf("%s: a task that counts no money has %s", c.name, name)
			}
		}
	}
}

func TestItemsAtTheLimit(t *testing.T) {
	t.Parallel()
	it := item{"a": text(strings.Repeat("x", dynamoschema.MaxItemBytes-1))}
	if err := checkItem("item", it); err != nil {
		t.Errorf("an item of exactly the limit: %v", err)
	}
	it["b"] = text("")
	if err := checkItem("item", it); err == nil {
		t.Error("an item of one byte more is let through")
	}
}
