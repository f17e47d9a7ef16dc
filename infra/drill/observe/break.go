package observe

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/history"
)

// breaks are ways in which a careless service would write. They stand for builds
// that nobody should make: the functions are the real ones, their requests are
// changed on the way.
var breaks = map[string]Break{
	"unfenced-save":    without(history.Complete),
	"unfenced-release": without(history.Release),
	"unfenced-failure": without(history.Fail),

	"cancel-keeps-version": keepsVersion,
}

// Breaks lists the names of what can be broken.
func Breaks() []string { return slices.Sorted(maps.Keys(breaks)) }

// BreakNamed finds what breaks a service; "" breaks nothing.
func BreakNamed(name string) (Break, bool) {
	b, known := breaks[name]
	return b, known || name == ""
}

// without takes the condition from writes of one kind.
func without(transition string) Break {
	return changed(transition, func(body map[string]json.RawMessage) { delete(body, "ConditionExpression") })
}

// keepsVersion is a cancel that does not move the version on: it adds nothing.
var keepsVersion = changed(history.Cancel, func(body map[string]json.RawMessage) {
	var values map[string]json.RawMessage
	if json.Unmarshal(body["ExpressionAttributeValues"], &values) != nil {
		return
	}
	values[":"+dynamoschema.AssignmentVersion] = json.RawMessage(`{"N":"0"}`)
	if text, err := json.Marshal(values); err == nil {
		body["ExpressionAttributeValues"] = text
	}
})

// changed lets change rewrite the writes of one kind.
func changed(transition string, change func(body map[string]json.RawMessage)) Break {
	return func(r *faultproxy.Request) {
		_, write, ok := ParseUpdate(r, time.Second)
		if !ok || write.Transition != transition {
			return
		}
		var body map[string]json.RawMessage
		if r.Decode(&body) != nil {
			return
		}
		change(body)
		if text, err := json.Marshal(body); err == nil {
			r.Body = text
		}
	}
}
