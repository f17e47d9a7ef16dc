package page_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// fastClock makes the page's time run 40 times faster than ours, so that its
// real schedule of delays is seen in a test that takes seconds.
const fastClock = `(() => {
	const scale = 40, now = Date.now.bind(Date), start = now();
	const later = globalThis.setTimeout.bind(globalThis), every = globalThis.setInterval.bind(globalThis);
	Date.now = () => start + (now() - start) * scale;
	globalThis.setTimeout = (run, ms = 0, ...rest) => later(run, ms / scale, ...rest);
	globalThis.setInterval = (run, ms = 0, ...rest) => every(run, ms / scale, ...rest);
})()`

const clockScale = 40

var uuidV4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestCaseA3GatewayTimeoutIsUnknownNotLost(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.openRoom(api)
	api.fail(http.MethodPost, messagesPath, 2, gatewayTimeout)
	b.ask("Does a 504 lose my question?")
	b.untilState("resending")
	b.wantText(".card .headline", "No answer yet.")
	b.untilState("waiting")
	if n := api.oneQuestion(t); n != 3 {
		t.Errorf("%d submits, want the first and two re-sends", n)
	}
}

func TestCaseA4BlockedAnswerKeepsTheKey(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.openRoom(api)
	api.fail(http.MethodPost, messagesPath, 1, blockedAnswer)
	b.ask("Is a blocked answer taken for a no?")
	b.untilState("waiting")
	if n := api.oneQuestion(t); n != 2 {
		t.Errorf("%d submits, want 2", n)
	}
}

func TestCaseB1KeyOnPlainHTTP(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	// Keys must not come from here; jitter needs no such source either.
	b.inject(`Math.random = () => { throw new Error('Math.random was called'); }`)
	conversation := api.seedConversation()
	b.openAt(api.pageURL(plainHost))
	if eval[bool](b, `isSecureContext || typeof crypto.randomUUID === 'function'`) {
		t.Fatal("the page is a secure context: this test would prove nothing")
	}
	b.enter(conversation)
	b.ask("Does Send work over plain http?")
	b.untilState("waiting")
	api.oneQuestion(t)
	b.ask("And once more?")
	b.until(`document.querySelectorAll('.card[data-state="waiting"]').length === 2`)
	keys := map[string]bool{}
	for _, r := range api.sent(http.MethodPost, messagesPath) {
		keys[r.key] = true
		if !uuidV4.MatchString(r.key) {
			t.Errorf("key %q is no version 4 UUID", r.key)
		}
	}
	if len(keys) != 2 {
		t.Errorf("%d keys for two questions", len(keys))
	}
}

func TestCaseB3ReloadInMidSend(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	gate := make(chan struct{})
	api.fail(http.MethodPost, messagesPath, 1, slowly(gate))
	b.ask("What does F5 do to my question?")
	b.untilState("sending")
	waitFor(t, "the first submit", func() bool { return len(api.sent(http.MethodPost, messagesPath)) == 1 })
	b.do(chromedp.Reload())
	close(gate)
	b.untilState("waiting")
	b.untilSettled()
	if n := api.oneQuestion(t); n != 2 {
		t.Errorf("%d submits, want one before and one after the reload", n)
	}
	if n := b.count(".card"); n != 1 {
		t.Errorf("%d cards, want 1", n)
	}
	b.do(chromedp.Reload())
	b.untilState("waiting")
	if n := api.oneQuestion(t); n != 2 {
		t.Errorf("a reload after the answer sent the question again (%d submits)", n)
	}
}

func TestCaseB3LinkAndBack(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(`addEventListener('pageshow', (event) => { window.fromCache = event.persisted; })`)
	b.openRoom(api)
	gate := make(chan struct{})
	api.fail(http.MethodPost, messagesPath, 1, slowly(gate))
	b.ask("Does Back leave Send disabled?")
	waitFor(t, "the first submit", func() bool { return len(api.sent(http.MethodPost, messagesPath)) == 1 })
	b.do(chromedp.Navigate(api.URL + "/elsewhere.html"))
	close(gate)
	b.back()
	b.untilState("waiting")
	b.untilSettled()
	api.oneQuestion(t)
	b.ask("Can I go on asking?")
	b.until(`document.querySelectorAll('.card').length === 2`)
}

