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
	require []string // joined by AND
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

// where adds conditions that must all hold.
func (e *expression) where(conditions ...string) { e.require = append(e.require, conditions...) }

// compare is the condition "attribute operator value".
func (e *expression) compare(attribute, operator, placeholder string, v types.AttributeValue) string {
	return e.name(attribute) + " " + operator + " " + e.value(placeholder, v)
}

func (e *expression) absent(attribute string) string {
	return "attribute_not_exists(" + e.name(attribute) + ")"
}

func (e *expression) present(attribute string) string {
	return "attribute_exists(" + e.name(attribute) + ")"
}

func anyOf(conditions ...string) string { return "(" + strings.Join(conditions, " OR ") + ")" }

func allOf(conditions ...string) string { return "(" + strings.Join(conditions, " AND ") + ")" }

// set stores the value under the placeholder that spells the attribute's name.
func (e *expression) set(attribute string, v types.AttributeValue) {
	e.sets = append(e.sets, e.name(attribute)+" = "+e.value(":"+attribute, v))
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

// condition is the ConditionExpression.
func (e *expression) condition() *string { return aws.String(strings.Join(e.require, " AND ")) }

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
