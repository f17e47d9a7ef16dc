package units

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/dynamostore"
)

// read sends a read and prices it by what came back. The product reads whole
// items and filters nothing; a read that did would be priced by less than the
// engine reads, so it is refused.
func (r *Recorder) read(request Request, input any, send attempt) error {
	price, err := r.readOf(input, &request)
	if err != nil {
		return err
	}
	output, err := send()
	if err == nil {
		request.Entries = price(output)
	}
	r.add(request)
	return err
}

// readOf fills the request in and returns how its output is priced.
func (r *Recorder) readOf(input any, request *Request) (price func(output any) []Entry, err error) {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		request.Operation, request.Consistent = "GetItem", aws.ToBool(in.ConsistentRead)
		if in.ProjectionExpression != nil {
			return nil, errPart
		}
		return func(output any) []Entry { return getEntries(in, output) }, nil
	case *dynamodb.BatchGetItemInput:
		request.Operation = "BatchGetItem"
		for _, keys := range in.RequestItems {
			request.Consistent = aws.ToBool(keys.ConsistentRead)
			if keys.ProjectionExpression != nil {
				return nil, errPart
			}
		}
		return func(output any) []Entry { return batchEntries(in, output) }, nil
	case *dynamodb.QueryInput:
		request.Operation, request.Consistent, request.Index = "Query", aws.ToBool(in.ConsistentRead), aws.ToString(in.IndexName)
		if in.ProjectionExpression != nil || in.FilterExpression != nil {
			return nil, errPart
		}
		return r.page(*request), nil
	case *dynamodb.ScanInput:
		request.Operation, request.Consistent, request.Index = "Scan", aws.ToBool(in.ConsistentRead), aws.ToString(in.IndexName)
		return r.page(*request), nil
	default:
		return nil, fmt.Errorf("there is no price for %T", input)
	}
}

var errPart = errors.New("a read of parts of items cannot be priced by what it returns")

func getEntries(in *dynamodb.GetItemInput, output any) []Entry {
	out, ok := output.(*dynamodb.GetItemOutput)
	if !ok || len(out.Item) == 0 {
		return []Entry{missing(in.Key, aws.ToBool(in.ConsistentRead))}
	}
	return []Entry{found(out.Item, aws.ToBool(in.ConsistentRead))}
}

// batchEntries prices each item as if it were read alone; so does DynamoDB. Keys
// that were left unread cost nothing yet.
func batchEntries(in *dynamodb.BatchGetItemInput, output any) []Entry {
	out, ok := output.(*dynamodb.BatchGetItemOutput)
	if !ok {
		return nil
	}
	var entries []Entry
	for table, asked := range in.RequestItems {
		consistent := aws.ToBool(asked.ConsistentRead)
		unread := map[string]bool{}
		for _, key := range out.UnprocessedKeys[table].Keys {
			unread[address(key)] = true
		}
		for _, it := range out.Responses[table] {
			unread[address(it)] = true
			entries = append(entries, found(it, consistent))
		}
		for _, key := range asked.Keys {
			if !unread[address(key)] {
				entries = append(entries, missing(key, consistent))
			}
		}
	}
	return entries
}

func address(it item) string {
	return scalar(it[dynamoschema.PK]) + "\x00" + scalar(it[dynamoschema.SK])
}

func found(it item, consistent bool) Entry {
	size := dynamostore.Size(it)
	return Entry{Item: nameOf(it), Effect: "read", Bytes: size, Read: readUnits(size, consistent)}
}

func missing(key item, consistent bool) Entry {
	return Entry{Item: nameOf(key), Effect: "missing", Read: readUnits(0, consistent)}
}

// itemsOf is the page that a query or a scan returned.
func itemsOf(output any) []item {
	switch out := output.(type) {
	case *dynamodb.QueryOutput:
		return out.Items
	case *dynamodb.ScanOutput:
		return out.Items
	default:
		return nil
	}
}

// page prices the items of a page by their sum, rounded up once. In an index
// they are entries, of which there are keys only, even where an emulator returns
// the whole items.
func (r *Recorder) page(request Request) func(output any) []Entry {
	return func(output any) []Entry {
		items := itemsOf(output)
		name, size := "item", 0
		for _, it := range items {
			size += dynamostore.Size(r.entryOf(it, request.Index))
			name = nameOf(it)
		}
		if request.Index != "" {
			name = "index " + request.Index
		}
		return []Entry{{
			Item: fmt.Sprintf("%d x %s", len(items), name), Effect: "read",
			Bytes: size, Read: readUnits(size, request.Consistent),
		}}
	}
}

// entryOf is what an index of that name holds of the item.
func (r *Recorder) entryOf(it item, name string) item {
	for _, index := range r.indexes {
		if index.Name == name {
			return first(project(it, index), it)
		}
	}
	return it
}
