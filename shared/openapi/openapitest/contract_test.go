package openapitest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/replyonce/replyonce/shared/openapi"
)

// routes is the whole API with the statuses that each call answers by itself.
var routes = map[string]string{
	"POST /v1/documents":                                                  "200 201 400 401 403 409 410 413 415 422 429 500 502 503 504",
	"GET /v1/documents":                                                   "200 304 400 401 403 429 500 502 503 504",
	"GET /v1/documents/{document}":                                        "200 304 401 403 404 429 500 502 503 504",
	"DELETE /v1/documents/{document}":                                     "204 401 403 404 429 500 502 503 504",
	"POST /v1/documents/{document}/versions":                              "200 201 400 401 403 404 409 410 413 415 422 429 500 502 503 504",
	"GET /v1/documents/{document}/versions/{version}":                     "200 304 400 401 403 404 409 429 500 502 503 504",
	"POST /v1/uploads":                                                    "200 201 400 401 403 404 409 410 413 415 422 429 500 502 503 504",
	"POST /v1/uploads/{upload}/complete":                                  "200 201 400 401 403 404 409 410 413 415 429 500 502 503 504",
	"POST /v1/conversations":                                              "200 201 400 401 403 404 409 410 413 415 422 429 500 502 503 504",
	"GET /v1/conversations":                                               "200 304 400 401 403 429 500 502 503 504",
	"GET /v1/conversations/{conversation}":                                "200 304 400 401 403 404 429 500 502 503 504",
	"GET /v1/conversations/{conversation}/spend":                          "200 304 401 403 404 429 500 502 503 504",
	"POST /v1/conversations/{conversation}/messages":                      "200 202 400 401 403 404 409 410 413 415 422 429 500 502 503 504",
	"POST /v1/conversations/{conversation}/messages/{message}/regenerate": "200 202 400 401 403 404 409 410 413 415 422 429 500 502 503 504",
	"GET /v1/conversations/{conversation}/tasks/{task}":                   "200 304 401 403 404 429 500 502 503 504",
	"POST /v1/conversations/{conversation}/tasks/{task}/cancel":           "200 400 401 403 404 409 413 415 429 500 502 503 504",
	"GET /v1/openapi.json":                                                "200 304 500",
	"GET /config.json":                                                    "200 304 500",
	"GET /about.json":                                                     "200 304 500",
	"GET /healthz":                                                        "200 500",
	"GET /":                                                               "200 304 500",
	"GET /assets/{file}":                                                  "200 304 404 500",
	"GET /assets/{build}/{file}":                                          "200 304 404 500",
}

// statusOfCode are the problem codes of the API.
var statusOfCode = map[string]int{
	"idempotency_key_missing": 400, "idempotency_key_malformed": 400,
	"body_missing": 400, "body_malformed": 400,
	"field_missing": 400, "field_invalid": 400, "field_unknown": 400,
	"unauthorized": 401, "not_found": 404, "method_not_allowed": 405,
	"in_progress": 409, "task_ended": 409, "version_not_ready": 409, "version_failed": 409, "upload_incomplete": 409, "upload_mismatch": 409,
	"idempotency_window_over": 410, "gone": 410,
	"body_too_large": 413, "message_too_large": 413, "document_too_large": 413, "file_too_large": 413,
	"media_type_unsupported": 415, "idempotency_key_reused": 422,
	"internal": 500, "store_unavailable": 503,
	// Those that the gateway gives by itself.
	"bad_request": 400, "forbidden": 403, "throttled": 429, "bad_gateway": 502, "gateway_timeout": 504,
}

// samples are values of path parameters.
var samples = strings.NewReplacer(
	"{document}", "01KB7PZ8Q0D0CVMENT00000001", "{conversation}", "01KB7Q0000C0NVERSAT1000001",
	"{message}", "01KB7Q1G00MESSAGE000000001", "{task}", "01KB7Q1G01TASK000000000001",
	"{upload}", "01KB7Q1G0VP0AD000000000001", "{version}", "1", "{build}", "0123456789abcdef", "{file}", "app.js",
)