// TestPageFromBackForwardCache freezes the page and wakes it: what happened
// meanwhile must be seen without a reload.
func TestPageFromBackForwardCache(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(`addEventListener('pageshow', (event) => { window.fromCache = event.persisted; })`)
	b.openRoom(api)
	b.ask("Will I see the reply after Back?")
	b.untilState("waiting")
	eval[int](b, `window.marker = 1`)
	b.do(chromedp.Navigate(api.URL + "/elsewhere.html"))
	api.setTask(completed("Yes, without a reload."))
	b.back()
	b.untilState("saved")
	if eval[bool](b, `window.fromCache === true`) {
		if !eval[bool](b, `window.marker === 1`) {
			t.Error("the page came from the cache, but its memory did not")
		}
	} else {
		t.Log("this browser did not keep the page; the reply was seen after a load")
	}
	api.oneQuestion(t)
}

func TestCaseB3DoubleClick(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	b.do(chromedp.Focus(chromedp.CSS("#question")))
	b.insert("Do two clicks make two questions?")
	b.do(chromedp.DoubleClick(chromedp.CSS("#send")))
	b.untilState("waiting")
	if n := api.oneQuestion(t); n != 1 {
		t.Errorf("%d submits, want 1", n)
	}
	if !eval[bool](b, `document.activeElement.id === 'question'`) {
		t.Error("the focus left the question box")
	}
}

func TestCaseB3NetworkErrorBeforeAndAfterTheCommit(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.openRoom(api)
	api.fail(http.MethodPost, messagesPath, 1, dropBefore)
	api.fail(http.MethodPost, messagesPath, 1, dropAfterCommit)
	b.ask("Is a dropped connection a second question?")
	b.untilState("waiting")
	if n := api.oneQuestion(t); n < 3 {
		t.Errorf("%d submits, want at least 3", n)
	}
}

// TestPageStoresBeforeItSends reads the storage at the moment the request is
// made: key and exact body must already be there.
func TestPageStoresBeforeItSends(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(`(() => {
		const real = globalThis.fetch;
		globalThis.fetch = (url, init = {}) => {
			if (String(url).endsWith('/messages')) {
				const stored = Object.keys(localStorage).filter((key) => key.includes('item/')).map((key) => localStorage.getItem(key));
				window.atSend = { stored: stored.map((text) => JSON.parse(text).steps[0]), key: init.headers['Idempotency-Key'], body: init.body };
			}
			return real(url, init);
		};
	})()`)
	b.openRoom(api)
	b.ask("Was I stored first? “Quotes”, 漢字 and 👍🏽 too?")
	b.untilState("waiting")
	raw := eval[string](b, `JSON.stringify(window.atSend)`)
	type step struct {
		Key  string `json:"key"`
		Body string `json:"body"`
	}
	var seen struct {
		Stored []step `json:"stored"`
		step
	}
	if err := json.Unmarshal([]byte(raw), &seen); err != nil {
		t.Fatal(err)
	}
	if len(seen.Stored) != 1 || seen.Stored[0].Key != seen.Key || seen.Stored[0].Body != seen.Body {
		t.Errorf("at the time of the request the storage held %+v, the request was %q %q", seen.Stored, seen.Key, seen.Body)
	}
	if got := api.sent(http.MethodPost, messagesPath)[0]; got.key != seen.Key || got.body != seen.Body {
		t.Errorf("the server got %q %q", got.key, got.body)
	}
}

// waitFor waits for something on our side of the wire.
func waitFor(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(settleTime); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s for %s", settleTime, what)
		}
	}
}
