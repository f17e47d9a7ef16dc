package page_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// drillTime bounds the wait for a drill on real processes; the first one of a
// run waits for a build.
const drillTime = 2 * time.Minute

// TestDrillsOnRunningStack plays D11 on the stack whose address REPLYONCE_PAGE_URL
// gives: as the service is, and without the rule that the drill is about.
func TestDrillsOnRunningStack(t *testing.T) {
	t.Parallel()
	address := os.Getenv("REPLYONCE_PAGE_URL")
	if address == "" {
		t.Skip("REPLYONCE_PAGE_URL is not set: no running stack to ask")
	}
	b := newTab(t)
	b.openAt(address)
	b.until(`!document.querySelector('#open-drills').hidden`)
	b.click("#open-drills a")
	b.until(`document.querySelector('.drill-list a[href="#/drills/D11"]')`)
	b.click(`.drill-list a[href="#/drills/D11"]`)
	b.until(`document.querySelector('.drill-actions .primary:enabled')`)
	b.listen()
	b.click(".drill-actions .primary")
	b.untilWithin(drillTime, `document.querySelector('.live .picture-svg')`)
	b.untilWithin(drillTime, `document.querySelector('.verdict')`)
	b.until(`document.querySelector('.acts .story')`)
	b.wantText(".verdict-title", "As it must be")
	b.wantText(".acts .story", "its save is refused")
	b.until(`announced.some((said) => said.includes('As it must be'))`)
	b.keepPicture("real-drill.png")

	b.click(".breaks summary")
	b.until(`document.querySelector('.breaks button:enabled')`) // the copy of the service has stopped
	b.click(`.breaks input[value="unfenced-save"]`)
	b.click(".breaks button")
	b.untilWithin(drillTime, `document.querySelector('.verdict[data-verdict="noticed"]')`)
	b.until(`document.querySelector('.acts .glyph-stale')`)
	b.wantText(".wrong", "Only the worker that holds the task now can save.")
	b.wantText(".verdict", "A worker that no longer had the task wrote all the same")
	b.keepPicture("real-drill-broken.png")
	t.Logf("without the rule the page says: %s", b.text(".verdict"))
}

// untilWithin waits longer than things on the page itself take.
func (b *tab) untilWithin(limit time.Duration, expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(limit - settleTime); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")")); err == nil && ok {
			return
		}
	}
	b.until(expression)
}

// keepPicture writes a picture to the folder that REPLYONCE_SCREENSHOTS names.
func (b *tab) keepPicture(name string) {
	b.t.Helper()
	folder := os.Getenv("REPLYONCE_SCREENSHOTS")
	if folder == "" {
		return
	}
	b.do(chromedp.EmulateViewport(1280, 2300))
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), picture, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(1280, 800))
}
