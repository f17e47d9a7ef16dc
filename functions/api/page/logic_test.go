package page_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/replyonce/replyonce/shared/textextract"
)

// failureReasons is the closed list of the HTTP contract.
var failureReasons = []string{
	"deadline", "attempts_exhausted", "outcome_unknown", "declined", "empty_reply", "input_too_large", "reply_too_large",
	"provider_quota", "provider_refused", "provider_misconfigured", "document_unreadable", "budget_exhausted",
}

// TestPageLogic runs the tests of the pure modules where the modules run.
func TestPageLogic(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.do(chromedp.Navigate(api.pageURL("127.0.0.1")))
	reasons, err := json.Marshal(failureReasons)
	if err != nil {
		t.Fatal(err)
	}
	unreadable, err := json.Marshal(textextract.Reasons())
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range eval[[]string](b, fmt.Sprintf(`import('./testdata/logic.js').then((tests) => tests.run(%s, %s))`, reasons, unreadable)) {
		t.Error(failure)
	}
}
