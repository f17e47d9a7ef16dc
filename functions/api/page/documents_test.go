package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const documentPath = `/v1/documents/\w+$`

// seedVersions has a document of so many versions, all ready, and a conversation.
func (a *fakeAPI) seedVersions(count int) string {
	conversation := a.seedConversation()
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.store.documents[len(a.store.documents)-1]
	for n := len(d.texts); n < count; n++ {
		d.texts = append(d.texts, fmt.Sprintf("A member can keep a tool for %d days.", 7+n))
	}
	return conversation
}

func (b *tab) options() string {
	b.t.Helper()
	return eval[string](b, `[...document.querySelectorAll('#version option')].map((option) => option.textContent).join('|')`)
}

// TestPageVersionThatIsBeingRead: the current version stays in use until somebody
// chooses the new one, whose question waits for it; the page notices when it is
// ready.
func TestPageVersionThatIsBeingRead(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	conversation := api.seedVersions(2)
	api.setVersion(object{"state": "indexing", "file_name": "handbook.pdf"})
	b.open(api).enter(conversation)
	if got := b.options(); got != "Version 1" {
		t.Errorf("the picker offers %q, want what is ready", got)
	}
	b.wantText("#version-note", "Version 2 is being read. You are asking about version 1.")
	b.wantText("#documents", "v2 being read")

	b.click("#show-versions")
	b.until(`document.querySelectorAll('.version-row').length === 2`)
	b.wantText(`.version-row[data-state="indexing"]`, "Being read")
	b.wantText(`.version-row[data-state="ready"] .version-badge`, "Current")
	b.click(`.version-row[data-state="indexing"] [data-ask="2"]`)
	b.until(`!document.querySelector('#versions').open && document.activeElement.id === 'question'`)
	b.wantText("#version-note", "Version 2 is being read; your question waits for it.")
	b.ask("How long can I keep a tool?")
	b.until(`document.querySelector('.card .headline').textContent === 'Version 2 is being read; your question waits for it.'`)
	if got := api.store.messages[0].version; got != 2 {
		t.Errorf("asked about version %d, want the one that was chosen", got)
	}

	waitFor(t, "the document to be asked for with its ETag", func() bool {
		polls := api.sent(http.MethodGet, documentPath)
		return len(polls) > 2 && polls[len(polls)-1].ifNoneMatch != ""
	})
	api.setVersion(object{"state": "ready", "file_name": "handbook.pdf", "pages": 12, "passages": 96})
	b.until(`document.querySelector('#status').textContent.includes('Version 2 of “Harbour Street Tool Library: member handbook” is ready.')`)
	b.until(`document.querySelector('#version-note').hidden && document.querySelector('.card .headline').textContent === 'Waiting for a worker.'`)
	if got := b.options(); got != "Version 2|Version 1" {
		t.Errorf("the picker offers %q", got)
	}
	polls := len(api.sent(http.MethodGet, documentPath))
	time.Sleep(1500 * time.Millisecond) // longer than the poller's usual wait
	if more := len(api.sent(http.MethodGet, documentPath)) - polls; more > 0 {
		t.Errorf("%d more polls of a document that is ready", more)
	}
}

// TestPageDocumentPollsRestAndObey: a hidden page does not poll for a screen that
// nobody sees, and Retry-After is not undercut.
func TestPageDocumentPollsRestAndObey(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	conversation := api.seedVersions(2)
	api.setVersion(object{"state": "indexing"})
	b.open(api)
	api.fail(http.MethodGet, documentPath, 1000, func(w http.ResponseWriter, serve func() *httptest.ResponseRecorder) {
		answer := serve()
		answer.Header().Set("Retry-After", "5")
		copyAnswer(w, answer)
	})
	b.enter(conversation)
	waitFor(t, "some polls", func() bool { return len(api.sent(http.MethodGet, documentPath)) > 4 })
	polls := api.sent(http.MethodGet, documentPath)
	last, before := polls[len(polls)-1], polls[len(polls)-2]
	if gap := last.at.Sub(before.at) * clockScale; gap < 4*time.Second {
		t.Errorf("asked again after %s of the page's time although 5 s were asked for", gap)
	}
	eval[bool](b, `(Object.defineProperty(document, 'hidden', { value: true, configurable: true }), document.dispatchEvent(new Event('visibilitychange')))`)
	hidden := len(api.sent(http.MethodGet, documentPath))
	time.Sleep(time.Minute / clockScale)
	if more := len(api.sent(http.MethodGet, documentPath)) - hidden; more > 4 {
		t.Errorf("%d polls within a minute of a hidden page", more)
	}
}

// TestPageVersionThatFailed: the reason in words and what to do; questions go to
// the version that can be read.
func TestPageVersionThatFailed(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	conversation := api.seedVersions(2)
	api.setVersion(object{"state": "indexing", "file_name": "scan.pdf"})
	b.open(api).enter(conversation)
	b.click("#show-versions")
	b.click(`[data-ask="2"]`)
	api.setVersion(object{"state": "failed", "failure": "no_text", "file_name": "scan.pdf"})
	b.until(`document.querySelector('#version').value === '1'`)
	b.wantText("#version-note", "Version 2 cannot be used: the file has no text, only pictures or empty pages. You are asking about version 1.")
	b.click("#show-versions")
	b.wantText(`.version-row[data-state="failed"]`, "Failed because the file has no text, only pictures or empty pages.")
	b.wantText(`.version-row[data-state="failed"]`, "Run text recognition (OCR) on it, and add the result.")
	if n := b.count(`.version-row[data-state="failed"] button:not([hidden])`); n != 0 {
		t.Errorf("%d things to do with a version that cannot be read", n)
	}
}

