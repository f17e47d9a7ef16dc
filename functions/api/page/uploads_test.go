package page_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// pdf is a file that only the service can read. The page does not look into it.
var pdf = "%PDF-1.7\n" + strings.Repeat("harbour street ", 20_000)

// file writes a file that can be chosen.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (b *tab) choose(selector, path string) {
	b.t.Helper()
	b.do(chromedp.SetUploadFiles(chromedp.CSS(selector), []string{path}))
}

// addFile chooses a file in the dialog and presses Add.
func (b *tab) addFile(path string) {
	b.t.Helper()
	b.click("#add-document")
	b.choose("#document-file", path)
	b.until(`!document.querySelector('#document-chosen').hidden`)
	b.click("#document-save")
}

func (b *tab) untilRoom(title string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`!document.querySelector('#room').hidden && document.querySelector('#room-title').textContent === %q`, title))
}

func TestPageUploadsAFile(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	b.addFile(file(t, "handbook.pdf", pdf))
	b.untilRoom("handbook")
	b.untilSettled()
	api.oneUpload(t, pdf)
	b.until(`!document.querySelector('#document-dialog').open`)
	b.until(`document.querySelector('#version-note').textContent === 'Version 1 is being read; your question waits for it.'`)
	b.wantText("#documents", "being read")

	// A second file, as a version of the document.
	b.click("#show-versions")
	b.click("#new-version")
	b.choose("#document-file", file(t, "handbook 2.docx", "PK and more"))
	b.until(`!document.querySelector('#document-chosen').hidden`)
	b.click("#document-save")
	b.until(`document.querySelector('#version').value === '2'`)
	if got := api.sent(http.MethodPost, `/v1/uploads$`)[1].body; !strings.Contains(got, `"document":"`) || strings.Contains(got, `"title"`) {
		t.Errorf("the version was announced as %s", got)
	}
}

// TestPageUploadUnderFaults loses every answer behind an upload once, and lets a
// signed request expire.
func TestPageUploadUnderFaults(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.open(api)
	api.fail(http.MethodPost, `/v1/uploads$`, 1, gatewayTimeout)
	api.fail(http.MethodPost, `/complete$`, 1, dropAfterCommit)
	api.bucket.fail(api.bucket.expire, lostAnswer)
	b.addFile(file(t, "handbook.pdf", pdf))
	b.untilRoom("handbook")
	b.untilSettled()
	api.oneUpload(t, pdf)
	if api.bucket.puts != 3 {
		t.Errorf("%d requests to the storage, want one that had expired, one without an answer, and one more", api.bucket.puts)
	}
}

// TestCaseB1UploadOnPlainHTTP: no SubtleCrypto on a page that is no secure
// context; the hash is the same.
func TestCaseB1UploadOnPlainHTTP(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openAt(api.pageURL(plainHost))
	if eval[bool](b, `Boolean(crypto.subtle)`) {
		t.Fatal("the page has SubtleCrypto: this test would prove nothing")
	}
	content := strings.Repeat(pdf, 9) // several pieces, the last one odd
	b.addFile(file(t, "handbook.pdf", content))
	b.untilRoom("handbook")
	b.untilSettled()
	api.oneUpload(t, content)
}

// TestPageUploadGoesOnAfterReload: the file is lost with the page; chosen again, it
// goes on with the same upload. Another file is refused.
func TestPageUploadGoesOnAfterReload(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	reached, gate := make(chan struct{}), make(chan struct{})
	defer close(gate)
	api.bucket.fail(inPart(1000, reached, gate))
	path := file(t, "handbook.pdf", pdf)
	b.addFile(path)
	<-reached
	b.until(`document.querySelector('#documents [data-state="uploading"]')`)
	b.do(chromedp.Reload())
	b.until(`document.querySelector('#documents [data-state="file"]')`)
	b.wantText("#documents", "“handbook.pdf” had not been sent")
	b.choose("#documents .shelf-pending input", file(t, "handbook.pdf", "%PDF another"))
	b.until(`document.querySelector('#documents .field-error').textContent.includes('not the file')`)
	b.choose("#documents .shelf-pending input", path)
	b.untilSettled()
	b.until(`document.querySelector('#documents a')`)
	api.oneUpload(t, pdf)
}

