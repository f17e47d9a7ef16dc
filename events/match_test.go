package events_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/events"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ expected, answer, wrong string }{
		"members that nobody expects": {`{"a":1}`, `{"a":1,"b":2}`, ""},
		"another number":              {`{"a":1}`, `{"a":2}`, "answer.a is 2, want 1"},
		"missing member":              {`{"a":{"b":1}}`, `{"a":{}}`, "answer.a.b"},
		"null is missing":             {`{"a":null}`, `{}`, ""},
		"null is not something":       {`{"a":null}`, `{"a":"x"}`, "answer.a"},
		"object in a text":            {`{"body":{"a":1}}`, `{"body":"{\"a\":1}"}`, ""},
		"object in a packed text":     {`{"body":{"a":1}}`, `{"body":"eyJhIjoxfQ==","isBase64Encoded":true}`, ""},
		"text that is no object":      {`{"body":{"a":1}}`, `{"body":"nothing"}`, "answer.body is no JSON"},
		"any text":                    {`"*"`, `"x"`, ""},
		"no text":                     {`"*"`, `""`, "answer"},
		"no text at all":              {`"*"`, `1`, "answer is 1"},
		"words in a text":             {`"*b c*"`, `"a b c d"`, ""},
		"words not in a text":         {`"*b c*"`, `"a b d c"`, "answer"},
		"longer list":                 {`[1]`, `[1,2]`, "want a list of 1"},
		"other element":               {`[1,2]`, `[1,3]`, "answer[1] is 3"},
		"no list":                     {`[]`, `null`, "want a list of 0"},
		"no object":                   {`{"a":1}`, `[]`, "want an object"},
		"no JSON":                     {`{}`, `{`, "the answer is no JSON"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var expected any
			if err := json.Unmarshal([]byte(c.expected), &expected); err != nil {
				t.Fatal(err)
			}
			err := events.Match(expected, []byte(c.answer))
			if (err == nil) != (c.wrong == "") || (err != nil && !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("said %v, want %q", err, c.wrong)
			}
		})
	}
}

// A step that names no sample, or a sample without expectations, is a mistake
// in this folder.
func TestSamplesAreComplete(t *testing.T) {
	t.Parallel()
	samples, err := events.All()
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]bool{}
	for _, s := range samples {
		functions[s.Function] = true
		if s.Expected.Answer == nil {
			t.Errorf("%s expects no answer", s.Name)
		}
		for _, name := range s.Expected.Given {
			if _, err := events.Find(name); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
		for _, step := range s.Expected.Then {
			if _, err := events.Find(step.Event); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
	for _, want := range []string{"api", "authorizer", "worker", "indexer", "dispatcher"} {
		if !functions[want] {
			t.Errorf("there is no sample for %s", want)
		}
	}
	if _, err := events.Find("events/api-page.json"); err != nil {
		t.Errorf("by its path: %v", err)
	}
	if _, err := events.Find("api-nothing"); err == nil {
		t.Error("a sample that is not there was found")
	}
}