// TestPageDocumentThatCannotBeRead has no version to ask about: nothing is sent.
func TestPageDocumentThatCannotBeRead(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	conversation := api.seedVersions(1)
	api.setVersion(object{"state": "failed", "failure": "encrypted"})
	b.open(api)
	eval[string](b, fmt.Sprintf(`location.hash = '#/c/%s'`, conversation))
	b.until(`document.querySelector('#version-note').textContent.includes('protected by a password. Save a copy')`)
	b.ask("Is anybody there?")
	if eval[string](b, `document.querySelector('#question').value`) != "Is anybody there?" || len(api.sent(http.MethodPost, messagesPath)) != 0 {
		t.Error("a question about nothing was sent, or lost")
	}
}

// TestPageCardShowsItsVersion: the version that an answer used can be read from its
// card, whatever is current by then.
func TestPageCardShowsItsVersion(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	api.onAccept = completed("Seven days.")
	b.openRoom(api)
	b.ask("How long can I keep a tool?")
	b.untilState("saved")
	api.seedVersionOf("A member can keep a tool for nine days.")
	b.click(".card-meta button")
	b.until(`document.querySelector('#reader-text').textContent === 'A member can keep a tool for seven days.'`)
	b.wantText("#reader-facts", "Version 1")
}

// TestPageReaderShowsPages of a long text that comes in parts.
func TestPageReaderShowsPages(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	conversation := api.seedVersions(1)
	api.seedVersionOf("Première page.Zweite Seite.第三页。Last page.")
	api.setVersion(object{"pages": 4, "page_starts": []int{0, 15, 28, 40}})
	b.open(api).enter(conversation)
	b.click("#read")
	pages := func(want string) {
		t.Helper()
		b.until(fmt.Sprintf(`[...document.querySelectorAll('.reader-page')].map((page) => [...page.children].map((part) => part.textContent).join(': ')).join('|') === %q`, want))
	}
	pages("Page 1: Première page.|Page 2: Zweite Seite.")
	b.wantText("#reader-facts", "4 pages")
	b.click("#reader-text button")
	pages("Page 1: Première page.|Page 2: Zweite Seite.|Page 3: 第三页。|Page 4: Last page.")
	if n := b.count("#reader-text button"); n != 0 {
		t.Errorf("%d buttons for more of a text that is all there", n)
	}
}

func (a *fakeAPI) seedVersionOf(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.store.documents[len(a.store.documents)-1]
	d.texts = append(d.texts, text)
}

// TestPageDeletesADocument by keyboard: asked once more, kept, deleted although the
// first answer is lost; what was saved stays.
func TestPageDeletesADocument(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	api.onAccept = completed("Seven days.")
	b.inject(fastClock)
	b.openRoom(api)
	b.ask("How long can I keep a tool?")
	b.untilState("saved")
	b.tabTo("#show-versions")
	b.enterKey(0)
	b.until(`document.querySelector('#versions').open`)
	b.tabTo("#delete-document")
	b.enterKey(0)
	b.until(`document.activeElement.id === 'delete-no'`)
	b.enterKey(0)
	b.until(`document.activeElement.id === 'delete-document' && document.querySelector('#delete-confirm').hidden`)
	if n := len(api.sent(http.MethodDelete, documentPath)); n != 0 {
		t.Fatalf("%d deletions of a document that was kept", n)
	}
	api.fail(http.MethodDelete, documentPath, 1, dropAfterCommit)
	b.enterKey(0)
	b.until(`document.activeElement.id === 'delete-no'`)
	b.press(kb.Tab)
	b.enterKey(0)
	b.until(`!document.querySelector('#versions').open && !document.querySelector('#deleted-note').hidden`)
	b.wantText("#deleted-note", "This document was deleted.")
	b.wantText(".reply-text", "Seven days.")
	if n := b.count("#documents a"); n != 0 {
		t.Errorf("%d documents are still listed", n)
	}
	if n := b.count(`.card [data-action], #composer:not([hidden]), .card-meta button:not([hidden])`); n != 0 {
		t.Errorf("%d ways to go on with a document that is not there", n)
	}
	if n := len(api.sent(http.MethodDelete, documentPath)); n != 2 {
		t.Errorf("%d deletions, want one and its repeat", n)
	}

	// On another device, or after a reload, the conversation says the same.
	b.do(chromedp.Reload())
	b.untilState("saved")
	b.until(`!document.querySelector('#deleted-note').hidden`)
}

// TestPageVersionsByKeyboard goes through the dialog without a pointer.
func TestPageVersionsByKeyboard(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	conversation := api.seedVersions(2)
	b.open(api).enter(conversation)
	b.tabTo("#show-versions")
	b.enterKey(0)
	b.until(`document.activeElement.id === 'versions-title'`)
	b.tabTo(`[aria-label="Read version 2"]`)
	b.enterKey(0)
	b.until(`document.querySelector('#reader-text').textContent.includes('8 days')`)
	b.press(kb.Escape)
	b.until(`!document.querySelector('#reader').open && document.activeElement.getAttribute('aria-label') === 'Read version 2'`)
	b.tabTo(`[data-ask="1"]`)
	b.enterKey(0)
	b.until(`document.activeElement.id === 'question' && document.querySelector('#version').value === '1'`)
	b.tabTo("#show-versions")
	b.enterKey(0)
	b.tabTo("#new-version")
	b.enterKey(0)
	b.until(`document.activeElement.id === 'document-file'`)
	b.press(kb.Escape)
	b.until(`!document.querySelector('#document-dialog').open`)
}
