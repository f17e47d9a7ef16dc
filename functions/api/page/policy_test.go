package page_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPagePolicyIsPartOfTheBody: nothing chosen is nothing sent; what was chosen
// is in the stored body, and in that of every repeat.
func TestPagePolicyIsPartOfTheBody(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.openRoom(api)
	b.ask("Who decides?")
	b.untilState("waiting")
	b.wantText("#on-unknown-now", "ask again")

	b.do(chromedp.Click("#on-unknown summary"), chromedp.Click(`#on-unknown input[value="stop"]`))
	b.wantText("#on-unknown-now", "stop and tell me")
	api.fail(http.MethodPost, messagesPath, 1, gatewayTimeout)
	b.ask("And who pays?")
	b.until(`document.querySelectorAll('.card[data-state="waiting"]').length === 2`)

	sent := api.sent(http.MethodPost, messagesPath)
	if len(sent) != 3 {
		t.Fatalf("%d submits, want one, and one with a repeat", len(sent))
	}
	if strings.Contains(sent[0].body, "on_unknown") {
		t.Errorf("nothing was chosen and %s was sent", sent[0].body)
	}
	if !strings.Contains(sent[1].body, `"on_unknown":"stop"`) || sent[2].body != sent[1].body || sent[2].key != sent[1].key {
		t.Errorf("sent %s, and again %s", sent[1].body, sent[2].body)
	}
}