func mustLoad(t *testing.T) contract {
	t.Helper()
	c, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestContractHasEveryRouteAndStatus(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for path, item := range mustLoad(t).document.Paths.Map() {
		for method, operation := range item.Operations() {
			got[method+" "+path] = strings.Join(slices.Sorted(maps.Keys(operation.Responses.Map())), " ")
			if operation.OperationID == "" || operation.Summary == "" || len(operation.Tags) != 1 {
				t.Errorf("%s %s has no name, summary or tag", method, path)
			}
		}
	}
	if !maps.Equal(got, routes) {
		for route := range maps.Keys(routes) {
			if got[route] != routes[route] {
				t.Errorf("%s: contract has %q, want %q", route, got[route], routes[route])
			}
		}
		for route := range maps.Keys(got) {
			if _, known := routes[route]; !known {
				t.Errorf("%s is not expected", route)
			}
		}
	}
}

// answer is one documented answer.
type answer struct {
	method, path string
	status       int
	header       http.Header
	body         []byte
	keyed        bool // the call takes a key
	open         bool // the schema allows members that it does not name
}

func (a answer) check() error { return Check(a.method, a.path, a.status, a.header, a.body) }

// eachExample calls test for every example of every status of every route.
func eachExample(t *testing.T, test func(t *testing.T, a answer)) {
	t.Helper()
	c := mustLoad(t)
	for path, item := range c.document.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, ref := range operation.Responses.Map() {
				t.Run(strings.Join([]string{operation.OperationID, status}, "/"), func(t *testing.T) {
					t.Parallel()
					number, err := strconv.Atoi(status)
					if err != nil {
						t.Fatal(err)
					}
					base := answer{
						method: method, path: samples.Replace(path), status: number,
						keyed: operation.Parameters.GetByInAndName(openapi3.ParameterInHeader, headerKey) != nil,
						open:  operation.OperationID == "getContract",
					}
					eachAnswer(t, base, ref.Value, test)
				})
			}
		}
	}
}

func eachAnswer(t *testing.T, base answer, response *openapi3.Response, test func(t *testing.T, a answer)) {
	t.Helper()
	if len(response.Content) == 0 {
		base.header = base.headerOf(response, "")
		test(t, base)
		return
	}
	for media, content := range response.Content {
		if content.Example != nil {
			base.header, base.body = base.headerOf(response, media), []byte(content.Example.(string))
			test(t, base)
		}
		for name, example := range content.Examples {
			t.Run(name, func(t *testing.T) {
				body, err := json.Marshal(example.Value.Value)
				if err != nil {
					t.Fatal(err)
				}
				a := base
				a.header, a.body = a.headerOf(response, media), body
				if a.status == http.StatusOK && !goesOn(body) {
					a.header.Del("Retry-After")
				}
				test(t, a)
			})
		}
		if content.Example == nil && len(content.Examples) == 0 {
			t.Errorf("no example of %s", media)
		}
	}
}

func goesOn(body []byte) bool {
	return strings.Contains(string(body), `"status":"pending"`) || strings.Contains(string(body), `"status":"running"`)
}

// sampleHeaders are values that fit every documented header of that name.
var sampleHeaders = map[string]string{
	"X-Gateway-Request-Id":          "5f1c0a52-7a3e-4a55-9d0a-3d1c5a2b9e10",
	"Access-Control-Allow-Origin":   "*",
	"Access-Control-Expose-Headers": "Location, ETag, Retry-After, X-Gateway-Request-Id, Idempotency-Key, Idempotency-Replayed, Idempotency-Expires",
	"ETag":                          `"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"`,
	"Idempotency-Key":               "r-1",
	"Idempotency-Expires":           "Mon, 30 Nov 2026 14:07:00 GMT",
	"Retry-After":                   "1",
	"WWW-Authenticate":              `Bearer error="invalid_token"`,
	"Allow":                         "GET, HEAD, OPTIONS, POST",
	"Content-Security-Policy":       "default-src 'none'; script-src 'self'",
}

