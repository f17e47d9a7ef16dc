package lambdahandler_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

const someID = "01KB7PZ8Q0D0CVMENT00000001"

func TestBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	rest := `"document":"` + th.document + `","version":1}`
	tests := map[string]struct {
		body   string
		status int
		code   string
		field  string
	}{
		"missing":                 {"", 400, "body_missing", ""},
		"white space":             {"  \n", 400, "body_malformed", ""},
		"no JSON":                 {"text=hi", 400, "body_malformed", ""},
		"null":                    {"null", 400, "body_malformed", ""},
		"array":                   {"[]", 400, "body_malformed", ""},
		"cut off":                 {`{"text":"hi",` + rest[:20], 400, "body_malformed", ""},
		"trailing data":           {th.body("hi") + "{}", 400, "body_malformed", ""},
		"byte order mark":         {"\ufeff" + th.body("hi"), 400, "body_malformed", ""},
		"bad UTF-8":               {"{\"text\":\"\xff\"," + rest, 400, "body_malformed", ""},
		"lone surrogate":          {`{"text":"\ud83d",` + rest, 400, "body_malformed", ""},
		"surrogates in order low": {`{"text":"\udc4d\ud83d",` + rest, 400, "body_malformed", ""},
		"endless nesting":         {strings.Repeat(`{"text":`, 20000), 400, "body_malformed", ""},
		"duplicate field":         {`{"text":"hi","text":"ho",` + rest, 400, "field_invalid", "text"},
		"duplicate by escape":     {`{"text":"hi","\u0074ext":"ho",` + rest, 400, "field_invalid", "text"},
		"unknown field":           {`{"text":"hi","txt":"ho",` + rest, 400, "field_unknown", "txt"},
		"field in other case":     {`{"Text":"hi",` + rest, 400, "field_unknown", "Text"},
		"long unknown field":      {`{"` + strings.Repeat("é", 300) + `":1}`, 400, "field_unknown", strings.Repeat("é", 64)},
		"text is missing":         {`{` + rest, 400, "field_missing", "text"},
		"text is null":            {`{"text":null,` + rest, 400, "field_missing", "text"},
		"text is empty":           {th.body(""), 400, "field_missing", "text"},
		"text is blank":           {th.body(" \t\n\u00a0\u3000\u200b"), 400, "field_invalid", "text"},
		"text is a number":        {`{"text":1,` + rest, 400, "field_invalid", "text"},
		"text is an object":       {`{"text":{"a":1},` + rest, 400, "field_invalid", "text"},
		"document is missing":     {`{"text":"hi","version":1}`, 400, "field_missing", "document"},
		"document is malformed":   {`{"text":"hi","document":"1","version":1}`, 400, "field_invalid", "document"},
		"document in lower case":  {`{"text":"hi","document":"` + strings.ToLower(th.document) + `","version":1}`, 400, "field_invalid", "document"},
		"document is unknown":     {`{"text":"hi","document":"` + someID + `","version":1}`, 404, "not_found", "document"},
		"version is missing":      {`{"text":"hi","document":"` + th.document + `"}`, 400, "field_missing", "version"},
		"version is unknown":      {`{"text":"hi","document":"` + th.document + `","version":2}`, 404, "not_found", "document"},
		"version is zero":         {`{"text":"hi","document":"` + th.document + `","version":0}`, 400, "field_invalid", "version"},
		"version is negative":     {`{"text":"hi","document":"` + th.document + `","version":-1}`, 400, "field_invalid", "version"},
		"version is a text":       {`{"text":"hi","document":"` + th.document + `","version":"1"}`, 400, "field_invalid", "version"},
		"version is a fraction":   {`{"text":"hi","document":"` + th.document + `","version":1.5}`, 400, "field_invalid", "version"},
		"version beyond 2^53":     {`{"text":"hi","document":"` + th.document + `","version":9007199254740993}`, 400, "field_invalid", "version"},
		"version beyond 2^64":     {`{"text":"hi","document":"` + th.document + `","version":18446744073709551617}`, 400, "field_invalid", "version"},
		"history is a text":       {`{"text":"hi","history":"a",` + rest, 400, "field_invalid", "history"},
		"history has a number":    {`{"text":"hi","history":[1],` + rest, 400, "field_invalid", "history"},
		"history has null":        {`{"text":"hi","history":[null],` + rest, 400, "field_invalid", "history"},
		"history is malformed":    {`{"text":"hi","history":["1"],` + rest, 400, "field_invalid", "history"},
		"history is unknown":      {`{"text":"hi","history":["` + someID + `"],` + rest, 400, "field_invalid", "history"},
		"history names one twice": {`{"text":"hi","history":["` + someID + `","` + someID + `"],` + rest, 400, "field_invalid", "history"},
		"history is too long":     {`{"text":"hi","history":["` + strings.Repeat(someID+`","`, 8) + someID + `"],` + rest, 400, "field_invalid", "history"},
		"text is too large":       {th.body(strings.Repeat("x", 64<<10+1)), 413, "message_too_large", "text"},
		"body is too large":       {th.body(strings.Repeat("x", 512<<10)), 413, "body_too_large", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res := h.do(t, call{method: post, path: th.messages(), key: "r-1", body: tt.body}).want(tt.status, tt.code)
			if res.text("field") != tt.field {
				t.Errorf("field %q, want %q", res.text("field"), tt.field)
			}
			encoded := call{method: post, path: th.messages(), key: "r-1", body: base64.StdEncoding.EncodeToString([]byte(tt.body))}
			encoded.edit = func(e *events.APIGatewayProxyRequest) { e.IsBase64Encoded = true }
			h.do(t, encoded).want(tt.status, tt.code)
		})
	}
	h.wantLog(t, th, 0, 0)
	h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
}

