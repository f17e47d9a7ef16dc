package page_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestCaseB4ThreeTabsOneOutbox(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	first := newTab(t)
	first.openRoom(api)
	conversation := eval[string](first, `location.hash.slice(4)`)
	tabs := []*tab{first}
	for range 2 {
		other := first.another()
		other.openAt(api.pageURL("127.0.0.1"))
		tabs = append(tabs, other.enter(conversation))
	}

	gate := make(chan struct{})
	api.fail(http.MethodPost, messagesPath, 3, slowly(gate))
	first.ask("Do three tabs make three questions?")
	for _, b := range tabs {
		b.until(`document.querySelectorAll('.card').length === 1`)
	}
	stale := eval[string](first, `JSON.stringify(Object.entries(localStorage).filter(([key]) => key.includes('/item/')))`)
	close(gate)
	for _, b := range tabs {
		b.untilState("waiting")
		b.untilSettled()
	}
	if n := api.oneQuestion(t); n > 3 {
		t.Errorf("%d submits from three tabs, want at most 3", n)
	}
	submits := api.oneQuestion(t)

	// A tab that read the item before the end writes it again afterwards.
	eval[int](tabs[1], fmt.Sprintf(`(() => { for (const [key, value] of JSON.parse(%q)) localStorage.setItem(key, value); return 0; })()`, stale))
	api.setTask(completed("No: one key, one question."))
	for _, b := range tabs {
		b.untilState("saved")
		if n := b.count(".card"); n != 1 {
			t.Errorf("%d cards in a tab, want 1", n)
		}
	}
	time.Sleep(200 * time.Millisecond)
	if n := api.oneQuestion(t); n != submits {
		t.Errorf("a finished item was sent again: %d submits, then %d", submits, n)
	}
	for _, b := range tabs {
		if state := eval[string](b, `document.querySelector('.card').dataset.state`); state != "saved" {
			t.Errorf("a finished item went back to %s", state)
		}
	}
}

func TestCaseB4DuplicatedAndReopenedTab(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	conversation := eval[string](b, `location.hash.slice(4)`)
	api.fail(http.MethodPost, messagesPath, 100, dropAfterCommit)
	b.ask("Does closing the tab lose my question?")
	waitFor(t, "the first submit", func() bool { return len(api.sent(http.MethodPost, messagesPath)) >= 1 })
	other := b.another()
	b.do(chromedp.Navigate("about:blank"))
	api.heal()
	other.openAt(api.pageURL("127.0.0.1"))
	other.enter(conversation)
	other.untilState("waiting")
	other.untilSettled()
	api.oneQuestion(t)
}

// TestPageSignOutInAnotherTab: a signed-out person's data is on no tab's screen.
func TestPageSignOutInAnotherTab(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	other := b.another()
	other.open(api)
	other.click("#sign-out")
	b.until(`document.querySelector('#app').hidden && !document.querySelector('#gate').hidden`)
	b.signIn("#gate-form", "Alice", "acme")
	other.until(`!document.querySelector('#app').hidden`)
}

// TestPageItemsBelongToOnePerson: what Alice could not send is not sent, or
// shown, for Bob.
func TestPageItemsBelongToOnePerson(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	conversation := api.seedConversation()
	b.openAt(api.pageURL(plainHost)).enter(conversation)
	setOffline(b, true)
	b.ask("What is my salary?")
	b.untilState("offline")
	b.click("#sign-out")
	setOffline(b, false)
	b.signIn("#gate-form", "Bob", "acme")
	b.until(`!document.querySelector('#app').hidden`)
	b.enter(conversation)
	time.Sleep(200 * time.Millisecond)
	if n := len(api.sent(http.MethodPost, messagesPath)); n != 0 || b.count(".card") != 0 {
		t.Errorf("%d submits and %d cards for another person", n, b.count(".card"))
	}
	b.click("#sign-out")
	b.signIn("#gate-form", "Alice", "acme")
	b.until(`!document.querySelector('#app').hidden`)
	b.enter(conversation)
	b.untilState("waiting")
	api.oneQuestion(t)
}

// pretendHidden makes the page believe that nobody looks at it.
const pretendHidden = `(() => {
	window.isHidden = false;
	Object.defineProperty(document, 'hidden', { get: () => window.isHidden });
	window.hide = (value) => { window.isHidden = value; document.dispatchEvent(new Event('visibilitychange')); return true; };
})()`

func TestPageHiddenRestsThenTells(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(pretendHidden)
	b.inject(`(() => {
		window.notes = [];
		window.Notification = class { static permission = 'default'; constructor(title, options) { window.notes.push([title, options.tag]); }
			static requestPermission() { this.permission = 'granted'; return Promise.resolve('granted'); } close() {} };
	})()`)
	b.openRoom(api)
	b.ask("Will you call me?")
	b.untilState("waiting")
	if eval[string](b, `Notification.permission`) != "default" {
		t.Fatal("permission was asked for without a click")
	}
	b.click(`[data-action="notify"]`)
	b.until(`!document.querySelector('[data-action="notify"]')`)

	waitFor(t, "two polls", func() bool { return len(api.sent(http.MethodGet, tasksPath)) >= 2 })
	if polls := api.sent(http.MethodGet, tasksPath); polls[0].ifNoneMatch != "" || polls[1].ifNoneMatch == "" {
		t.Errorf("polls with If-None-Match %q and %q, want none and then the ETag", polls[0].ifNoneMatch, polls[1].ifNoneMatch)
	}
	eval[bool](b, `window.hide(true)`)
	time.Sleep(100 * time.Millisecond)
	before := len(api.sent(http.MethodGet, tasksPath))
	time.Sleep(2500 * time.Millisecond)
	if after := len(api.sent(http.MethodGet, tasksPath)); after != before {
		t.Errorf("%d polls while hidden", after-before)
	}
	eval[bool](b, `window.hide(false)`)
	waitFor(t, "polling to go on", func() bool { return len(api.sent(http.MethodGet, tasksPath)) > before })
}

func TestPageReplyReadyWhileHidden(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.inject(pretendHidden)
	b.inject(`(() => {
		window.notes = [];
		window.Notification = class { static permission = 'granted'; constructor(title, options) { window.notes.push([title, options.tag]); } close() {} };
	})()`)
	b.openRoom(api)
	b.ask("Is it ready?")
	b.untilState("waiting")
	eval[bool](b, `window.hide(true)`)
	api.setTask(completed("Yes."))
	b.until(`document.title.startsWith('Reply ready')`)
	if notes := eval[int](b, `window.notes.length`); notes != 1 {
		t.Errorf("%d notifications, want 1", notes)
	}
	eval[bool](b, `window.hide(false)`)
	b.until(`!document.title.startsWith('Reply ready')`)
}
