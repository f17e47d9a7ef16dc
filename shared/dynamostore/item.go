package dynamostore

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
)

// item is an item of the table.
type item = map[string]types.AttributeValue

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func number(v int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(v, 10)}
}

// millis is a time as whole milliseconds since 1970, cut and never rounded up.
func millis(t time.Time) types.AttributeValue { return number(t.UnixMilli()) }

func yes() types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: true} }

// key is the primary key in the SDK's form.
func key(k dynamoschema.Key) item {
	return item{dynamoschema.PK: text(k.PK), dynamoschema.SK: text(k.SK)}
}

// itemWriter fills an item and leaves out what is empty or zero: every write
// pays for the whole item.
type itemWriter struct{ item item }

func newItem(k dynamoschema.Key) itemWriter { return itemWriter{key(k)} }

func (w itemWriter) text(name, v string) {
	if v != "" {
		w.item[name] = text(v)
	}
}

func (w itemWriter) texts(name string, v []string) {
	if len(v) == 0 {
		return
	}
	list := make([]types.AttributeValue, len(v))
	for i := range v {
		list[i] = text(v[i])
	}
	w.item[name] = &types.AttributeValueMemberL{Value: list}
}

func (w itemWriter) number(name string, v int64) {
	if v != 0 {
		w.item[name] = number(v)
	}
}

// count stores zero too, for counts that conditions compare: a comparison with
// an absent attribute never holds.
func (w itemWriter) count(name string, v int) { w.item[name] = number(int64(v)) }

func (w itemWriter) millis(name string, t time.Time) {
	if !t.IsZero() {
		w.item[name] = millis(t)
	}
}

func (w itemWriter) flag(name string, v bool) {
	if v {
		w.item[name] = yes()
	}
}

// itemReader reads an item; what is absent reads as zero. The first attribute
// of a wrong type is remembered and ends up in the error of the whole item.
type itemReader struct {
	item item
	err  error
}

func (r *itemReader) wrong(name string, v types.AttributeValue) {
	if r.err == nil {
		r.err = fmt.Errorf("attribute %s has an unexpected value of type %T", name, v)
	}
}

func (r *itemReader) text(name string) string {
	v, found := r.item[name]
	if !found {
		return ""
	}
	s, ok := v.(*types.AttributeValueMemberS)
	if !ok {
		r.wrong(name, v)
		return ""
	}
	return s.Value
}

// required is a text without which the item means nothing.
func (r *itemReader) required(name string) string {
	v := r.text(name)
	if v == "" && r.err == nil {
		r.err = fmt.Errorf("attribute %s is missing", name)
	}
	return v
}

func (r *itemReader) texts(name string) []string {
	v, found := r.item[name]
	if !found {
		return nil
	}
	list, ok := v.(*types.AttributeValueMemberL)
	if !ok {
		r.wrong(name, v)
		return nil
	}
	out := make([]string, 0, len(list.Value))
	for _, element := range list.Value {
		s, ok := element.(*types.AttributeValueMemberS)
		if !ok {
			r.wrong(name, element)
			return nil
		}
		out = append(out, s.Value)
	}
	return out
}

func (r *itemReader) number(name string) int64 {
	v, found := r.item[name]
	if !found {
		return 0
	}
	n, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		r.wrong(name, v)
		return 0
	}
	parsed, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("attribute %s: %w", name, err)
	}
	return parsed
}

func (r *itemReader) count(name string) int { return int(r.number(name)) }

func (r *itemReader) millis(name string) time.Time {
	if _, found := r.item[name]; !found {
		return time.Time{}
	}
	return time.UnixMilli(r.number(name)).UTC()
}

func (r *itemReader) flag(name string) bool {
	v, found := r.item[name]
	if !found {
		return false
	}
	b, ok := v.(*types.AttributeValueMemberBOOL)
	if !ok {
		r.wrong(name, v)
		return false
	}
	return b.Value
}
