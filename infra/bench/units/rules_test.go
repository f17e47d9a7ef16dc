package units

import (
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/dynamostore"
)

var indexes = dynamoschema.Definition().Indexes

// sized is an entry of a conversation with exactly that many bytes.
func sized(t *testing.T, bytes int) item {
	t.Helper()
	it := item{
		dynamoschema.PK:   &types.AttributeValueMemberS{Value: "W#01JDW000000000000000000000#C#01JDC000000000000000000000"},
		dynamoschema.SK:   &types.AttributeValueMemberS{Value: "ENTRY#01JDT000000000000000000000"},
		dynamoschema.Text: &types.AttributeValueMemberS{},
	}
	rest := bytes - dynamostore.Size(it)
	if rest < 0 {
		t.Fatalf("an item of %d bytes is too small for its keys", bytes)
	}
	it[dynamoschema.Text] = &types.AttributeValueMemberS{Value: strings.Repeat("x", rest)}
	return it
}

// due is a task of that size that stands in the handoff index.
func due(t *testing.T, bytes int, at int64) item {
	t.Helper()
	keys := item{
		dynamoschema.HandoffShard: &types.AttributeValueMemberN{Value: "3"},
		dynamoschema.HandoffDueAt: &types.AttributeValueMemberN{Value: strconv.FormatInt(at, 10)},
	}
	it := sized(t, bytes-dynamostore.Size(keys))
	for name, value := range keys {
		it[name] = value
	}
	if size := dynamostore.Size(it); size != bytes {
		t.Fatalf("the task has %d bytes, want %d", size, bytes)
	}
	return it
}

const (
	someTime  = 1795960830123 // 13 digits, none of them a trailing zero
	laterTime = 1795960862123
)

// The sizes and units are those of the design's calculation for one question
// and its reply. Each case also says what a plausible wrong rule would give, so
// that none of the rules can be dropped unnoticed.
func TestUnitsOfEachWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change change
		table  int
		index  int
		wrong  string
	}{
		"transaction: record":   {change{after: sized(t, 279), given: sized(t, 279), factor: 2}, 2, 0, "1 without doubling"},
		"transaction: message":  {change{after: sized(t, 405), given: sized(t, 405), factor: 2}, 2, 0, "1 without doubling"},
		"transaction: task":     {change{after: due(t, 410, someTime), given: due(t, 410, someTime), factor: 2}, 2, 1, "index 2 when doubled"},
		"transaction: 1,025 B":  {change{after: sized(t, 1025), given: sized(t, 1025), factor: 2}, 4, 0, "3 when doubled before rounding"},
		"claim":                 {change{before: due(t, 410, someTime), after: due(t, 441, someTime), factor: 1}, 1, 0, "index 2 when always rewritten"},
		"complete":              {change{before: due(t, 441, someTime), after: sized(t, 1333), factor: 1}, 2, 1, "1 by the item before"},
		"fail, text given back": {change{before: due(t, 1333, someTime), after: sized(t, 441), factor: 1}, 2, 1, "1 by the item after"},
		"renew":                 {change{before: due(t, 441, someTime), after: due(t, 441, someTime), factor: 1}, 1, 0, "index 2"},
		"bump":                  {change{before: due(t, 441, someTime), after: due(t, 441, laterTime), factor: 1}, 1, 2, "index 1 for one write"},
		"cancel":                {change{before: due(t, 441, someTime), after: sized(t, 480), factor: 1}, 1, 1, "index 0"},
		"evidence":              {change{after: sized(t, 300), given: sized(t, 300), factor: 1}, 1, 0, ""},
		"refused, running":      {change{before: due(t, 441, someTime), after: due(t, 441, someTime), refused: true, factor: 1}, 1, 0, "0 when free"},
		"refused, completed":    {change{before: sized(t, 1333), after: sized(t, 1333), refused: true, factor: 1}, 2, 0, "1 when flat"},
		"refused, item absent":  {change{key: sized(t, 200), refused: true, factor: 1}, 1, 0, "0 for no item"},
		"refused put, absent":   {change{given: due(t, 1100, someTime), refused: true, factor: 2}, 4, 0, "2 without the new item"},
		"refused put, present":  {change{before: sized(t, 300), after: sized(t, 300), given: sized(t, 1100), refused: true, factor: 2}, 2, 0, "4 by the new item"},
		"exactly a unit":        {change{after: sized(t, 1024), given: sized(t, 1024), factor: 1}, 1, 0, "2 when not half open"},
		"one byte more":         {change{after: sized(t, 1025), given: sized(t, 1025), factor: 1}, 2, 0, "1 when cut"},
		"put in place of one":   {change{before: sized(t, 1333), after: sized(t, 300), given: sized(t, 300), factor: 1}, 2, 0, "1 by the new item"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries := c.change.price(indexes)
			index := 0
			for _, e := range entries[1:] {
				index += e.Write
			}
			if entries[0].Write != c.table || index != c.index {
				t.Errorf("%d units on the table and %d on the index, want %d and %d (a wrong rule: %s)\n%+v",
					entries[0].Write, index, c.table, c.index, c.wrong, entries)
			}
		})
	}
}

