package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// tall are the looks for states that are longer than a window.
var tall = []look{
	{"desktop-tall", 1280, 2300, "light", "none", true},
	{"phone-tall", 390, 3000, "dark", "none", true},
}

// drillWalk is a walk through the states of the drills.
type drillWalk struct {
	*stateWalk
	drills *fakeDrills
}

func newDrillWalk(t *testing.T) *drillWalk {
	t.Helper()
	s := &drillWalk{newStateWalk(t), newFakeDrills(t)}
	s.api.drills = s.drills
	return s
}

func (s *drillWalk) long(state string) {
	s.t.Helper()
	for _, l := range tall {
		s.captureIn(state, l)
	}
	s.see(looks[0])
}

// listen keeps what is announced from now on.
func (b *tab) listen() {
	b.t.Helper()
	eval[bool](b, `(globalThis.announced = [], new MutationObserver(() => {
		const text = document.querySelector('#status').textContent;
		if (text) announced.push(text);
	}).observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true }), true)`)
}

// announced counts the announcements that contain a text.
func (b *tab) announced(text string) int {
	b.t.Helper()
	return eval[int](b, fmt.Sprintf(`announced.filter((said) => said.includes(%q)).length`, text))
}

// The tests below walk through what a person can meet in the failure drills,
// take pictures of it and let axe look at it.

// at opens the page at a place of the drills.
func (s *drillWalk) at(hash string) *drillWalk {
	s.t.Helper()
	s.open(s.api)
	s.until(`!document.querySelector('#open-drills').hidden`)
	eval[string](s.tab, fmt.Sprintf(`location.hash = %q`, hash))
	s.until(`document.querySelector('#drills-heading')`)
	s.listen()
	return s
}

func TestDrillsListed(t *testing.T) {
	t.Parallel()
	s := newDrillWalk(t)
	s.open(s.api)
	s.until(`!document.querySelector('#open-drills').hidden`)
	s.click("#open-drills a")
	s.until(`document.querySelectorAll('.drill').length > 30`)
	s.capture("drills-list")
	s.wantText(`.drill[data-status="not_playable"]`, "played in virtual time only")
	s.click(".drill:nth-child(11) summary")
	s.wantText(".drill:nth-child(11)", "The late save is refused")
	s.wantText(".drill:nth-child(11) h2", "D11")
	s.wantText(".drill:nth-child(11) .drill-state", "Not played yet")
	s.long("drills-list")
}

func TestDrillPlayed(t *testing.T) {
	t.Parallel()
	s := newDrillWalk(t).at("#/drills")
	s.click(".drill:nth-child(11) .drill-play button")
	s.until(`document.querySelector('.drill-status')?.textContent.startsWith('Getting ready: building')`)
	s.capture("drill-starting")

	whole := s.drills.details["D11"]
	s.drills.set(object{"state": "playing", "progress": "", "playing": playing(whole, 330)})
	s.until(`document.querySelector('.live .picture-svg')`)
	s.capture("drill-playing-early")
	s.drills.set(object{"playing": playing(whole, 4620)})
	s.until(`document.querySelector('.live .glyph-refused')`)
	s.long("drill-playing")

	// A reload, in the middle, finds the run by its number.
	s.do(chromedp.Reload())
	s.until(`document.querySelector('.live .glyph-refused')`)
	s.listen()
	s.drills.set(object{"state": "done", "playing": nil, "drills": []any{ended(whole)}})
	s.until(`document.querySelector('.technical .promises')`)
	s.until(`announced.length > 0`)
	if n := s.announced("As it must be"); n != 1 {
		s.t.Errorf("the verdict was announced %d times", n)
	}
	s.wantText(".verdict", "The question got one saved reply.")
	s.wantText(".acts .story", "its save is refused")
	s.wantText(".acts .story", "its hold is over: assignment 1")
	s.wantText(".acts .legend", "Another event")
	s.wantText(".drill-number", "Drill D11")
	s.capture("drill-passed")
	s.click(".acts .technical summary")
	s.wantText(".promises", "At most one reply is saved")
	s.click(".acts .story-details summary")
	s.long("drill-passed")
	s.captureIn("drill-passed", look{"forced-colors", 1280, 2300, "dark", "active", false})
	s.see(looks[0])

	// What was played before is not announced as if it had just ended.
	s.do(chromedp.Reload())
	s.until(`document.querySelector('.verdict[data-verdict="passed"]')`)
	eval[bool](s.tab, `new Promise((done) => setTimeout(() => done(true), 500))`) // what is announced, is so within 150 ms
	if text := s.text("#status"); text != "" {
		s.t.Errorf("after a reload the page says %q", text)
	}
}

