package events

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Match returns an error that says where an answer is not as expected.
//
// Of objects only the members that are expected are looked at, and null stands
// for a member that is missing; lists must be as long as expected. Where an
// object is expected in place of a text, the text is read as JSON. The text "*"
// stands for any text that is not empty, and "*words*" for one that has the words
// in it.
func Match(expected any, answer []byte) error {
	var got any
	if err := json.Unmarshal(answer, &got); err != nil {
		return fmt.Errorf("the answer is no JSON: %w: %s", err, answer)
	}
	return match("answer", expected, opened(got))
}

// opened is an answer to the gateway with its body as a text, whatever way the
// function has packed it.
func opened(answer any) any {
	object, _ := answer.(map[string]any)
	if packed, _ := object["isBase64Encoded"].(bool); !packed {
		return answer
	}
	body, _ := object["body"].(string)
	text, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return answer
	}
	object["body"] = string(text)
	return object
}

func match(at string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		return matchObject(at, want, got)
	case []any:
		return matchList(at, want, got)
	case string:
		return matchText(at, want, got)
	}
	if want != got {
		return fmt.Errorf("%s is %v, want %v", at, got, want)
	}
	return nil
}

func matchObject(at string, want map[string]any, got any) error {
	if text, is := got.(string); is {
		got = nil
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return fmt.Errorf("%s is no JSON: %w: %s", at, err, text)
		}
	}
	object, is := got.(map[string]any)
	if !is {
		return fmt.Errorf("%s is %v, want an object", at, got)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if err := match(at+"."+name, want[name], object[name]); err != nil {
			return err
		}
	}
	return nil
}

func matchList(at string, want []any, got any) error {
	list, is := got.([]any)
	if !is || len(list) != len(want) {
		return fmt.Errorf("%s is %v, want a list of %d", at, got, len(want))
	}
	for i := range want {
		if err := match(fmt.Sprintf("%s[%d]", at, i), want[i], list[i]); err != nil {
			return err
		}
	}
	return nil
}

func matchText(at, want string, got any) error {
	text, is := got.(string)
	words, wild := strings.CutPrefix(want, "*")
	switch {
	case is && text == want,
		is && want == "*" && text != "",
		is && wild && words != "" && strings.Contains(text, strings.TrimSuffix(words, "*")):
		return nil
	}
	return fmt.Errorf("%s is %v, want %q", at, got, want)
}
