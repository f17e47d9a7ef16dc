package page_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

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