func TestDrillPlayedWithoutARule(t *testing.T) {
	t.Parallel()
	s := newDrillWalk(t).at("#/drills/D11")
	s.click(".breaks summary")
	s.capture("drill-breaks")
	if !eval[bool](s.tab, `document.querySelector('.breaks input[value="unfenced-save"]').checked`) {
		s.t.Error("the rule that the drill is about is not the one that is offered")
	}
	s.click(".breaks button")
	s.until(`document.querySelector('.drill-status').textContent.startsWith('Getting ready')`)
	s.drills.mu.Lock()
	last := s.drills.started[len(s.drills.started)-1]
	s.drills.mu.Unlock()
	if last["broken"] != "unfenced-save" {
		s.t.Errorf("the run was begun with %v", last)
	}
	whole := recorded(s.t, "D11-unfenced-save.json")
	s.drills.mu.Lock()
	s.drills.details["D11"] = whole
	s.drills.mu.Unlock()
	s.drills.set(object{"state": "playing", "progress": "", "playing": playing(whole, 4585)})
	s.until(`document.querySelector('.live .picture-svg')`)
	s.drills.set(object{"state": "done", "playing": nil, "drills": []any{ended(whole)}})
	s.until(`document.querySelector('.verdict[data-verdict="noticed"]')`)
	s.until(`document.querySelector('.acts .glyph-stale')`)
	s.wantText(".verdict", "Played without this rule: A worker must prove that the task is still its own")
	s.wantText(".verdict", "A worker that no longer had the task wrote all the same")
	s.wantText(".wrong", "Only the worker that holds the task now can save.")
	s.wantText(".wrong", "completed at assignment 1 although another assignment had the task")
	s.wantText(".verdict .figures", "the wrong one")
	s.wantText(".acts .story", "the wrong reply is saved")
	s.wantText(".acts .story", "the rightful worker is turned away")
	if eval[bool](s.tab, `Boolean(document.querySelector('.acts .glyph-saved, .acts .glyph-refused'))`) {
		s.t.Error("the wrong save looks like a success, or the refusal of the rightful worker like the protection at work")
	}
	s.until(`announced.some((said) => said.includes('Without the rule, it breaks'))`)
	s.capture("drill-broken")
	s.long("drill-broken")

	// The same without a rule taken away is a defect and says so.
	s.drills.mu.Lock()
	s.drills.newRun(object{"drills": []any{"D11"}})
	s.drills.mu.Unlock()
	s.drills.set(object{"state": "done", "drills": []any{ended(whole)}})
	s.do(chromedp.Reload())
	s.until(`document.querySelector('.verdict[data-verdict="failed"] + .picture')`)
	s.wantText(".verdict", "This is a defect")
	s.capture("drill-failed")
}

