package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageOnRunningStack asks real questions of a running stack, whose address
// REPLYONCE_PAGE_URL gives: the sample's, and one about REPLYONCE_PAGE_DOCUMENT.
func TestPageOnRunningStack(t *testing.T) {
	t.Parallel()
	address := os.Getenv("REPLYONCE_PAGE_URL")
	if address == "" {
		t.Skip("REPLYONCE_PAGE_URL is not set: no running stack to ask")
	}
	b := newTab(t)
	b.openAt(address)
	b.until(`document.querySelector('.suggestion:enabled')`)
	b.click(".suggestion")
	b.untilState("saved")
	if b.text(".reply-text") == "" {
		t.Error("the saved reply is empty")
	}
	b.click(`[data-action="regenerate"]`)
	b.until(`document.querySelector('.reply-older')`)
	b.do(chromedp.Reload())
	b.untilState("saved")
	if n := b.count(".card"); n != 1 {
		t.Errorf("%d cards after a reload, want 1", n)
	}
	b.stackDocument(os.Getenv("REPLYONCE_PAGE_DOCUMENT"))
}

func (b *tab) stackDocument(file string) {
	b.t.Helper()
	if file == "" {
		return
	}
	b.click("#add-document")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#document-file"), []string{file}))
	b.until(`!document.querySelector('#document-chosen').hidden`)
	b.click("#document-save")
	title := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	b.until(`[...document.querySelectorAll('#documents a')].some((link) => link.textContent.includes('` + title + `'))`)
	eval[bool](b, `([...document.querySelectorAll('#documents a')].find((link) => link.textContent.includes('`+title+`')).click(), true)`)
	b.until(`document.querySelector('#room-title').textContent === '` + title + `'`)
	b.ask("Who makes decisions?")
	b.untilState("saved")
	b.t.Logf("the reply about %s: %s", title, b.text(".reply-text"))
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if folder := os.Getenv("REPLYONCE_SCREENSHOTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "real-stack.png"), picture, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// TestFilesOnRunningStack sends a file that is too long for a text past the API to
// object storage, and asks about it at once: the question waits until it is read.
func TestFilesOnRunningStack(t *testing.T) {
	t.Parallel()
	address := os.Getenv("REPLYONCE_PAGE_URL")
	if address == "" {
		t.Skip("REPLYONCE_PAGE_URL is not set: no running stack to ask")
	}
	var text strings.Builder
	for chapter := 1; text.Len() < 1<<20; chapter++ {
		fmt.Fprintf(&text, "# Chapter %d\n\nRule %d says that the door of hall %d is painted before it is hung, and dried for a day.\n\n", chapter, chapter, chapter)
	}
	text.WriteString("# Keys\n\nThe caretaker has the key of the cellar.\n")
	file := filepath.Join(t.TempDir(), "house-rules.md")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t)
	b.openAt(address)
	b.until(`document.querySelector('.suggestion:enabled')`)
	b.click("#add-document")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#document-file"), []string{file}))
	b.until(`!document.querySelector('#document-chosen').hidden`)
	b.click("#document-save")
	b.until(`[...document.querySelectorAll('#documents a')].some((link) => link.textContent.includes('house-rules'))`)
	eval[bool](b, `([...document.querySelectorAll('#documents a')].find((link) => link.textContent.includes('house-rules')).click(), true)`)
	b.until(`document.querySelector('#room-title').textContent === 'house-rules'`)
	b.ask("Who has the key of the cellar?")
	b.untilState("saved")
	if reply := b.text(".reply-text"); !strings.Contains(reply, "caretaker has the key of the cellar") {
		t.Errorf("the reply is %q", reply)
	}
}
