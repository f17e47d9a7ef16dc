package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// look is one way in which the page is seen.
type look struct {
	name          string
	width, height int64
	scheme        string
	forcedColors  string
	axe           bool // whether axe looks too; two looks cover both widths and schemes
}

var looks = []look{
	{"desktop-light", 1280, 800, "light", "none", true},
	{"desktop-dark", 1280, 800, "dark", "none", false},
	{"phone-light", 390, 844, "light", "none", false},
	{"phone-dark", 390, 844, "dark", "none", true},
}

// highContrast is the look of an operating system that chooses all colours; axe
// would compute with the author's.
var highContrast = look{"desktop-forced-colors", 1280, 800, "dark", "active", false}

// TestPageStates walks through every state that a person can meet, checks each
// with axe and takes its picture in all looks. REPLYONCE_SCREENSHOTS names the
// folder that keeps the pictures.
func TestPageStates(t *testing.T) {
	t.Parallel()
	s := newStateWalk(t)
	s.signIn()
	s.firstRun()
	s.sending()
	s.taskStates()
	s.trouble()
	s.dialogs()
	s.offline()
}

type stateWalk struct {
	*tab
	api    *fakeAPI
	folder string
	axe    string
}

func newStateWalk(t *testing.T) *stateWalk {
	t.Helper()
	folder := os.Getenv("REPLYONCE_SCREENSHOTS")
	if folder == "" {
		folder = t.ArtifactDir()
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &stateWalk{tab: newTab(t), api: newFakeAPI(t), folder: folder}
	source, err := os.ReadFile(filepath.Join("testdata", "axe", "node_modules", "axe-core", "axe.min.js"))
	switch {
	case err == nil:
		s.axe = string(source)
	case os.Getenv("REQUIRE_ALL") == "1":
		t.Fatal("axe-core is not installed: run npm ci in functions/api/page/testdata/axe")
	default:
		t.Log("axe-core is not installed, its checks are left out: run npm ci in functions/api/page/testdata/axe")
	}
	return s
}

// capture looks at the present state in all looks.
func (s *stateWalk) capture(state string) {
	s.t.Helper()
	for _, l := range looks {
		s.captureIn(state, l)
	}
	s.see(looks[0])
}

func (s *stateWalk) captureIn(state string, l look) {
	s.t.Helper()
	s.see(l)
	if s.axe != "" && l.axe {
		s.check(state, l)
	}
	picture, err := chromedp.Run(s.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		s.t.Fatalf("take a picture of %s: %v", state, err)
	}
	file := filepath.Join(s.folder, fmt.Sprintf("%s-%s.png", state, l.name))
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stateWalk) see(l look) {
	s.t.Helper()
	_, err := chromedp.Call(s.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: l.scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
			{Name: "forced-colors", Value: l.forcedColors},
		},
	})
	if err != nil {
		s.t.Fatalf("set the colour scheme: %v", err)
	}
	s.do(chromedp.EmulateViewport(l.width, l.height))
	eval[bool](s.tab, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	if wide := eval[int](s.tab, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		s.t.Errorf("%s: the page is %d pixels wider than the window", l.name, wide)
	}
}

type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		Target []any `json:"target"`
	} `json:"nodes"`
}

// check runs axe with the rules of WCAG 2.2 A and AA and its best practices.
func (s *stateWalk) check(state string, l look) {
	s.t.Helper()
	if !eval[bool](s.tab, `Boolean(window.axe)`) {
		s.do(chromedp.Evaluate[chromedp.Void](s.axe))
	}
	raw := eval[string](s.tab, `axe.run(document, { resultTypes: ['violations'],
		runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
	}).then((found) => JSON.stringify(found.violations.map(({ id, impact, help, nodes }) =>
		({ id, impact, help, nodes: nodes.map(({ target }) => ({ target })) }))))`)
	var found []violation
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		s.t.Fatal(err)
	}
	for _, v := range found {
		s.t.Errorf("axe, %s %s: %s (%s) %s at %v", state, l.name, v.ID, v.Impact, v.Help, v.Nodes)
	}
}

// library opens the page of its own that the library is on a phone.
func (s *stateWalk) library() {
	for _, l := range looks[2:] {
		s.see(l)
		s.click("#shelf-toggle")
		s.captureIn("library", l)
		s.press("\x1b")
		if eval[bool](s.tab, `document.body.classList.contains('shelf-open')`) {
			s.t.Error("Escape does not close the library")
		}
	}
	s.see(looks[0])
}

func (s *stateWalk) signIn() {
	s.do(chromedp.Navigate(s.api.pageURL("127.0.0.1")))
	s.until(`document.querySelector('#gate-form input')`)
	s.capture("sign-in")
}

// firstRun gets a first reply in three actions: fill in, sign in, ask.
func (s *stateWalk) firstRun() {
	s.tab.signIn("#gate-form", "Alice", "acme")
	s.until(`document.querySelector('.suggestion:enabled')`)
	s.capture("first-run")
}

const sampleReply = "A member can keep a tool for seven days. A loan can be extended once by another seven days, unless somebody else has reserved the tool. " +
	"Up to five tools can be borrowed at the same time.\n\nFrom “Harbour Street Tool Library: member handbook”, version 1."

func (s *stateWalk) sending() {
	gate := make(chan struct{})
	s.api.fail(http.MethodPost, messagesPath, 1, slowly(gate))
	s.click(".suggestion")
	s.untilState("sending")
	s.capture("sending")
	close(gate)
}