func TestBase64BodiesAreDecodedFirst(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	asBase64 := func(e *events.APIGatewayProxyRequest) { e.IsBase64Encoded = true }
	c := th.submit("r-1", "Who decides?")
	h.do(t, c).want(202, "")
	c.body, c.edit = base64.StdEncoding.EncodeToString([]byte(c.body)), asBase64
	h.do(t, c).want(200, "").wantReplayed("r-1", "true")

	c.body = "not base64!"
	h.do(t, c).want(400, "body_malformed")
	// At the limit exactly the body is read, and refused for its text alone.
	wide := th.body(strings.Repeat("x", 512<<10-len(th.body(""))))
	h.do(t, call{method: post, path: th.messages(), key: "r-2", body: base64.StdEncoding.EncodeToString([]byte(wide)), edit: asBase64}).want(413, "message_too_large")
	h.do(t, call{method: post, path: th.messages(), key: "r-2", body: base64.StdEncoding.EncodeToString([]byte(wide + " ")), edit: asBase64}).want(413, "body_too_large")
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	for value, status := range map[string]int{
		"application/json": 202, "application/json; charset=utf-8": 200, "Application/JSON;charset=UTF-8": 200, "": 415,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, "application/json; charset=latin1": 415, "application/json;": 200, ";;": 415,
	} {
		c := th.submit("r-1", "Who decides?")
		c.headers = map[string]string{"Content-Type": value}
		res := h.do(t, c)
		if status == 202 || status == 200 {
			if res.status != 202 && res.status != 200 {
				t.Errorf("type %q: %d %s", value, res.status, res.body)
			}
			continue
		}
		res.want(status, "media_type_unsupported")
	}
	bare := th.submit("r-1", "Who decides?")
	bare.edit = func(e *events.APIGatewayProxyRequest) {
		delete(e.Headers, "Content-Type")
		delete(e.MultiValueHeaders, "Content-Type")
	}
	h.do(t, bare).want(200, "")
}

// Sizes are bytes of UTF-8: 140,000 CJK characters have 420 KB, 90,000 emoji
// 360 KB.
func TestCaseS5SizesAreBytes(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	for name, text := range map[string]string{
		"CJK":   strings.Repeat("決", 140_000),
		"emoji": strings.Repeat("😀", 90_000),
		"above": strings.Repeat("é", 32<<10) + "x",
	} {
		t.Run(name, func(t *testing.T) {
			h.do(t, th.submit("r-1", text)).want(413, "message_too_large")
		})
	}
	h.wantLog(t, th, 0, 0)
	h.do(t, th.submit("r-1", strings.Repeat("é", 32<<10))).want(202, "")
}

// A text is stored as it was typed: a decomposed é, a whole family of code
// points, a lone variation selector.
func TestCaseM8OddTextsComeBackUnchanged(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	texts := []string{"cafe\u0301 👍🏽 👨‍👩‍👧", "a\u0000b", "\"\\/\b\f\n\r\t\u2028\u2029", "<script>&amp;</script>"}
	for i, text := range texts {
		h.do(t, th.submit("key-"+string(rune('a'+i)), text)).want(202, "")
		messages, _ := h.log(t, th)
		last, _ := messages[len(messages)-1].(map[string]any)
		if last["text"] != text {
			t.Errorf("stored %q, sent %q", last["text"], text)
		}
	}
}

func TestDocumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	tests := map[string]struct {
		title, text string
		status      int
		code, field string
	}{
		"title missing":        {"", "text", 400, "field_missing", "title"},
		"title blank":          {" \u00a0", "text", 400, "field_invalid", "title"},
		"title of two lines":   {"a\nb", "text", 400, "field_invalid", "title"},
		"title with separator": {"a\u2028b", "text", 400, "field_invalid", "title"},
		"title too long":       {strings.Repeat("é", 201), "text", 400, "field_invalid", "title"},
		"text missing":         {"Rules", "", 400, "field_missing", "text"},
		"text blank":           {"Rules", "\r\n\f", 400, "field_invalid", "text"},
		"binary":               {"Rules", "PK\x03\x04", 400, "field_invalid", "text"},
		"NUL":                  {"Rules", "a\x00b", 400, "field_invalid", "text"},
		"text too large":       {"Rules", strings.Repeat("é", 512<<10) + "x", 413, "document_too_large", "text"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := call{method: post, path: "/v1/documents", key: "d-1", body: `{"title":` + quote(tt.title) + `,"text":` + quote(tt.text) + `}`}
			if res := h.do(t, c).want(tt.status, tt.code); res.text("field") != tt.field {
				t.Errorf("field %q, want %q", res.text("field"), tt.field)
			}
		})
	}
	h.do(t, call{method: post, path: "/v1/documents", key: "d-1", body: `{"title":"Rules","text":` + quote(strings.Repeat("x", 2<<20)) + `}`}).want(413, "body_too_large")
	ok := `{"title":` + quote(strings.Repeat("é", 200)) + `,"text":` + quote(strings.Repeat("é", 512<<10)) + `}`
	h.do(t, call{method: post, path: "/v1/documents", key: "d-1", body: ok}).want(201, "")
	h.do(t, call{method: post, path: "/v1/documents", key: "d-2", body: `{"title":"Rules","text":"tabs\tand\r\nlines\fpages"}`}).want(201, "")
}

func TestConversationsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	tests := map[string]struct {
		body        string
		status      int
		code, field string
	}{
		"document missing":   {`{}`, 400, "field_missing", "document"},
		"document empty":     {`{"document":""}`, 400, "field_missing", "document"},
		"document malformed": {`{"document":"x"}`, 400, "field_invalid", "document"},
		"document unknown":   {`{"document":"` + someID + `"}`, 404, "not_found", "document"},
		"title empty":        {`{"document":"` + th.document + `","title":""}`, 400, "field_missing", "title"},
		"title of two lines": {`{"document":"` + th.document + `","title":"a\nb"}`, 400, "field_invalid", "title"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res := h.do(t, call{method: post, path: "/v1/conversations", key: "c-1", body: tt.body}).want(tt.status, tt.code)
			if res.text("field") != tt.field {
				t.Errorf("field %q, want %q", res.text("field"), tt.field)
			}
		})
	}
}

func TestForeignAndMalformedIDs(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	task := h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	paths := []call{
		{method: get, path: "/v1/documents/" + th.document},
		{method: get, path: "/v1/documents/" + th.document + "/versions/1"},
		{method: post, path: "/v1/documents/" + th.document + "/versions", key: "f-1", body: `{"text":"hi"}`},
		{method: get, path: "/v1/conversations/" + th.conversation},
		{method: post, path: th.messages(), key: "f-2", body: th.body("hi")},
		{method: post, path: th.messages() + "/" + task.text("message") + "/regenerate", key: "f-3"},
		{method: get, path: th.task(task.text("id"))},
		{method: post, path: th.task(task.text("id")) + "/cancel"},
	}
	for _, c := range paths {
		c.workspace = "other"
		h.do(t, c).want(404, "not_found")
		if strings.HasPrefix(c.path, "/v1/conversations") {
			c.workspace, c.caller = "", "bob"
			h.do(t, c).want(404, "not_found")
		}
	}
	for _, path := range []string{
		"/v1/documents/1", "/v1/documents/" + strings.ToLower(th.document), "/v1/documents/" + th.document + "/", "/v1/documents/" + th.document + "%20",
		"/v1/documents/" + th.document + "/versions/0", "/v1/documents/" + th.document + "/versions/01", "/v1/documents/" + th.document + "/versions/+1",
		"/v1/documents/" + th.document + "/versions/99999999999999999999", "/v1/documents/" + th.document + "/versions/2",
		"/v1/conversations/../documents", "/v1//documents", "/v1/nothing", "/V1/documents", "//", "/v1",
		th.task("8ZZZZZZZZZZZZZZZZZZZZZZZZZ"), th.task(someID), "/v1/conversations/" + th.document,
	} {
		h.do(t, call{method: get, path: path}).want(404, "not_found")
	}
	h.wantLog(t, th, 1, 1)
}

func TestIdentityComesFromTheAuthorizerOnly(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	tests := map[string]func(map[string]any){
		"none":                 func(c map[string]any) { clear(c) },
		"no caller":            func(c map[string]any) { delete(c, "caller") },
		"empty caller":         func(c map[string]any) { c["caller"] = "" },
		"caller of other type": func(c map[string]any) { c["caller"] = 7.0 },
		"no workspace":         func(c map[string]any) { delete(c, "workspace") },
		"odd workspace":        func(c map[string]any) { c["workspace"] = "a#b" },
		"token over now":       func(c map[string]any) { c["expires_at"] = strconv.FormatInt(start.Unix(), 10) },
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			c := th.submit("r-1", "Who decides?")
			c.edit = func(e *events.APIGatewayProxyRequest) { edit(e.RequestContext.Authorizer) }
			if got := h.do(t, c).want(401, "unauthorized").headers["WWW-Authenticate"]; !strings.HasPrefix(got, "Bearer") {
				t.Errorf("WWW-Authenticate %q", got)
			}
		})
	}
	nothing := th.submit("r-1", "Who decides?")
	nothing.edit = func(e *events.APIGatewayProxyRequest) { e.RequestContext.Authorizer = nil }
	h.do(t, nothing).want(401, "unauthorized")
	h.wantLog(t, th, 0, 0)
}