func TestDrillsAllPlayed(t *testing.T) {
	t.Parallel()
	s := newDrillWalk(t).at("#/drills")
	s.click(".drills-run .primary")
	s.until(`document.querySelector('.drill-status').textContent.startsWith('Getting ready')`)
	done := s.endAll(10, "")
	s.drills.set(object{"state": "playing", "progress": "", "playing": playing(s.drills.details["D11"], 4600), "drills": done})
	s.until(`document.querySelector('.drill[data-status="playing"]')`)
	s.wantText(".drill-status", "10 of 35 are over")
	s.capture("drills-playing")
	s.long("drills-playing")

	s.click(".drills-run .quiet")
	s.until(`document.querySelector('.drill-status').textContent === 'Stopping …'`)
	s.drills.set(object{"state": "stopped", "playing": nil})
	s.until(`document.querySelector('.drill-status').textContent.startsWith('Stopped. 10 drills')`)
	s.capture("drills-stopped")

	s.click(".drills-run .primary")
	s.until(`document.querySelector('.drill-status').textContent.startsWith('Getting ready')`)
	s.drills.set(object{"state": "playing", "drills": s.endAll(35, "D11")})
	s.drills.set(object{"state": "done"})
	s.until(`document.querySelector('.drill[data-status="failed"]')`)
	s.wantText(".drill-status", "1 drill of 35 did not end as it must: D11.")
	s.until(`announced.some((said) => said.includes('did not end as it must: D11.'))`)
	if n := s.announced("Not as it must be"); n != 1 {
		s.t.Errorf("the failure was announced %d times", n)
	}
	s.capture("drills-done")
}

// endAll ends as many of the playable drills, one of them badly.
func (s *drillWalk) endAll(n int, bad string) []any {
	var all []any
	for _, d := range s.drills.list["drills"].([]any) {
		drill := d.(object)
		if drill["playable"] != true || len(all) == n {
			continue
		}
		one := ended(s.drills.details["D11"])
		one["id"], one["name"] = drill["id"], drill["name"]
		if drill["id"] == bad {
			one["status"] = "failed"
		}
		// As many as the drill has, so that it is over.
		act := one["acts"].([]any)[0]
		acts := []any{act}
		for range max(len(drill["acts"].([]any)), 1) - 1 {
			acts = append(acts, act)
		}
		one["acts"] = acts
		all = append(all, one)
	}
	return all
}

func TestDrillsInTrouble(t *testing.T) {
	t.Parallel()
	s := newDrillWalk(t).at("#/drills")
	// It cannot start.
	s.click(".drills-run .primary")
	s.until(`document.querySelector('.drill-status').textContent.startsWith('Getting ready')`)
	s.drills.set(object{"state": "failed", "progress": "", "error": "build for drills: go build: exec: \"go\": executable file not found in $PATH"})
	s.until(`document.querySelector('.drill-trouble pre')`)
	s.wantText(".drill-trouble", "Go, and some free memory")
	s.capture("drills-failed-to-start")

	// Another tab's run is joined.
	s.drills.mu.Lock()
	s.drills.newRun(object{"drills": []any{"D07"}})
	s.drills.busy = true
	s.drills.mu.Unlock()
	s.click(".drills-run .primary")
	s.until(`document.querySelector('.drill-notice').textContent.includes('already under way')`)
	s.until(`document.querySelector('.drill-status').textContent.startsWith('Getting ready')`)
	s.capture("drills-joined")

	// Nobody answers, and then somebody does.
	s.drills.mu.Lock()
	s.drills.down = true
	s.drills.mu.Unlock()
	s.drills.set(object{})
	s.api.CloseClientConnections()
	s.until(`document.querySelector('.drill-trouble').textContent.includes('does not answer')`)
	s.capture("drills-silent")
	s.drills.mu.Lock()
	s.drills.down, s.drills.busy, s.drills.run = false, false, nil
	s.drills.mu.Unlock()
	s.until(`document.querySelector('.drill-trouble').textContent.includes('started anew')`)

	// A service without any.
	s.drills.mu.Lock()
	s.drills.list["drills"], s.drills.list["breaks"] = []any{}, []any{}
	s.drills.mu.Unlock()
	s.do(chromedp.Reload())
	s.until(`document.querySelector('.drills-page .drill-note:last-child')`)
	s.wantText(".drills-page", "This service has no drills.")
	s.capture("drills-empty")
}

