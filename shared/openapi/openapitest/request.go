package openapitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
)

// ValidateRequest fails the test if a request is none that the contract
// documents. It is for tests that mean to send a good one: it finds a test that
// is refused for another reason than it thinks.
func ValidateRequest(t testing.TB, method, pathAndQuery string, header http.Header, body []byte) {
	t.Helper()
	if err := CheckRequest(method, pathAndQuery, header, body); err != nil {
		t.Errorf("%s %s is no request of the contract: %v", method, pathAndQuery, err)
	}
}

// CheckRequest is [ValidateRequest] for callers that want the error. Tokens are
// not looked at beyond being there.
func CheckRequest(method, pathAndQuery string, header http.Header, body []byte) error {
	c, err := loaded()
	if err != nil {
		return err
	}
	request := httptest.NewRequest(method, pathAndQuery, bytes.NewReader(body))
	request.Header = header.Clone()
	found := c.find(request)
	if found.route == nil {
		return fmt.Errorf("path or method is not documented")
	}
	if len(body) > 0 {
		if err := checkJSON(body); err != nil {
			return err
		}
	}
	return openapi3filter.ValidateRequest(request.Context(), &openapi3filter.RequestValidationInput{
		Request: request, Route: found.route, PathParams: found.params,
		Options: &openapi3filter.Options{MultiError: true, AuthenticationFunc: hasToken},
	})
}

func hasToken(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	header := input.RequestValidationInput.Request.Header.Get("Authorization")
	if token, found := strings.CutPrefix(header, "Bearer "); !found || token == "" {
		return errors.New("no bearer token")
	}
	return nil
}
