package stack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// template is a parsed CloudFormation template. Its readers give zero values for
// what is not there: checks then fail on what they compare.
type template map[string]any

// clone copies a template, so that a mutant does not change the others.
func (t template) clone() template {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	var copied template
	if err := json.Unmarshal(text, &copied); err != nil {
		panic(err)
	}
	return copied
}

func (t template) resources() map[string]any { return object(t["Resources"]) }

// properties of a resource by its logical id.
func (t template) properties(id string) map[string]any {
	return object(object(t.resources()[id])["Properties"])
}

func (t template) kind(id string) string { return fmt.Sprint(object(t.resources()[id])["Type"]) }

// ids of all resources of a type, sorted.
func (t template) ids(kind string) []string {
	var found []string
	for _, id := range slices.Sorted(maps.Keys(t.resources())) {
		if t.kind(id) == kind {
			found = append(found, id)
		}
	}
	return found
}

func object(value any) map[string]any {
	o, _ := value.(map[string]any)
	return o
}

func list(value any) []any {
	l, isList := value.([]any)
	if !isList && value != nil {
		return []any{value} // IAM and CloudFormation take one in place of a list of one
	}
	return l
}

func number(value any) float64 {
	n, _ := value.(float64)
	return n
}

func isTrue(value any) bool {
	b, _ := value.(bool)
	return b
}

// texts resolves a list.
func (t template) texts(value any) []string {
	var out []string
	for _, v := range list(value) {
		out = append(out, t.text(v))
	}
	return out
}

// pseudo parameters, as if deployed.
var pseudo = map[string]string{
	"AWS::Region": "eu-west-1", "AWS::Partition": "aws", "AWS::AccountId": "111122223333", "AWS::URLSuffix": "amazonaws.com",
	"AWS::NoValue": "",
}

// text resolves a value as far as a deployment would: references to resources
// become made-up names that tell which resource is meant.
func (t template) text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case nil:
		return ""
	case map[string]any:
		return t.intrinsic(v)
	default:
		return fmt.Sprint(v)
	}
}

func (t template) intrinsic(v map[string]any) string {
	if ref, ok := v["Ref"].(string); ok {
		if known, isPseudo := pseudo[ref]; isPseudo {
			return known
		}
		if t.kind(ref) == "AWS::SQS::Queue" {
			return "https://sqs.eu-west-1.amazonaws.com/111122223333/" + ref
		}
		return ref
	}
	if parts := list(v["Fn::GetAtt"]); len(parts) == 2 {
		if parts[1] == "ProviderURL" {
			return fmt.Sprintf("https://cognito-idp.eu-west-1.amazonaws.com/%s", parts[0])
		}
		return fmt.Sprintf("%s.%s", parts[0], parts[1])
	}
	if parts := list(v["Fn::Join"]); len(parts) == 2 {
		return strings.Join(t.texts(parts[1]), t.text(parts[0]))
	}
	if parts := list(v["Fn::Select"]); len(parts) == 2 {
		split := list(object(parts[1])["Fn::Split"])
		fields := strings.Split(t.text(split[1]), t.text(split[0]))
		if i := int(number(parts[0])); i < len(fields) {
			return fields[i]
		}
	}
	return ""
}

// environment of a function, resolved.
func (t template) environment(function string) map[string]string {
	env := map[string]string{}
	for name, value := range object(object(t.properties(function)["Environment"])["Variables"]) {
		env[name] = t.text(value)
	}
	return env
}

// set changes the value at a path such as Resources/Queue/Properties/Tags/0, a
// JSON pointer without the first slash; nil takes it out. It panics on a path
// that does not exist, so that no mutant is without effect.
func (t template) set(path string, value any) {
	steps := strings.Split(path, "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(step, "~1", "/")
	}
	var at any = map[string]any(t)
	for _, step := range steps[:len(steps)-1] {
		at = child(at, step, path)
	}
	last := steps[len(steps)-1]
	switch holder := at.(type) {
	case map[string]any:
		if value == nil {
			child(holder, last, path)
			delete(holder, last)
			return
		}
		holder[last] = value
	case []any:
		holder[index(holder, last, path)] = value
	default:
		panic("no such path: " + path)
	}
}

func child(at any, step, path string) any {
	switch holder := at.(type) {
	case map[string]any:
		if next, ok := holder[step]; ok {
			return next
		}
	case []any:
		return holder[index(holder, step, path)]
	}
	panic("no such path: " + path + " at " + step)
}

func index(holder []any, step, path string) int {
	i, err := strconv.Atoi(step)
	if err != nil || i >= len(holder) {
		panic("no such path: " + path)
	}
	return i
}