// First send to saved, as the design calculates it: eleven units.
func TestUnitsFromFirstSendToSaved(t *testing.T) {
	t.Parallel()
	total := 0
	for _, c := range []change{
		{after: sized(t, 279), given: sized(t, 279), factor: transactional},
		{after: sized(t, 405), given: sized(t, 405), factor: transactional},
		{after: due(t, 410, someTime), given: due(t, 410, someTime), factor: transactional},
		{before: due(t, 410, someTime), after: due(t, 441, someTime), factor: 1},
		{before: due(t, 441, someTime), after: sized(t, 1333), factor: 1},
	} {
		for _, e := range c.price(indexes) {
			total += e.Write
		}
	}
	if total != 11 {
		t.Errorf("first send to saved takes %d write units, want 11", total)
	}
}

func TestIndexEntryHasKeysOnly(t *testing.T) {
	t.Parallel()
	task := due(t, 900, someTime)
	entries := change{after: task, given: task, factor: 1}.price(indexes)
	// pk 2+57, sk 2+32, handoff_shard 13+2, handoff_due_at_ms 17+8
	if len(entries) != 2 || entries[1].Bytes != 133 || entries[1].Item != "index handoff" {
		t.Errorf("entries %+v, want a second one of 133 bytes", entries)
	}
	delete(task, dynamoschema.HandoffDueAt)
	if entries := (change{after: task, given: task, factor: 1}).price(indexes); len(entries) != 1 {
		t.Errorf("an item without one of the index's keys has an entry: %+v", entries)
	}
}

func TestReadUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bytes            int
		strong, eventual float64
	}{{0, 1, 0.5}, {1, 1, 0.5}, {4096, 1, 0.5}, {4097, 2, 1}, {8192, 2, 1}, {8193, 3, 1.5}} {
		if got := readUnits(c.bytes, true); got != c.strong {
			t.Errorf("strong read of %d bytes: %v, want %v", c.bytes, got, c.strong)
		}
		if got := readUnits(c.bytes, false); got != c.eventual {
			t.Errorf("eventual read of %d bytes: %v, want %v", c.bytes, got, c.eventual)
		}
	}
}

func TestNamesOfItems(t *testing.T) {
	t.Parallel()
	entry := func(kind string) item {
		return item{
			dynamoschema.PK:    &types.AttributeValueMemberS{Value: "W#acme#C#c"},
			dynamoschema.SK:    &types.AttributeValueMemberS{Value: "ENTRY#t"},
			dynamoschema.Entry: &types.AttributeValueMemberS{Value: kind},
		}
	}
	at := func(k dynamoschema.Key) item {
		return item{
			dynamoschema.PK: &types.AttributeValueMemberS{Value: k.PK},
			dynamoschema.SK: &types.AttributeValueMemberS{Value: k.SK},
		}
	}
	for want, it := range map[string]item{
		"task":               entry(dynamoschema.EntryTask),
		"message":            entry(dynamoschema.EntryMessage),
		"log entry":          at(dynamoschema.EntryKey("acme", "C#c", "t")),
		"evidence":           at(dynamoschema.EvidenceKey("acme", "C#c", "t", 1)),
		"conversation":       at(dynamoschema.ConversationKey("acme", "C#c")),
		"conversation card":  at(dynamoschema.Key{PK: dynamoschema.ConversationCardPK("acme", "al"), SK: "c"}),
		"document":           at(dynamoschema.DocumentKey("acme", "d")),
		"document card":      at(dynamoschema.Key{PK: dynamoschema.DocumentCardPK("acme"), SK: "d"}),
		"document version":   at(dynamoschema.VersionKey("acme", "d", 1)),
		"document text":      at(dynamoschema.PartKey("acme", "d", 1, 0)),
		"idempotency record": at(dynamoschema.Key{PK: "W#acme#IDEMPOTENCY#al#submit#k", SK: dynamoschema.RecordSK}),
		"item":               at(dynamoschema.Key{PK: "other", SK: "x"}),
	} {
		if got := nameOf(it); got != want {
			t.Errorf("%v is named %q, want %q", it, got, want)
		}
	}
}

func TestPricePerMillion(t *testing.T) {
	t.Parallel()
	totals := Sum([]Request{
		{Service: DynamoDB, Entries: []Entry{{Write: 2}, {Write: 1}, {Read: 0.5}}},
		{Service: SQS, Billed: 2},
	})
	// 3 write units, half a read unit, two charged requests of one sent
	if got, want := totals.PerMillion(), 3*0.625+0.5*0.125+2*0.40; got != want {
		t.Errorf("price %v, want %v", got, want)
	}
	if totals.Write != 3 || totals.Read != 0.5 || totals.DynamoDB != 1 || totals.SQS != 1 {
		t.Errorf("totals %+v", totals)
	}
}
