package openapitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Validate fails the test if an answer is not as the contract documents it.
// The path has no stage in front; the query may be left out.
func Validate(t testing.TB, method, pathAndQuery string, status int, header http.Header, body []byte) {
	t.Helper()
	if err := Check(method, pathAndQuery, status, header, body); err != nil {
		t.Errorf("answer to %s %s breaks the contract: %v", method, pathAndQuery, err)
	}
}

// Check is [Validate] for callers that want the error.
func Check(method, pathAndQuery string, status int, header http.Header, body []byte) error {
	c, err := loaded()
	if err != nil {
		return err
	}
	found := c.find(httptest.NewRequest(method, pathAndQuery, http.NoBody))
	response, err := c.response(found, status)
	if err != nil {
		return err
	}
	return errors.Join(
		c.checkDocumented(found, response, header, body),
		checkBody(response, method, header, body),
		checkRules(found, status, header, body),
	)
}

// checkDocumented checks headers and body against their schemas. The library
// skips some statuses and takes undocumented ones for granted, so it is shown
// an operation that has nothing but the one response, as its 200.
func (c contract) checkDocumented(t target, response *openapi3.Response, header http.Header, body []byte) error {
	only := openapi3.NewResponses()
	only.Delete("default")
	only.Set("200", &openapi3.ResponseRef{Value: response})
	route := &routers.Route{
		Spec:      c.document,
		Method:    http.MethodGet,
		Operation: &openapi3.Operation{Responses: only},
	}
	request := t.request.Clone(t.request.Context())
	request.Method = http.MethodGet
	return openapi3filter.ValidateResponse(request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, Route: route},
		Status:                 http.StatusOK,
		Header:                 header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{
			MultiError:            true,
			IncludeResponseStatus: true,
			ExcludeResponseBody:   t.request.Method == http.MethodHead,
		},
	})
}

// checkBody checks what schemas cannot say: no body where none is documented,
// and JSON that every parser reads in the same way.
func checkBody(response *openapi3.Response, method string, header http.Header, body []byte) error {
	if method == http.MethodHead || len(response.Content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("%d bytes of body where there is none", len(body))
		}
		return nil
	}
	if isJSON(header) {
		return checkJSON(body)
	}
	return nil
}
