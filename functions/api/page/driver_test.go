package page_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page under test. Its helpers end the test on errors.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// settleTime bounds each wait for something to appear on the page.
const settleTime = 20 * time.Second

// tabTime bounds the life of a tab.
const tabTime = 3 * time.Minute

// newTab opens an empty tab in a browser context of its own.
func newTab(t *testing.T) *tab {
	t.Helper()
	// A page that hangs must not hang the test: its calls end with the context.
	limited, stop := context.WithTimeout(browser(t), tabTime)
	ctx, cancel := chromedp.NewContext(limited, chromedp.WithNewBrowserContext())
	t.Cleanup(func() {
		cancel()
		stop()
	})
	return startTab(t, ctx)
}

// another opens a further tab of the same person.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	return startTab(b.t, ctx)
}

func startTab(t *testing.T, ctx context.Context) *tab {
	t.Helper()
	b := &tab{t: t, ctx: ctx}
	b.do(chromedp.EmulateViewport(1280, 800))
	// Errors in the page and blocked resources fail the test wherever they occur.
	err := chromedp.Listen(ctx, func(event any) {
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			b.complain(describe(event.ExceptionDetails))
		case *log.EventEntryAdded:
			if strings.Contains(event.Entry.Text, "Content Security Policy") && !strings.Contains(event.Entry.Text, "localhost:1") {
				b.complain(event.Entry.Text)
			}
		}
	})
	if err != nil {
		t.Fatalf("listen to the page: %v", err)
	}
	return b
}

func describe(details *runtime.ExceptionDetails) string {
	if details.Exception != nil && details.Exception.Description != "" {
		return details.Exception.Description
	}
	return details.Text
}

func (b *tab) complain(text string) {
	if b.ctx.Err() == nil {
		b.t.Errorf("the page complained: %s", text)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("drive the page: %v", err)
	}
}

// inject runs a script in every document before its own scripts.
func (b *tab) inject(source string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: source})
	if err != nil {
		b.t.Fatalf("inject a script: %v", err)
	}
}

func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return value
}

// until waits for an expression to become true.
func (b *tab) until(expression string) {
	b.t.Helper()
	deadline := time.Now().Add(settleTime)
	for {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			body, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
			b.t.Fatalf("waited %s for %s (last error: %v); the page says:\n%s", settleTime, expression, err, body)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// untilState waits for a card in this state.
func (b *tab) untilState(state string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector('.card[data-state=%q]')`, state))
}

// untilSettled waits until no item of the outbox waits for its outcome.
func (b *tab) untilSettled() {
	b.t.Helper()
	b.until(`!Object.keys(localStorage).some((key) => key.includes('/item/'))`)
}

// back goes back without waiting for a load: a page that comes from the
// back/forward cache does not load.
func (b *tab) back() {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](`void setTimeout(() => history.back(), 20)`))
	b.until(`location.pathname.startsWith('/prod/')`)
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ''`, selector))
}

func (b *tab) wantText(selector, part string) {
	b.t.Helper()
	if got := b.text(selector); !strings.Contains(got, part) {
		b.t.Errorf("%s says %q, want it to contain %q", selector, got, part)
	}
}

func (b *tab) count(selector string) int {
	b.t.Helper()
	return eval[int](b, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, settleTime)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		b.t.Fatalf("click %s: %v", selector, err)
	}
}

// press sends keys to whatever has the focus.
func (b *tab) press(keys string, modifiers ...chromedp.Modifier) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

// enterKey presses Enter the way a keyboard does: one event that carries its
// text, so that a page which handles the key also keeps the new line out.
func (b *tab) enterKey(modifiers chromedp.Modifier) {
	b.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		event := input.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13, Modifiers: int64(modifiers)}
		if kind == input.DispatchKeyEventTypeKeyDown {
			event.Text = "\r"
		}
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, event); err != nil {
			b.t.Fatalf("press Enter: %v", err)
		}
	}
}

// insert types text the way an input method does, at once.
func (b *tab) insert(text string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		b.t.Fatalf("type %q: %v", text, err)
	}
}

// open loads the page and signs in.
func (b *tab) open(api *fakeAPI) *tab {
	b.t.Helper()
	return b.openAt(api.pageURL("127.0.0.1"))
}

func (b *tab) openAt(address string) *tab {
	b.t.Helper()
	b.do(chromedp.Navigate(address))
	b.until(`document.querySelector('#gate-form input') || !document.querySelector('#app').hidden`)
	if eval[bool](b, `document.querySelector('#app').hidden`) {
		b.signIn("#gate-form", "Alice", "acme")
	}
	b.until(`!document.querySelector('#app').hidden`)
	return b
}

func (b *tab) signIn(form, user, workspace string) {
	b.t.Helper()
	b.do(
		chromedp.SetValue(chromedp.CSS(form+" .field:nth-of-type(1) input"), user),
		chromedp.SetValue(chromedp.CSS(form+" .field:nth-of-type(2) input"), workspace),
	)
	b.click(form + " button[type=submit]")
}

// openRoom seeds a document with a conversation and opens it.
func (b *tab) openRoom(api *fakeAPI) *tab {
	b.t.Helper()
	conversation := api.seedConversation()
	b.open(api)
	return b.enter(conversation)
}

func (b *tab) enter(conversation string) *tab {
	b.t.Helper()
	eval[string](b, fmt.Sprintf(`location.hash = '#/c/%s'`, conversation))
	b.until(`!document.querySelector('#room').hidden && document.querySelector('#version').value`)
	b.until(`document.querySelector('#thread-note').textContent !== 'Loading.'`)
	return b
}

// ask types a question and presses Enter.
func (b *tab) ask(question string) {
	b.t.Helper()
	// By script, because the driver loses sight of the document when a page comes
	// back from the back/forward cache.
	eval[bool](b, `(document.querySelector('#question').focus(), true)`)
	b.insert(question)
	b.enterKey(0)
}

func (a *fakeAPI) seedConversation() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &a.store
	d := &document{id: s.newID(), title: "Harbour Street Tool Library: member handbook", texts: []string{"A member can keep a tool for seven days."}, createdAt: time.Now()}
	c := &conversation{id: s.newID(), title: "How long can a member keep a tool?", document: d.id, createdAt: time.Now()}
	s.documents = append(s.documents, d)
	s.conversations = append(s.conversations, c)
	return c.id
}