func (s *stateWalk) taskStates() {
	s.untilState("waiting")
	s.capture("waiting")

	s.api.setTask(func(k *task) {
		running(k)
		k.createdAt = time.Now().Add(-7 * time.Second)
	})
	s.untilState("working")
	s.until(`document.querySelector('.elapsed').textContent.includes(' s')`)
	s.capture("working")

	s.api.setTask(func(k *task) {
		secondAttempt(k)
		k.createdAt = time.Now().Add(-43 * time.Second)
	})
	s.untilState("again")
	s.wantText(".card", "Second attempt: the first worker stopped answering.")
	s.capture("second-attempt")

	s.api.setTask(completed(sampleReply))
	s.untilState("saved")
	s.wantText(".reply-text", "seven days")
	s.capture("saved")

	s.click(".card-details summary")
	s.wantText(".card .facts", "2, 1 of them with unknown outcome")
	s.capture("details")
	s.click(".card-details summary")

	s.click(`[data-action="regenerate"]`)
	s.untilState("waiting")
	s.capture("regenerating")
	s.api.setTask(completed("Seven days. The loan can be extended once, by another seven days.\n\nFrom “Harbour Street Tool Library: member handbook”, version 1."))
	s.untilState("saved")
	s.until(`document.querySelector('.reply-older')`)
	s.capture("regenerated")

	s.ask("And what if I bring a tool back a week late?")
	s.untilState("waiting")
	s.click(`.card[data-state="waiting"] [data-action="stop"]`)
	s.untilState("stopped")
	s.capture("stopped")

	s.ask("Which petrol machines will be bought next year?")
	s.untilState("waiting")
	s.api.setTask(failed("provider_quota"))
	s.untilState("failed")
	s.capture("failed")
}

func (s *stateWalk) trouble() {
	s.api.fail(http.MethodPost, messagesPath, 1, refuse(http.StatusRequestEntityTooLarge, "message_too_large", nil))
	s.ask("A question that the service finds too long.")
	s.untilState("refused")
	s.capture("refused")
	s.click(`[data-action="dismiss"]`)

	// A question that nobody answers, brought to its end at once: the schedule
	// itself has a test of its own.
	s.api.fail(http.MethodPost, messagesPath, 100, dropBefore)
	s.ask("Can I reserve the scaffold tower for next Saturday?")
	s.untilState("resending")
	s.capture("resending")
	eval[int](s.tab, `(() => {
		const key = Object.keys(localStorage).find((name) => name.includes('item/'));
		localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), tries: 7, nextAt: 0, state: 'unknown' }));
		dispatchEvent(new StorageEvent('storage', { key }));
		return 0;
	})()`)
	s.untilState("unknown")
	s.capture("unknown")
	s.captureIn("unknown", highContrast)
	s.see(looks[0])
	s.api.heal()
	s.click(`[data-action="try-again"]`)
	s.untilState("waiting")
	s.api.setTask(completed("Tools can be reserved by telephone or at the desk, at most four weeks ahead."))
	s.until(`document.querySelectorAll('.card[data-state="saved"]').length === 2`)

	s.ask("Are the opening hours the same in August?")
	s.untilState("waiting")
	s.api.mu.Lock()
	s.api.revoked = true
	s.api.mu.Unlock()
	s.until(`document.querySelector('#sign-in-again').open`)
	s.capture("signed-out")
	s.tab.signIn("#sign-in-again-form", "Alice", "acme")
	s.until(`!document.querySelector('#sign-in-again').open`)
	s.api.setTask(completed("The library is open on Tuesday and Thursday evenings from 17:00 to 20:00."))
	s.until(`document.querySelectorAll('.card[data-state="saved"]').length === 3`)
}

// offline has a tab of its own, because a page that comes from this machine is
// never offline.
func (s *stateWalk) offline() {
	other := &stateWalk{tab: newTab(s.t), api: newFakeAPI(s.t), folder: s.folder, axe: s.axe}
	conversation := other.api.seedConversation()
	other.openAt(other.api.pageURL(plainHost)).enter(conversation)
	other.ask("Are the opening hours the same in August?")
	other.untilState("waiting")
	other.api.setTask(completed(sampleReply))
	other.untilState("saved")
	setOffline(other.tab, true)
	other.ask("Can I reserve the scaffold tower for next Saturday?")
	other.untilState("offline")
	other.capture("offline")
}

func (s *stateWalk) dialogs() {
	s.click("#add-document")
	s.capture("add-document")
	s.click("#document-form [data-close]")
	s.click("#read")
	s.until(`document.querySelector('#reader-text').textContent.includes('Harbour Street')`)
	s.capture("reader")
	s.click("#reader [data-close]")
	s.click(`.shelf [data-open="about"]`)
	s.capture("about")
	s.click("#about [data-close]")
	s.library()
	eval[string](s.tab, `location.hash = '#/'`)
	s.until(`document.querySelector('.home-recent')`)
	s.capture("home")
	eval[string](s.tab, `location.hash = '#/c/01JDZ000000000000000000000'`)
	s.until(`document.querySelector('#room-title').textContent === 'Not found'`)
	s.capture("not-found")
	if left := strings.TrimSpace(s.text("#banner-text")); left != "" {
		s.t.Errorf("the banner still says %q", left)
	}
}
