package page_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestPageDocumentStates walks through what a person meets with documents and
// files, see TestPageStates.
func TestPageDocumentStates(t *testing.T) {
	t.Parallel()
	s := newStateWalk(t)
	conversation := s.api.seedVersions(2)
	s.open(s.api).enter(conversation)
	s.versions()
	s.uploads()
	s.deletion()
}

func (s *stateWalk) versions() {
	s.ask("How long can a member keep a tool?")
	s.untilState("waiting")
	s.api.setTask(completed(sampleReply))
	s.untilState("saved")
	s.api.seedVersionOf("A member can keep a tool for ten days.")
	s.api.setVersion(object{"state": "failed", "failure": "no_text", "file_name": "scan of the handbook.pdf"})
	s.reload()
	s.until(`document.querySelector('#version-note').dataset.tone === 'warn'`)
	s.capture("version-failed")

	s.api.seedVersionOf("A member can keep a tool for eleven days.")
	s.api.setVersion(object{"state": "indexing", "file_name": "handbook 2027.pdf"})
	s.reload()
	s.until(`document.querySelector('#version-note').dataset.tone === 'calm'`)
	s.capture("version-being-read")
	s.click("#show-versions")
	s.until(`document.querySelectorAll('.version-row').length === 4`)
	s.capture("versions")
	s.captureIn("versions", highContrast)
	s.see(looks[0])
	s.click(`[data-ask="4"]`)
	s.ask("And how long next year?")
	s.until(`document.querySelector('.card[data-state="waiting"] .headline').textContent.includes('waits for it')`)
	s.capture("waits-for-version")
	s.api.setVersion(object{"state": "ready", "file_name": "handbook 2027.pdf", "pages": 14, "passages": 131})
	s.until(`document.querySelector('#version-note').hidden`)
	s.api.setTask(completed("Eleven days.\n\nFrom “Harbour Street Tool Library: member handbook”, version 4."))
	s.until(`document.querySelectorAll('.card[data-state="saved"]').length === 2`)
	s.capture("version-ready")
	s.api.setVersion(object{"pages": 2, "page_starts": []int{0, 14}})
	s.click("#read")
	s.until(`document.querySelectorAll('.reader-page').length === 1`)
	s.capture("reader-pages")
	s.click("#reader [data-close]")
}

func (s *stateWalk) reload() {
	eval[bool](s.tab, `(setTimeout(() => location.reload(), 0), true)`)
	s.until(`!document.querySelector('#app')?.hidden && document.querySelector('#version')?.value`)
	s.until(`document.querySelector('.card')`)
}

func (s *stateWalk) uploads() {
	s.click("#add-document")
	s.choose("#document-file", file(s.t, "picture.png", "PNG"))
	s.until(`document.querySelector('#document-error').textContent !== ''`)
	s.capture("file-refused")
	// Larger than what buffers on the way hold.
	content := strings.Repeat("harbour street ", 3_000_000)
	path := file(s.t, "Rules of the harbour.pdf", content)
	s.choose("#document-file", path)
	s.until(`!document.querySelector('#document-chosen').hidden`)
	s.capture("file-chosen")
	reached, gate := make(chan struct{}), make(chan struct{})
	defer close(gate)
	s.api.bucket.fail(inPart(int64(len(content))*2/5, reached, gate))
	s.click("#document-save")
	<-reached
	s.until(`document.querySelector('#document-pending .sent-bar').value > 0.3`)
	s.capture("file-sending")
	s.click("#document-background")
	s.phoneLibrary("file-sending-library")
	s.reload()
	s.until(`document.querySelector('#documents [data-state="file"]')`)
	s.phoneLibrary("file-needed")
	s.capture("file-needed")
	s.choose("#documents .shelf-pending input", path)
	s.untilSettled()
	s.api.setVersion(object{"state": "ready", "file_name": "Rules of the harbour.pdf", "pages": 30, "passages": 400})

	s.api.fail(http.MethodPost, `/complete$`, 1, refuse(http.StatusConflict, "upload_mismatch", nil))
	s.addFile(file(s.t, "Rules.docx", "PK"))
	s.until(`document.querySelector('#document-pending [data-state="refused"]')`)
	s.capture("file-mismatch")
	s.click("#document-pending .shelf-actions button:last-child")
	s.until(`!document.querySelector('#document-dialog').open`)
}

// phoneLibrary looks at the page of its own that the library is on a phone.
func (s *stateWalk) phoneLibrary(state string) {
	for _, l := range looks[2:] {
		s.see(l)
		s.click("#shelf-toggle")
		s.captureIn(state, l)
		s.press("\x1b")
	}
	s.see(looks[0])
}

func (s *stateWalk) deletion() {
	s.click("#show-versions")
	s.click("#delete-document")
	s.capture("delete-confirm")
	s.api.fail(http.MethodDelete, documentPath, 1, refuse(http.StatusForbidden, "forbidden", nil))
	s.click("#delete-yes")
	s.until(`document.querySelector('#delete-error').textContent !== ''`)
	s.capture("delete-refused")
	s.click("#delete-yes")
	s.until(`!document.querySelector('#deleted-note').hidden && !document.querySelector('#versions').open`)
	s.capture("document-deleted")
}
