package units

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/dynamostore"
)

// The rules below are those of "DynamoDB read and write operations" and
// "DynamoDB item sizes and formats" in the developer guide, and of its chapter
// on global secondary indexes, for on-demand tables.

const (
	writeUnit = 1 << 10 // bytes that one write unit covers
	readUnit  = 4 << 10 // bytes that one strongly consistent read unit covers
	// transactional is how many units a write takes in a transaction, on the
	// table itself: one to prepare it and one to commit it. Indexes follow
	// later and are charged as ever.
	transactional = 2
)

type item = map[string]types.AttributeValue

// writeUnits is what one write of that many bytes takes. Nothing is free: a
// write that finds no item takes a unit.
func writeUnits(bytes int) int { return max(1, (bytes+writeUnit-1)/writeUnit) }

// readUnits is what one read of that many bytes takes, half of it when it may
// lag behind. A read that finds nothing is one of the least size.
func readUnits(bytes int, consistent bool) float64 {
	n := float64(max(1, (bytes+readUnit-1)/readUnit))
	if !consistent {
		n /= 2
	}
	return n
}

// change is what one write did to one item.
type change struct {
	key     item // primary key
	before  item // nil: there was none
	after   item // nil: there is none
	given   item // the whole item that a put brought along, nil for other writes
	refused bool // a condition did not hold, here or elsewhere in the transaction
	factor  int  // transactional or 1
}

// price is the entries of a change: the item first, then its index entries. A
// refused write has the same image before and after, so it has none of those.
func (c change) price(indexes []dynamoschema.Index) []Entry {
	table := Entry{Item: nameOf(first(c.after, c.before, c.given, c.key)), Effect: c.effect(), Bytes: c.bytes()}
	table.Write = c.factor * writeUnits(table.Bytes)
	entries := []Entry{table}
	for _, index := range indexes {
		entries = append(entries, c.indexEntries(index)...)
	}
	return entries
}

// bytes is the size that is charged: the larger of before and after. A refused
// write is charged by the item that refused it, or, when there is none, by the
// item that it would have put.
func (c change) bytes() int {
	if !c.refused {
		return max(dynamostore.Size(c.before), dynamostore.Size(c.after))
	}
	return dynamostore.Size(first(c.before, c.given))
}

func (c change) effect() string {
	switch {
	case c.refused:
		return "refused"
	case c.before == nil && c.after != nil:
		return "put"
	case c.given != nil:
		return "replace"
	default:
		return "update"
	}
}

// indexEntries is what the change does to an index that projects keys only. An
// entry whose key changes is deleted and put again; one whose key stays is not
// written, because the keys of the table, all that it has besides, never change.
func (c change) indexEntries(index dynamoschema.Index) []Entry {
	before, after := project(c.before, index), project(c.after, index)
	if before != nil && after != nil && sameKey(before, after, index) {
		return nil
	}
	var entries []Entry
	for _, side := range []struct {
		effect string
		entry  item
	}{{"delete", before}, {"put", after}} {
		if side.entry == nil {
			continue
		}
		size := dynamostore.Size(side.entry)
		entries = append(entries, Entry{
			Item: "index " + index.Name, Effect: side.effect, Bytes: size, Write: writeUnits(size),
		})
	}
	return entries
}

// project is the entry that an item has in an index, nil when it has none: an
// item without one of the index's keys is left out.
func project(it item, index dynamoschema.Index) item {
	entry := item{}
	for _, name := range []string{dynamoschema.PK, dynamoschema.SK, index.Key.Partition.Name, index.Key.Sort.Name} {
		value, found := it[name]
		if !found {
			return nil
		}
		entry[name] = value
	}
	return entry
}

func sameKey(a, b item, index dynamoschema.Index) bool {
	for _, name := range []string{index.Key.Partition.Name, index.Key.Sort.Name} {
		if scalar(a[name]) != scalar(b[name]) {
			return false
		}
	}
	return true
}

// scalar is the value of a key attribute, whatever its type.
func scalar(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		return string(v.Value)
	default:
		return ""
	}
}

func first(items ...item) item {
	for _, it := range items {
		if it != nil {
			return it
		}
	}
	return nil
}
