package page_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
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
	var seen struct {
		Stored    []struct{ Key, Body string }
		Key, Body string
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

func TestPageSixResendsThenUnknownThenTryAgain(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.openRoom(api)
	api.fail(http.MethodPost, messagesPath, 100, unavailable(""))
	b.ask("Is anybody there?")
	b.untilState("unknown")
	b.wantText(".card .headline", "We do not know yet whether your question arrived.")
	submits := api.sent(http.MethodPost, messagesPath)
	if len(submits) != 7 {
		t.Errorf("%d submits before the page asks, want 1 and 6 re-sends", len(submits))
	}
	for i := 1; i < len(submits); i++ {
		gap := submits[i].at.Sub(submits[i-1].at) * clockScale
		if gap < time.Second || gap > 40*time.Second {
			t.Errorf("re-send %d after %s of the page's time, want 1 to 30 s", i, gap)
		}
	}
	b.do(chromedp.Reload())
	b.untilState("unknown")
	if n := len(api.sent(http.MethodPost, messagesPath)); n != 7 {
		t.Errorf("a reload alone made %d more submits", n-7)
	}
	api.heal()
	b.click(`[data-action="try-again"]`)
	b.untilState("waiting")
	if n := api.oneQuestion(t); n != 8 {
		t.Errorf("%d submits in all, want 8", n)
	}
}

func TestPageRetryAfterComesFirst(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.openRoom(api)
	api.fail(http.MethodPost, messagesPath, 1, unavailable("40"))
	b.ask("Will you wait as long as you are told?")
	b.untilState("waiting")
	submits := api.sent(http.MethodPost, messagesPath)
	if gap := submits[1].at.Sub(submits[0].at) * clockScale; gap < 40*time.Second {
		t.Errorf("re-sent after %s of the page's time although 40 s were asked for", gap)
	}
}

func TestPageOfflineAndBack(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	// Not on this machine: a service there can be reached without a network.
	conversation := api.seedConversation()
	b.openAt(api.pageURL(plainHost)).enter(conversation)
	setOffline(b, true)
	b.until(`!document.querySelector('#banner').hidden`)
	b.ask("Kept while I am offline?")
	b.untilState("offline")
	b.ask("And one that I take back?")
	b.until(`document.querySelectorAll('.card[data-state="offline"]').length === 2`)
	b.click(`.card:last-child [data-action="give-up"]`)
	b.until(`document.querySelectorAll('.card').length === 1`)
	time.Sleep(300 * time.Millisecond)
	if n := len(api.sent(http.MethodPost, messagesPath)); n != 0 {
		t.Errorf("%d submits while offline", n)
	}
	setOffline(b, false)
	b.untilState("waiting")
	if n := api.oneQuestion(t); n != 1 {
		t.Errorf("%d submits, want 1", n)
	}
}

func TestPageSignInRunsOutInMidSend(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	api.mu.Lock()
	api.revoked = true
	api.mu.Unlock()
	b.ask("Does my question survive the end of my sign-in?")
	b.until(`document.querySelector('#sign-in-again').open`)
	b.untilState("signed-out")
	b.click("#sign-in-again [data-close]")
	b.click("#banner-sign-in")
	b.until(`document.querySelector('#sign-in-again').open`)
	b.do(chromedp.Reload())
	b.until(`document.querySelector('#sign-in-again').open`)
	b.signIn("#sign-in-again-form", "Alice", "acme")
	b.untilState("waiting")
	api.oneQuestion(t)
}

func TestPageRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		code   string
		extra  object
		says   string
	}{
		"too long":    {413, "message_too_large", nil, "Shorten it and send it again."},
		"key reused":  {422, "idempotency_key_reused", nil, "Ask it as a new question."},
		"unknown one": {400, "field_invalid", object{"field": "text"}, "Nothing was saved. Change it and send it again."},
		"window over": {410, "idempotency_window_over", object{"location": "/prod/v1/conversations/01JDZ000000000000000000002/tasks/01JDZ000000000000000000009"}, "Nothing new was started."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, b := newFakeAPI(t), newTab(t)
			b.openRoom(api)
			api.fail(http.MethodPost, messagesPath, 1, refuse(c.status, c.code, c.extra))
			b.ask("A question that is refused?")
			b.untilState("refused")
			b.wantText(".card .advice", c.says)
			if c.status == 410 {
				if href := eval[string](b, `document.querySelector('.card-link').getAttribute('href')`); href != "#/c/01JDZ000000000000000000002" {
					t.Errorf("the link leads to %q", href)
				}
			}
			first := api.sent(http.MethodPost, messagesPath)[0].key
			b.click(`[data-action="edit"]`)
			b.enterKey(0)
			b.untilState("waiting")
			if submits := api.sent(http.MethodPost, messagesPath); len(submits) != 2 || submits[1].key == first {
				t.Errorf("asking again must use a new key: %+v", submits)
			}
			if n := b.count(".card"); n != 1 {
				t.Errorf("%d cards, want 1", n)
			}
		})
	}
}

func TestPageWithoutStorage(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(`for (const name of ['localStorage', 'sessionStorage']) {
		Object.defineProperty(globalThis, name, { get() { throw new DOMException('blocked', 'SecurityError'); } });
	}`)
	b.openRoom(api)
	b.ask("Does it work where storage is blocked?")
	b.untilState("waiting")
	b.wantText("#banner", "Leave this page open until your question is saved.")
	api.oneQuestion(t)
}

func TestPageStorageFull(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	eval[int](b, `(() => {
		let size = 1 << 20;
		for (let i = 0; size > 0; i++) {
			try { localStorage.setItem('ballast' + i, 'x'.repeat(size)); } catch { size >>= 1; }
		}
		return 0;
	})()`)
	b.ask("Does a full storage lose my question? " + strings.Repeat("It must not. ", 50))
	b.untilState("waiting")
	api.oneQuestion(t)
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
