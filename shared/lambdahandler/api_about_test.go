package lambdahandler_test

import (
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/guarantees"
)

func TestAbout(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	about := call{method: get, path: "/about.json", edit: func(e *events.APIGatewayProxyRequest) {
		e.RequestContext.Authorizer = nil // nobody is signed in
	}}
	first := h.do(t, about).want(200, "")
	if first.text("version") == "" {
		t.Errorf("no version: %s", first.body)
	}
	providers, _ := first.json()["providers"].([]any)
	if len(providers) < 5 || len(guarantees.Document()) == 0 {
		t.Errorf("%d providers: %s", len(providers), first.body)
	}
	about.headers = map[string]string{"If-None-Match": first.headers["ETag"]}
	if again := h.do(t, about); again.status != 304 || again.body != "" {
		t.Errorf("a repeat with the ETag: %d %q", again.status, again.body)
	}
	h.do(t, call{method: post, path: "/about.json"}).want(405, "method_not_allowed")
}
