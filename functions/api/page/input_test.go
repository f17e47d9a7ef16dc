package page_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tabTo presses Tab until the focused element matches, and fails if the focus
// cannot be seen there.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	for range 60 {
		if eval[bool](b, fmt.Sprintf(`Boolean(document.activeElement?.matches(%q))`, selector)) {
			if width := eval[string](b, `getComputedStyle(document.activeElement.closest('.composer-box') ?? document.activeElement).outlineWidth`); width == "0px" {
				b.t.Errorf("the focus on %s is not visible", selector)
			}
			return
		}
		b.press(kb.Tab)
	}
	b.t.Fatalf("Tab does not lead to %s", selector)
}

func TestPageKeyboardOnly(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.do(chromedp.Navigate(api.pageURL("127.0.0.1")))
	b.until(`document.activeElement?.matches('#gate-form input')`)
	b.insert("Alice")
	b.press(kb.Tab)
	b.insert("acme")
	b.enterKey(0)
	b.until(`document.querySelector('.suggestion:enabled')`)
	b.tabTo(".suggestion")
	b.enterKey(0)
	b.untilState("waiting")
	b.tabTo(`[data-action="stop"]`)
	b.enterKey(0)
	b.untilState("stopped")

	b.tabTo("#question")
	b.insert("First line")
	b.enterKey(chromedp.ModifierShift)
	b.insert("second line")
	if value := eval[string](b, `document.querySelector('#question').value`); value != "First line\nsecond line" {
		t.Errorf("Shift+Enter made %q", value)
	}
	b.enterKey(0)
	b.until(`document.querySelectorAll('.card').length === 2`)
	if !eval[bool](b, `document.activeElement.id === 'question' && document.activeElement.value === ''`) {
		t.Error("after Send the box is not empty, or lost the focus")
	}
	b.untilState("waiting")
	api.setTask(completed("Saved."))
	b.untilState("saved")
	b.tabTo(`.card[data-state="saved"] summary`)
	b.enterKey(0)
	b.until(`document.querySelector('.card[data-state="saved"] details').open`)
	b.tabTo("#read")
	b.enterKey(0)
	b.until(`document.querySelector('#reader').open`)
	b.press(kb.Escape)
	b.until(`!document.querySelector('#reader').open && document.activeElement.id === 'read'`)
}

// TestPageEnterWhileComposing: with an input method, Enter picks a candidate.
func TestPageEnterWhileComposing(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	eval[bool](b, `(document.querySelector('#question').focus(), true)`)
	b.insert("かんじ")
	for _, init := range []string{`isComposing: true`, `keyCode: 229`, `repeat: true`} {
		eval[bool](b, fmt.Sprintf(`document.querySelector('#question').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, %s }))`, init))
	}
	if n := b.count(".card"); n != 0 {
		t.Fatalf("%d questions were sent by keys of the input method", n)
	}
	b.enterKey(0)
	b.untilState("waiting")
	api.oneQuestion(t)
}

func TestPageQuestionOverTheLimit(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	eval[bool](b, `(document.querySelector('#question').focus(), true)`)
	b.insert(strings.Repeat("漢", 65536/3+2))
	b.until(`document.querySelector('#composer-size').textContent.includes('too long')`)
	b.enterKey(0)
	b.press(kb.Backspace)
	b.press(kb.Backspace)
	b.until(`!document.querySelector('#composer-size').textContent.includes('too long')`)
	if n := len(api.sent(http.MethodPost, messagesPath)); n != 0 {
		t.Errorf("%d submits of a text that is too long", n)
	}
	b.enterKey(0)
	b.untilState("waiting")
}

func TestPageFirstReplyInThreeActions(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	api.onAccept = completed("Seven days.")
	b.do(chromedp.Navigate(api.pageURL("127.0.0.1")))
	b.until(`document.querySelector('#gate-form input')`)
	b.signIn("#gate-form", "Alice", "acme") // fill in and press: one and two
	b.until(`document.querySelector('.suggestion:enabled')`)
	if n := b.count(".suggestion"); n != 3 {
		t.Errorf("%d suggested questions, want 3", n)
	}
	b.do(chromedp.DoubleClick(chromedp.CSS(".suggestion"))) // three
	b.untilState("saved")
	if n := len(api.store.documents); n != 1 {
		t.Errorf("%d documents after a double click on a suggestion", n)
	}
	api.oneQuestion(t)
}