// TestPageUploadArrivedBeforeReload: the file is there although no answer said so;
// nobody has to choose it again.
func TestPageUploadArrivedBeforeReload(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	landed, gate := make(chan struct{}), make(chan struct{})
	defer close(gate)
	api.bucket.fail(func(_ http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter)) {
		serve(discard{})
		close(landed)
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	})
	b.addFile(file(t, "handbook.pdf", pdf))
	<-landed
	b.do(chromedp.Reload())
	b.until(`document.querySelector('#documents a')`)
	b.untilSettled()
	api.oneUpload(t, pdf)
}

// discard is an answer that nobody gets.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// TestPageUploadInTwoTabs: the tab without the file waits for the one that sends it.
func TestPageUploadInTwoTabs(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	reached, gate := make(chan struct{}), make(chan struct{})
	api.bucket.fail(inPart(1000, reached, gate))
	b.addFile(file(t, "handbook.pdf", pdf))
	<-reached
	other := b.another().open(api)
	other.until(`document.querySelector('#documents [data-state="uploading"]')`)
	time.Sleep(500 * time.Millisecond) // in which it could do harm
	if n := len(api.sent(http.MethodPost, `/complete$`)); n != 0 {
		t.Errorf("%d completions of a file that is still being sent", n)
	}
	close(gate)
	b.untilRoom("handbook")
	other.until(`!document.querySelector('.shelf-pending')`)
	api.oneUpload(t, pdf)
}

func TestPageUploadCancelled(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	reached, ended := make(chan struct{}), make(chan struct{})
	api.bucket.fail(func(_ http.ResponseWriter, r *http.Request, _ func(http.ResponseWriter)) {
		close(reached)
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		close(ended)
	})
	b.addFile(file(t, "handbook.pdf", pdf))
	<-reached
	b.click("#document-pending .shelf-actions button")
	select {
	case <-ended:
	case <-time.After(settleTime):
		t.Fatal("the request goes on behind the person's back")
	}
	b.until(`!document.querySelector('#document-dialog').open && !document.querySelector('.shelf-pending')`)
	if n := len(api.sent(http.MethodPost, `/complete$`)); n != 0 || len(api.store.documents) != 0 {
		t.Errorf("%d completions and %d documents of an upload that was cancelled", n, len(api.store.documents))
	}
}

// TestPageUploadThatCannotArrive: a file that was announced otherwise is refused in
// words, and can be added again.
func TestPageUploadThatCannotArrive(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	api.bucket.fail(func(w http.ResponseWriter, _ *http.Request, _ func(http.ResponseWriter)) {
		w.WriteHeader(http.StatusBadRequest)
	})
	b.addFile(file(t, "handbook.pdf", pdf))
	b.until(`document.querySelector('#document-pending [data-state="refused"]')`)
	b.wantText("#document-pending", "The file did not arrive as it was announced. Nothing was added.")
	b.click("#document-pending .shelf-actions button")
	b.until(`!document.querySelector('#document-form').hidden && document.querySelector('#document-title').value === 'handbook'`)
}

func TestPageFilesThatCannotBeAdded(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api)
	b.click("#add-document")
	b.wantText("#document-file-label", "a .pdf, .docx, .html, .md or .txt file, up to 50 MiB")
	for _, c := range []struct{ name, content, complaint string }{
		{"picture.png", "PNG", "Only .pdf, .docx, .html, .md and .txt files"},
		{"empty.pdf", "", "The file is empty."},
		{"big.pdf", strings.Repeat("x", 50<<20+1), "50 MiB is the limit"},
		{"blank.md", " \n", "no text yet"},
	} {
		b.choose("#document-file", file(t, c.name, c.content))
		b.until(fmt.Sprintf(`document.querySelector('#document-error').textContent.includes(%q)`, c.complaint))
	}
	// Another encoding is not for the page to guess.
	b.choose("#document-file", file(t, "latin.txt", "caf\xe9"))
	b.until(`!document.querySelector('#document-chosen').hidden`)
	b.click("#document-save")
	b.untilRoom("latin")
	b.untilSettled()
	api.oneUpload(t, "caf\xe9")
}
