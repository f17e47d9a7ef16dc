package dynamostore

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// wireValue is an attribute value as DynamoDB sends it:
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
type wireValue struct {
	S    *string     `json:"S"`
	N    *string     `json:"N"`
	BOOL *bool       `json:"BOOL"`
	L    []wireValue `json:"L"`
}

func (v wireValue) attribute() types.AttributeValue {
	switch {
	case v.S != nil:
		return &types.AttributeValueMemberS{Value: *v.S}
	case v.N != nil:
		return &types.AttributeValueMemberN{Value: *v.N}
	case v.BOOL != nil:
		return &types.AttributeValueMemberBOOL{Value: *v.BOOL}
	case v.L != nil:
		list := &types.AttributeValueMemberL{}
		for _, element := range v.L {
			list.Value = append(list.Value, element.attribute())
		}
		return list
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

// FuzzStoredItems reads items that another version, another program or a person
// may have written: each is read whole or refused, and a task that was read is
// the same when it is written and read again.
func FuzzStoredItems(f *testing.F) {
	f.Add([]byte(`{"pk":{"S":"W#acme#C#c"},"sk":{"S":"ENTRY#01JDV0000000000000000000T1"},"status":{"S":"pending"},"attempts_left":{"N":"4"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var wire map[string]wireValue
		if json.Unmarshal(body, &wire) != nil {
			return
		}
		it := item{}
		for name, v := range wire {
			it[name] = v.attribute()
		}
		if task, err := taskFrom(it); err == nil {
			again, err := taskFrom(taskItem(task))
			if err != nil || !reflect.DeepEqual(again, task) {
				t.Errorf("%+v came back as %+v: %v", task, again, err)
			}
		}
		if m, err := messageFrom("c", it); err == nil && m.ID == "" {
			t.Errorf("a message without an id: %+v", m)
		}
		if r, err := recordFrom(sampleRecord().Scope, sampleRecord().Key, it); err == nil && r.Target == "" {
			t.Errorf("a record of nothing: %+v", r)
		}
		if v, err := versionFrom("acme", "d", 1, it); err == nil && v.SHA256 == "" {
			t.Errorf("a version without a digest: %+v", v)
		}
		_, _ = documentFrom("acme", "d", it) // nothing of it is required
	})
}
