package lambdahandler

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/inputcheck"
)

// What is decoded is what the standard library decodes too: nothing that two
// parsers read differently gets through.
func FuzzDecodeBody(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"text":"hi","document":"01KB7PZ8Q0D0CVMENT00000001","version":1,"history":["a"]}`, `{"text":"\ud83d\ude00"}`,
		`{"text":"\ud83d"}`, `{"text":"a","text":"b"}`, `{"Text":"a"}`, `{"version":9007199254740993}`, `{"version":1e3}`,
		`{"version":-0}`, `null`, `[]`, `{"text":null}`, `{"history":[null]}`, "{\"text\":\"\xff\"}", `{"text":"a"} {}`, "\ufeff{}",
	} {
		f.Add([]byte(seed), false)
	}
	f.Add([]byte(`eyJ0ZXh0IjoiaGkifQ==`), true)
	type body struct {
		Text     *string  `json:"text"`
		Document *string  `json:"document"`
		Version  *int64   `json:"version"`
		History  []string `json:"history"`
	}
	f.Fuzz(func(t *testing.T, raw []byte, isBase64 bool) {
		r := &request{event: events.APIGatewayProxyRequest{Body: string(raw), IsBase64Encoded: isBase64}}
		var got body
		if err := r.readBody(maxBodyBytes, &got); err != nil {
			checkRefusal(t, err)
			return
		}
		if isBase64 {
			decoded, err := base64.StdEncoding.DecodeString(string(raw))
			if err != nil {
				t.Fatalf("accepted a body that is not base64: %v", err)
			}
			raw = decoded
		}
		if !utf8.Valid(raw) {
			t.Fatalf("accepted bad UTF-8 %q", raw)
		}
		var want body
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("accepted %q, the standard library says %v", raw, err)
		}
		if !equal(got.Text, want.Text) || !equal(got.Document, want.Document) || !equal(got.Version, want.Version) || !slices.Equal(got.History, want.History) {
			t.Fatalf("%q read in two ways", raw)
		}
	})
}

func equal[T comparable](a, b *T) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// checkRefusal: every refusal has a code that the API documents, and a text.
func checkRefusal(t *testing.T, err error) {
	t.Helper()
	p := problemOf(err)
	if _, known := titles[p.Code]; !known || p.Detail == "" || p.Status >= 500 || !utf8.ValidString(p.Field) {
		t.Fatalf("refused by %v: %+v", err, p)
	}
}

// A path that is found has ids of ours in it and comes back from its template.
func FuzzRouter(f *testing.F) {
	for _, seed := range []string{
		"/", "", "//", "/v1/documents", "/v1/documents/", "/v1/documents/01KB7PZ8Q0D0CVMENT00000001", "/v1/documents/01KB7PZ8Q0D0CVMENT00000001/versions/1",
		"/v1/conversations/01KB7Q0000C0NVERSAT1000001/tasks/01KB7Q1G01TASK000000000001/cancel", "/prod/healthz", "/v1/documents/{document}", "/v1/../healthz", "/%2e",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		m, found := findPath(path)
		if !found {
			return
		}
		expanded := m.template
		for name, value := range m.params {
			if name != paramVersion && !inputcheck.IsID(value) {
				t.Fatalf("%q: parameter %s is %q", path, name, value)
			}
			expanded = strings.Replace(expanded, "{"+name+"}", value, 1)
		}
		if expanded != path {
			t.Fatalf("%q was taken for %q", path, expanded)
		}
	})
}

// A tag that stands in a list is found, whatever stands around it; a list that
// does not have it never makes an answer disappear.
func FuzzIfNoneMatch(f *testing.F) {
	for _, seed := range []string{``, `*`, `"a"`, `W/"a"`, `"a", "b"`, `"a,b"`, `a`, `"a`, `*, "a"`, ` , ,"a"`, `W/W/"a"`, `"a" "b"`} {
		f.Add(seed)
	}
	const tag = `"47DEQpj8HBSa-_TImW"`
	f.Fuzz(func(t *testing.T, list string) {
		if noneMatches([]string{list}, tag) == strings.Contains(list, tag) && !strings.Contains(list, "*") && wellFormed(list) {
			t.Fatalf("%q judged wrongly", list)
		}
		if noneMatches([]string{list, tag}, tag) {
			t.Fatalf("tag behind %q was not found", list)
		}
	})
}

// wellFormed: the list is made of tags, commas and blanks alone.
func wellFormed(list string) bool {
	rest := list
	for candidate := range etags(list) {
		rest = strings.Replace(rest, candidate, "", 1)
	}
	return strings.Trim(strings.ReplaceAll(rest, "W/", ""), " \t,") == ""
}

// Whatever arrives, the header's values are found or not, and never made up.
func FuzzHeaderValues(f *testing.F) {
	f.Add("Idempotency-Key", "r-1", "idempotency-key", "r-2")
	f.Add("IDEMPOTENCY-KEY", "r-1", "X", "r-1")
	f.Fuzz(func(t *testing.T, name, value, otherName, otherValue string) {
		r := &request{event: events.APIGatewayProxyRequest{
			Headers: map[string]string{name: value}, MultiValueHeaders: map[string][]string{otherName: {otherValue}},
		}}
		got := r.headerValues("Idempotency-Key")
		for _, v := range got {
			if v != value && v != otherValue {
				t.Fatalf("value %q from nowhere", v)
			}
		}
		for n, v := range map[string]string{name: value, otherName: otherValue} {
			if strings.EqualFold(n, "Idempotency-Key") && name != otherName && !slices.Contains(got, v) {
				t.Fatalf("value %q of %q overlooked", v, n)
			}
		}
	})
}

func TestPathsOfEvents(t *testing.T) {
	t.Parallel()
	event := events.APIGatewayProxyRequest{Path: "/production", RequestContext: events.APIGatewayProxyRequestContext{Stage: "prod"}}
	if got := routePaths(event); !slices.Equal(got, []string{"/production"}) {
		t.Errorf("paths %q: a stage is a whole segment", got)
	}
}

func TestProblemsAreComplete(t *testing.T) {
	t.Parallel()
	for code, entry := range titles {
		if entry.title == "" || entry.status < 400 || entry.status > 599 {
			t.Errorf("code %s: %+v", code, entry)
		}
	}
	if p := problemOf(errors.New("surprise")); p.Code != codeInternal {
		t.Errorf("an unknown error is %s", p.Code)
	}
}

func TestEncodedBytes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", `"quoted\"`, "a\nb\x01\x1f", "é😀\u2028"} {
		encoded, err := encodeJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := encodedBytes([]byte(text)); got < len(encoded)-2 {
			t.Errorf("%q: estimated %d bytes, has %d", text, got, len(encoded)-2)
		}
	}
}
