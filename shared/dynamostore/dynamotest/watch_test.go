package dynamotest

import (
	"strings"
	"testing"
)

// TestCaseS6BareNamesAreNoticed: every request of the store suite passes the
// watch; here the watch is seen to notice what an engine may let pass.
func TestCaseS6BareNamesAreNoticed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ operation, body, want string }{
		"bare name": {
			"UpdateItem", `{"UpdateExpression":"SET status = :s","ConditionExpression":"#a = :s",
			"ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeValues":{":s":{"S":"x"}}}`, `bare word "status"`,
		},
		"name inside a name": {
			"UpdateItem", `{"UpdateExpression":"REMOVE #ab","ConditionExpression":"attribute_exists(#a)",
			"ExpressionAttributeNames":{"#a":"a","#ab":"ab"}}`, "#ab begins with #a",
		},
		"value inside a value": {
			"Query", `{"KeyConditionExpression":"#a = :n AND #b = :no","ExpressionAttributeNames":{"#a":"a","#b":"b"},
			"ExpressionAttributeValues":{":n":{"S":"x"},":no":{"S":"x"}}}`, ":no begins with :n",
		},
		"unused name": {
			"UpdateItem", `{"UpdateExpression":"REMOVE #a","ConditionExpression":"attribute_exists(#a)",
			"ExpressionAttributeNames":{"#a":"a","#b":"b"}}`, "#b is unused",
		},
		"unused value": {
			"Query", `{"KeyConditionExpression":"#a = :v","ExpressionAttributeNames":{"#a":"a"},
			"ExpressionAttributeValues":{":v":{"S":"x"},":w":{"S":"x"}}}`, ":w is unused",
		},
		"undefined value": {
			"Query", `{"KeyConditionExpression":"#a = :v","ExpressionAttributeNames":{"#a":"a"}}`, ":v is undefined",
		},
		"other name":   {"Query", `{"KeyConditionExpression":"attribute_exists(#a)","ExpressionAttributeNames":{"#a":"b"}}`, "does not spell"},
		"no condition": {"UpdateItem", `{"UpdateExpression":"REMOVE #a","ExpressionAttributeNames":{"#a":"a"}}`, "without a condition"},
		"idle parentheses": {
			"Query", `{"KeyConditionExpression":"#a = :v OR (#a = :v AND #a = :v)","ExpressionAttributeNames":{"#a":"a"},
			"ExpressionAttributeValues":{":v":{"S":"x"}}}`, "idle parentheses",
		},
		"parentheses around everything": {
			"Query", `{"KeyConditionExpression":"(#a = :v OR #a = :v)","ExpressionAttributeNames":{"#a":"a"},
			"ExpressionAttributeValues":{":v":{"S":"x"}}}`, "idle parentheses",
		},
		"inside a transaction": {
			"TransactWriteItems", `{"TransactItems":[{"Put":{"ConditionExpression":"attribute_not_exists(pk)"}}]}`, `bare word "pk"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := (&Watch{}).check(c.operation, []byte(c.body))
			for _, err := range errs {
				if strings.Contains(err.Error(), c.want) {
					return
				}
			}
			t.Errorf("the watch reports %v, want %q", errs, c.want)
		})
	}
}