// TestDrillsAreLeftAloneWhereNobodyLooks: a hidden page asks nothing, and one
// that is seen again asks at once.
func TestDrillsAreLeftAloneWhereNobodyLooks(t *testing.T) {
	t.Parallel()
	s := newDrillWalk(t)
	s.open(s.api)
	s.until(`!document.querySelector('#open-drills').hidden`)
	s.click("#open-drills a")
	s.until(`document.querySelector('.drills-run .primary:enabled')`)
	s.click(".drills-run .primary")
	s.until(`document.querySelector('.drill-status').textContent.startsWith('Getting ready: building')`)
	hide := func(hidden bool) {
		eval[bool](s.tab, fmt.Sprintf(`(Object.defineProperty(document, 'hidden', { value: %t, configurable: true }), document.dispatchEvent(new Event('visibilitychange')))`, hidden))
	}
	hide(true)
	before := s.drills.pollCount()
	for range 5 {
		s.drills.set(object{"progress": "starting the processes"})
	}
	eval[bool](s.tab, `new Promise((done) => setTimeout(() => done(true), 300))`)
	if after := s.drills.pollCount(); after > before {
		t.Errorf("a hidden page was answered %d polls", after-before)
	}
	hide(false)
	s.until(`document.querySelector('.drill-status').textContent.includes('starting the processes')`)
}

// TestDrillsByKeyboard plays a drill without a mouse.
func TestDrillsByKeyboard(t *testing.T) {
	t.Parallel()
	s := newDrillWalk(t)
	s.open(s.api)
	s.until(`!document.querySelector('#open-drills').hidden`)
	eval[bool](s.tab, `(document.querySelector('#open-drills a').focus(), true)`)
	s.enterKey(0)
	s.until(`document.activeElement?.id === 'drills-heading'`)
	s.tabUntil(`document.activeElement?.textContent === 'A worker wakes up with an answer, too late'`)
	s.enterKey(0)
	s.until(`document.activeElement?.id === 'drills-heading' && document.activeElement.textContent.startsWith('A worker wakes up')`)
	s.tabUntil(`document.activeElement?.textContent === 'Play this drill'`)
	s.enterKey(0)
	s.until(`document.querySelector('.drill-status').textContent.startsWith('Getting ready')`)
	s.tabUntil(`document.activeElement?.textContent === 'Stop'`)
	s.enterKey(0)
	s.until(`document.querySelector('.drill-status').textContent === 'Stopping …'`)
	s.drills.mu.Lock()
	defer s.drills.mu.Unlock()
	if len(s.drills.started) != 1 || s.drills.stopped != 1 {
		t.Errorf("started %v, stopped %d times", s.drills.started, s.drills.stopped)
	}
}

// tabTo presses Tab until the focus is where it is wanted.
func (b *tab) tabUntil(expression string) {
	b.t.Helper()
	for range 80 {
		if eval[bool](b, expression) {
			return
		}
		b.press("\t")
	}
	b.t.Fatalf("Tab does not lead to %s", expression)
}

// TestNoDrillsElsewhere: a deployment has none, and its page asks for none.
func TestNoDrillsElsewhere(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.open(api) // whose drills answer 401
	eval[string](b, `location.hash = '#/drills'`)
	b.until(`location.hash === '#/drills' && !document.querySelector('#home').hidden`)
	if !eval[bool](b, `document.querySelector('#open-drills').hidden`) {
		t.Error("there is a link to drills")
	}
}

// TestDrillLogic runs the tests of the drills' pure modules.
func TestDrillLogic(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.do(chromedp.Navigate(api.pageURL("127.0.0.1")))
	for _, failure := range eval[[]string](b, `import('./testdata/drill_logic.js').then((tests) => tests.run())`) {
		t.Error(strings.TrimSpace(failure))
	}
}
