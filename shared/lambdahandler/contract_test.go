package lambdahandler_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/replyonce/replyonce/shared/openapi/openapitest"
)

// validate holds an answer to the contract. Preflights and the redirect to the
// page's own address are of HTTP and not of the contract.
func validate(t *testing.T, c call, r result) {
	t.Helper()
	if c.method == http.MethodOptions || r.status == http.StatusPermanentRedirect {
		return
	}
	target := c.path
	if len(c.query) > 0 {
		values := url.Values{}
		for name, value := range c.query {
			values.Set(name, value)
		}
		target += "?" + values.Encode()
	}
	header := http.Header{}
	for name, value := range r.headers {
		header.Set(name, value)
	}
	openapitest.Validate(t, c.method, target, r.status, header, []byte(r.body))
}