// headerOf has every documented header of a response that fits the call.
func (a answer) headerOf(response *openapi3.Response, media string) http.Header {
	header := headerOf(response, media)
	for name := range header {
		if strings.HasPrefix(name, "Idempotency-") && !a.keyed {
			header.Del(name)
		}
	}
	return header
}

func headerOf(response *openapi3.Response, media string) http.Header {
	header := http.Header{}
	for name, ref := range response.Headers {
		value := sampleHeaders[name]
		switch schema := ref.Value.Schema.Value; {
		case name == "Cache-Control" && strings.Contains(schema.Pattern, "no-store"):
			value = "no-store"
		case name == "Cache-Control":
			value = "private, no-cache"
		case name == "Location":
			value = locationFor(schema.Pattern)
		case schema.Const != nil:
			value = schema.Const.(string)
		}
		header.Set(name, value)
	}
	switch media {
	case "":
	case "*/*":
		header.Set("Content-Type", "text/javascript; charset=utf-8")
	default:
		header.Set("Content-Type", media)
	}
	return header
}

// locationFor fills a pattern that ends in ids.
func locationFor(pattern string) string {
	const id = "01KB7Q1G01TASK000000000001"
	pattern = strings.TrimSuffix(pattern, "$")
	return "/prod" + strings.NewReplacer("[0-7][0-9A-HJKMNP-TV-Z]{25}", id, "[1-9][0-9]*", "2").Replace(pattern)
}

func TestEveryDocumentedStatusHasAnExampleThatValidates(t *testing.T) {
	t.Parallel()
	eachExample(t, func(t *testing.T, a answer) {
		t.Helper()
		if err := a.check(); err != nil {
			t.Errorf("%s\n%v", a.body, err)
		}
	})
}

func TestEveryProblemCodeHasAnExampleWithItsStatus(t *testing.T) {
	t.Parallel()
	c := mustLoad(t)
	got := map[string]int{}
	for _, ref := range c.document.Components.Responses {
		for _, example := range exampleBodies(t, ref.Value) {
			code, _ := example["code"].(string)
			status, _ := example["status"].(float64)
			got[code] = int(status)
		}
	}
	if !maps.Equal(got, statusOfCode) {
		t.Errorf("codes with examples: %v\nwant %v", got, statusOfCode)
	}
	documented := []string{}
	for _, code := range c.document.Components.Schemas["Problem"].Value.Properties["code"].Value.Enum {
		documented = append(documented, code.(string))
	}
	slices.Sort(documented)
	if want := slices.Sorted(maps.Keys(statusOfCode)); !slices.Equal(documented, want) {
		t.Errorf("codes of the schema: %v\nwant %v", documented, want)
	}
}

func exampleBodies(t *testing.T, response *openapi3.Response) []map[string]any {
	t.Helper()
	var bodies []map[string]any
	for _, content := range response.Content {
		for _, example := range content.Examples {
			encoded, err := json.Marshal(example.Value.Value)
			if err != nil {
				t.Fatal(err)
			}
			var body map[string]any
			if err := json.Unmarshal(encoded, &body); err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// Nothing is documented that no call refers to.
func TestNoComponentIsUnused(t *testing.T) {
	t.Parallel()
	text := string(openapi.Document())
	components := mustLoad(t).document.Components
	names := []string{}
	for name := range components.Schemas {
		names = append(names, "schemas/"+name)
	}
	for name := range components.Responses {
		names = append(names, "responses/"+name)
	}
	for name := range components.Headers {
		names = append(names, "headers/"+name)
	}
	for name := range components.Parameters {
		names = append(names, "parameters/"+name)
	}
	for name := range components.Examples {
		names = append(names, "examples/"+name)
	}
	for _, name := range names {
		if name != "responses/MethodNotAllowed" && !strings.Contains(text, `"#/components/`+name+`"`) {
			t.Errorf("%s is not used", name)
		}
	}
}

func TestTheContractIsAnAnswerOfItsOwn(t *testing.T) {
	t.Parallel()
	header := headerOf(mustLoad(t).document.Paths.Value("/v1/openapi.json").Get.Responses.Status(200).Value, typeJSON)
	Validate(t, http.MethodGet, "/v1/openapi.json", http.StatusOK, header, openapi.Document())
}
