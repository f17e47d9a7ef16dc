package dynamostore

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// expression is a conditional update under construction. Every attribute is
// named by a placeholder that spells its whole name, "#status": reserved words
// cannot bite, and no placeholder is a part of another, which matters on
// engines that replace them as text. Names and values come into being only
// where an expression uses them, so none is ever left over.
type expression struct {
	names   map[string]string
	values  map[string]types.AttributeValue
	require []condition // all of them
	sets    []string
	adds    []string
	removes []string
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, values: map[string]types.AttributeValue{}}
}

func (e *expression) name(attribute string) string {
	placeholder := "#" + attribute
	e.names[placeholder] = attribute
	return placeholder
}

func (e *expression) value(placeholder string, v types.AttributeValue) string {
	e.values[placeholder] = v
	return placeholder
}

// condition is a part of a ConditionExpression. An alternative is put into
// parentheses where it becomes one of several demands, and nothing else ever is:
// engines refuse parentheses that change nothing, and do not agree on which
// those are.
type condition struct {
	text        string
	alternative bool
}

// where adds conditions that must all hold.
func (e *expression) where(conditions ...condition) { e.require = append(e.require, conditions...) }

// compare is the condition "attribute operator value".
func (e *expression) compare(attribute, operator, placeholder string, v types.AttributeValue) condition {
	return condition{text: e.name(attribute) + " " + operator + " " + e.value(placeholder, v)}
}

// compareStored is the condition "attribute operator attribute". It holds only
// where both are.
func (e *expression) compareStored(attribute, operator, other string) condition {
	return condition{text: e.name(attribute) + " " + operator + " " + e.name(other)}
}

func (e *expression) absent(attribute string) condition {
	return condition{text: "attribute_not_exists(" + e.name(attribute) + ")"}
}

func (e *expression) present(attribute string) condition {
	return condition{text: "attribute_exists(" + e.name(attribute) + ")"}
}

func (e *expression) beginsWith(attribute, placeholder, prefix string) condition {
	return condition{text: "begins_with(" + e.name(attribute) + ", " + e.value(placeholder, text(prefix)) + ")"}
}

func anyOf(conditions ...condition) condition {
	parts := make([]string, len(conditions))
	for i, c := range conditions {
		parts[i] = c.text
	}
	return condition{text: strings.Join(parts, " OR "), alternative: len(parts) > 1}
}

// allOf needs no parentheses in an alternative: AND binds tighter than OR.
func allOf(conditions ...condition) condition {
	if len(conditions) == 1 {
		return conditions[0]
	}
	parts := make([]string, len(conditions))
	for i, c := range conditions {
		parts[i] = c.text
		if c.alternative {
			parts[i] = "(" + c.text + ")"
		}
	}
	return condition{text: strings.Join(parts, " AND ")}
}

// set stores the value under the placeholder that spells the attribute's name.
func (e *expression) set(attribute string, v types.AttributeValue) {
	e.sets = append(e.sets, e.name(attribute)+" = "+e.value(":"+attribute, v))
}

// setIfAbsent stores the value where the attribute is not there.
func (e *expression) setIfAbsent(attribute string, v types.AttributeValue) {
	e.sets = append(e.sets, e.name(attribute)+" = if_not_exists("+e.name(attribute)+", "+e.value(":"+attribute, v)+")")
}

// setText stores a text; an empty one is not stored, so the attribute goes.
func (e *expression) setText(attribute, v string) {
	if v == "" {
		e.remove(attribute)
		return
	}
	e.set(attribute, text(v))
}

// setIfAny stores a text and leaves what is there when it is empty.
func (e *expression) setIfAny(attribute, v string) {
	if v != "" {
		e.set(attribute, text(v))
	}
}

// subtractStored takes one stored number from another.
func (e *expression) subtractStored(attribute, other string) {
	e.sets = append(e.sets, e.name(attribute)+" = "+e.name(attribute)+" - "+e.name(other))
}

// add changes a count; an absent one counts from zero.
func (e *expression) add(attribute string, n int64) {
	if n != 0 {
		e.adds = append(e.adds, e.name(attribute)+" "+e.value(":"+attribute, number(n)))
	}
}

func (e *expression) remove(attributes ...string) {
	for _, attribute := range attributes {
		e.removes = append(e.removes, e.name(attribute))
	}
}

// condition is the ConditionExpression, or the KeyConditionExpression.
func (e *expression) condition() *string { return aws.String(allOf(e.require...).text) }

// update is the UpdateExpression.
func (e *expression) update() *string {
	var clauses []string
	for _, c := range []struct {
		keyword string
		actions []string
	}{{"SET", e.sets}, {"ADD", e.adds}, {"REMOVE", e.removes}} {
		if len(c.actions) > 0 {
			clauses = append(clauses, c.keyword+" "+strings.Join(c.actions, ", "))
		}
	}
	return aws.String(strings.Join(clauses, " "))
}

// size is what the update brings along, at most what the item grows by.
func (e *expression) size() int {
	n := 0
	for placeholder, v := range e.values {
		n += len(placeholder) + valueSize(v)
	}
	return n
}