// TestPageFirstRunUnderFaults loses the answer of each of the three requests
// behind a suggested question, with a reload in between.
func TestPageFirstRunUnderFaults(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.open(api)
	b.until(`document.querySelector('.suggestion:enabled')`)
	api.fail(http.MethodPost, `/v1/documents$`, 1, gatewayTimeout)
	api.fail(http.MethodPost, `/v1/conversations$`, 2, gatewayTimeout)
	api.fail(http.MethodPost, messagesPath, 1, gatewayTimeout)
	b.click(".suggestion")
	waitFor(t, "the conversation", func() bool { return len(api.sent(http.MethodPost, `/v1/conversations$`)) > 0 })
	b.do(chromedp.Reload())
	b.untilState("waiting")
	b.untilSettled()
	api.oneQuestion(t)
	if d, c := len(api.store.documents), len(api.store.conversations); d != 1 || c != 1 {
		t.Errorf("%d documents and %d conversations, want one of each", d, c)
	}
	if hash := eval[string](b, `location.hash`); !strings.HasPrefix(hash, "#/c/") {
		t.Errorf("the page is at %q, not at the conversation", hash)
	}
}

func TestPageAddsDocumentsAndVersions(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	api.texts = true
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	choose := func(file string) {
		b.do(chromedp.SetUploadFiles(chromedp.CSS("#document-file"), []string{file}))
	}
	b.open(api)
	b.click("#add-document")
	for file, complaint := range map[string]string{
		write("a.pdf", "%PDF"):                         "Only .txt and .md files",
		write("big.txt", strings.Repeat("x", 1<<20+1)): "is the limit",
		write("latin.txt", "caf\xe9"):                  "not UTF-8",
		write("empty.md", "  \n"):                      "no text yet",
	} {
		choose(file)
		b.until(fmt.Sprintf(`document.querySelector('#document-error').textContent.includes(%q)`, complaint))
	}
	// Line ends and forms of characters go out as they are in the file.
	text := "# Rules\r\n\r\ncafe\u0301 and café\n"
	choose(write("rules.md", text))
	b.until(`!document.querySelector('#document-chosen').hidden`)
	b.click("#document-save")
	b.until(`document.querySelector('#room-title').textContent === 'rules'`)
	if got := api.store.documents[0].texts[0]; got != text {
		t.Errorf("the document arrived as %q, want %q", got, text)
	}

	b.ask("Which version is this about?")
	b.untilState("waiting")
	b.click("#show-versions")
	b.click("#new-version")
	b.do(chromedp.SetValue(chromedp.CSS("#document-text"), "Newer rules."))
	b.click("#document-save")
	b.until(`document.querySelector('#version').value === '2'`)
	b.wantText(".card-meta", "version 1")
	b.ask("And this?")
	b.until(`document.querySelectorAll('.card[data-state="waiting"]').length === 2`)
	b.do(chromedp.SetValue(chromedp.CSS("#version"), "1"))
	eval[bool](b, `document.querySelector('#version').dispatchEvent(new Event('change'))`)
	b.until(`document.querySelector('#version-note').textContent.includes('version 1')`)
	b.ask("And now?")
	b.until(`document.querySelectorAll('.card[data-state="waiting"]').length === 3`)
	var versions []int
	for _, m := range api.store.messages {
		versions = append(versions, m.version)
	}
	if !slices.Equal(versions, []int{1, 2, 1}) {
		t.Errorf("asked about versions %v, want those that were shown: 1 2 1", versions)
	}
}

// TestPageQuestionBeforeTheDocumentIsLoaded presses Send while the version that
// the question goes to is not known yet.
func TestPageQuestionBeforeTheDocumentIsLoaded(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	conversation := api.seedConversation()
	b.open(api)
	gate := make(chan struct{})
	api.fail(http.MethodGet, `/v1/documents/\w+$`, 1, slowly(gate))
	eval[string](b, fmt.Sprintf(`location.hash = '#/c/%s'`, conversation))
	b.until(`!document.querySelector('#room').hidden`)
	b.ask("Am I too fast?")
	b.until(`document.querySelector('#composer-keys').textContent.includes('One moment')`)
	close(gate)
	b.untilState("waiting")
	if n := api.oneQuestion(t); n != 1 {
		t.Errorf("%d submits, want 1", n)
	}
}

func TestPageDroppedFile(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	b.until(`document.querySelector('.suggestion:enabled')`)
	eval[bool](b, `(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(['Dropped text.'], 'dropped.txt', { type: 'text/plain' }));
		return document.querySelector('#home').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
	})()`)
	b.until(`document.querySelector('#document-title').value === 'dropped'`)
	b.click("#document-save")
	b.until(`document.querySelector('#room-title').textContent === 'dropped'`)
}

func TestPageDocumentRefusedIsEdited(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	api.fail(http.MethodPost, `/v1/documents$`, 1, refuse(http.StatusBadRequest, "field_invalid", object{"field": "title"}))
	b.click("#add-document")
	b.do(chromedp.SetValue(chromedp.CSS("#document-title"), "Rules"), chromedp.SetValue(chromedp.CSS("#document-text"), "The rules."))
	b.click("#document-save")
	b.until(`document.querySelector('.shelf-pending[data-state="refused"]')`)
	b.wantText(".shelf-pending", "Nothing was saved.")
	b.click(".shelf-pending button")
	b.until(`document.querySelector('#document-text').value === 'The rules.'`)
	b.click("#document-save")
	b.until(`document.querySelector('#room-title').textContent === 'Rules'`)
}
