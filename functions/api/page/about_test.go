package page_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAbout: the promises, and the register of what providers document, before
// and after signing in.
func TestAbout(t *testing.T) {
	t.Parallel()
	s := newStateWalk(t)
	s.api.fail(http.MethodGet, "/about.json", 1, unavailable(""))
	s.do(chromedp.Navigate(s.api.pageURL("127.0.0.1")))
	s.until(`document.querySelector('#gate-form input')`)
	s.click(`.gate-foot [data-open="about"]`)
	s.until(`document.querySelector('#about-providers button')`)
	s.wantText("#about-providers", "could not be loaded")
	s.click("#about-providers button")
	s.until(`document.querySelectorAll('#about-providers tbody').length >= 7`)
	s.click("#about [data-close]")

	s.tab.signIn("#gate-form", "Alice", "acme")
	s.until(`!document.querySelector('#app').hidden`)
	s.click(`.shelf [data-open="about"]`)
	s.wantText("#about-providers", "POST /responses, background")
	s.wantText("#about-providers", "Its answer is looked up")
	s.wantText("#about-providers", "10 min")
	s.wantText("#about-version", "replyonce, version 97a1a2b0c1d2")
	if top := eval[int](s.tab, `document.querySelector('#about').scrollTop`); top > 0 {
		t.Errorf("the dialog opens %d pixels below its top", top)
	}
	s.capture("about-register")
	s.click("#about-providers tbody:nth-of-type(2) summary")
	s.wantText("#about-providers tbody:nth-of-type(2)", "developers.openai.com/api/docs/guides/background")
	for _, l := range tall {
		s.captureIn("about-register", l)
	}
}
