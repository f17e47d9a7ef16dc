package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestCaseM9StopBeforeTheReply(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	api.onAccept = running
	b.ask("Can I stop this?")
	b.untilState("working")
	b.click(`[data-action="stop"]`)
	b.untilState("stopped")
	b.do(chromedp.Reload())
	b.untilState("stopped")
	b.wantText(".card .advice", "No reply was saved")
}

func TestCaseM9ReplyBeforeTheStop(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	api.onAccept = running
	b.ask("What if the reply was faster?")
	b.untilState("working")
	api.fail(http.MethodGet, tasksPath, 100, unavailable("30"))
	api.setTask(completed("Then it stays."))
	b.click(`[data-action="stop"]`)
	b.untilState("saved")
	b.wantText(".reply-text", "Then it stays.")
}

func TestCaseM9ClosingTheTabIsNoStop(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	api.onAccept = running
	b.ask("Does closing stop it?")
	b.untilState("working")
	b.do(chromedp.Navigate("about:blank"))
	time.Sleep(200 * time.Millisecond)
	if n := len(api.sent(http.MethodPost, `/cancel$`)); n != 0 {
		t.Errorf("%d cancels by closing", n)
	}
}

func TestPageStopIsRepeatedAndMayStayUnconfirmed(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(fastClock)
	b.openRoom(api)
	api.onAccept = running
	api.fail(http.MethodPost, `/cancel$`, 3, unavailable(""))
	b.ask("Is a lost Stop repeated?")
	b.untilState("working")
	b.click(`[data-action="stop"]`)
	b.until(`document.querySelector('.card-note').textContent.includes('did not confirm')`)
	b.click(`[data-action="stop"]`)
	b.untilState("stopped")
}

func TestPageRegenerateIsOneNewTask(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	b.ask("How long can I keep a tool?")
	b.untilState("waiting")
	api.setTask(completed("Seven days."))
	b.untilState("saved")
	b.wantText(".cost", "may cost another call")
	b.do(chromedp.DoubleClick(chromedp.CSS(`[data-action="regenerate"]`)))
	b.untilState("waiting")
	b.wantText(".reply-text", "Seven days.")
	api.setTask(completed("For a week."))
	b.until(`document.querySelectorAll('.reply-older').length === 1 && document.querySelector('.card').dataset.state === 'saved'`)
	regenerations := api.sent(http.MethodPost, `/regenerate$`)
	if len(regenerations) != 1 || regenerations[0].key == api.sent(http.MethodPost, messagesPath)[0].key {
		t.Errorf("regenerations: %+v", regenerations)
	}
	texts := eval[[]string](b, `[...document.querySelectorAll('.reply-text')].map((reply) => reply.textContent)`)
	if !slices.Equal(texts, []string{"Seven days.", "For a week."}) {
		t.Errorf("replies %q, want both in order", texts)
	}
	if n := b.count(".card"); n != 1 {
		t.Errorf("%d cards for one question", n)
	}
}

func TestPageFailedQuestionIsEditedOrAskedAgain(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	api.onAccept = failed("declined")
	b.ask("A question that is declined")
	b.untilState("failed")
	api.onAccept = nil
	b.click(`[data-action="ask-again"]`)
	b.untilState("waiting")
	api.setTask(failed("deadline"))
	b.untilState("failed")
	b.click(`[data-action="edit"]`)
	b.insert(", in other words")
	b.enterKey(0)
	b.untilState("waiting")
	submits := api.sent(http.MethodPost, messagesPath)
	if last := submits[len(submits)-1]; !strings.Contains(last.body, "A question that is declined, in other words") || last.key == submits[0].key {
		t.Errorf("the edited question went out as %+v", last)
	}
}

func TestPageSendsTheHistoryThatItShows(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	for i := range 2 {
		b.ask(fmt.Sprintf("Question %d", i))
		b.untilState("waiting")
		api.setTask(completed(fmt.Sprintf("Reply %d", i)))
		b.until(fmt.Sprintf(`document.querySelectorAll('.card[data-state="saved"]').length === %d`, i+1))
	}
	b.click(`.card:first-child [data-action="regenerate"]`)
	b.untilState("waiting")
	api.setTask(completed("Reply 0, anew"))
	b.until(`document.querySelectorAll('.card[data-state="saved"]').length === 2`)
	b.ask("Question 2")
	b.untilState("waiting")

	submits := api.sent(http.MethodPost, messagesPath)
	var body struct {
		Version int      `json:"version"`
		History []string `json:"history"`
	}
	if err := json.Unmarshal([]byte(submits[len(submits)-1].body), &body); err != nil {
		t.Fatal(err)
	}
	// Tasks in the order of their making: question 0, question 1, 0 anew.
	want := []string{api.store.tasks[2].id, api.store.tasks[1].id}
	if !slices.Equal(body.History, want) || body.Version != 1 {
		t.Errorf("history %v with version %d, want the newest reply of each question %v and version 1", body.History, body.Version, want)
	}
}

func TestPageHistoryIsPaged(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	conversation := api.seedConversation()
	api.mu.Lock()
	s := &api.store
	add := func(i int) {
		m := &message{id: s.newID(), conversation: conversation, text: fmt.Sprintf("Question %02d", i), document: s.documents[0].id, version: 1, history: []string{}, createdAt: time.Now()}
		s.messages = append(s.messages, m)
		completed(fmt.Sprintf("Reply %02d", i))(api.accept(conversation, m.id))
	}
	for i := range 25 {
		add(i)
	}
	// The first question was asked once more, lately.
	completed("Reply 00, anew")(api.accept(conversation, s.messages[0].id))
	api.mu.Unlock()

	b.open(api)
	b.enter(conversation)
	b.until(`!document.querySelector('#earlier').hidden`)
	b.wantText(".card:last-child", "Reply 00, anew")
	b.wantText(".card:last-child", "A reply to an earlier question")
	for i := 0; i < 5 && eval[bool](b, `!document.querySelector('#earlier').hidden`); i++ {
		cards := b.count(".card")
		b.click("#earlier")
		b.until(fmt.Sprintf(`document.querySelectorAll('.card').length > %d`, cards))
	}
	questions := eval[[]string](b, `[...document.querySelectorAll('.card-question')].map((question) => question.textContent)`)
	if len(questions) != 25 || !slices.IsSorted(questions) {
		t.Errorf("%d questions, in order: %v; want all 25 once", len(questions), slices.IsSorted(questions))
	}
	if n := b.count(".card:first-child .reply-text"); n != 2 {
		t.Errorf("the first question shows %d replies, want 2", n)
	}
}

func TestPageShowsTextAsText(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	evil := `<img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`
	b.ask(evil)
	b.untilState("waiting")
	api.setTask(completed(evil))
	b.untilState("saved")
	if got := b.text(".card-question"); got != evil {
		t.Errorf("the question is shown as %q", got)
	}
	if n := b.count(".card img, .card script"); n != 0 {
		t.Errorf("%d elements came out of a text", n)
	}
}

// TestPageAnnouncesOnce listens to the live region as a screen reader does.
func TestPageAnnouncesOnce(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.openRoom(api)
	eval[int](b, `(window.said = [], new MutationObserver(() => window.said.push(document.querySelector('#status').textContent))
		.observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true }), 0)`)
	b.ask("Do you repeat yourself?")
	b.untilState("waiting")
	time.Sleep(300 * time.Millisecond)
	api.setTask(running)
	b.untilState("working")
	time.Sleep(2200 * time.Millisecond) // two more polls
	api.setTask(completed("No."))
	b.untilState("saved")
	time.Sleep(300 * time.Millisecond)
	said := eval[[]string](b, `window.said`)
	all := strings.Join(said, "\n")
	for _, text := range []string{"Waiting for a worker.", "Working on your reply.", "Saved."} {
		if n := strings.Count(all, text); n != 1 {
			t.Errorf("%q was said %d times, want once; all of it:\n%s", text, n, all)
		}
	}
}

func TestPageListsArePaged(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	b.inject(pretendHidden)
	b.inject(fastClock)
	for range 45 {
		api.seedConversation()
	}
	b.open(api)
	for _, want := range []int{20, 40, 45} {
		b.until(fmt.Sprintf(`document.querySelectorAll('#documents li').length === %d && document.querySelectorAll('#conversations li').length === %d`, want, want))
		if want < 45 {
			b.click("#documents-more")
			b.click("#conversations-more")
		}
	}
	if eval[bool](b, `!document.querySelector('#documents-more').hidden || !document.querySelector('#conversations-more').hidden`) {
		t.Error("there is more to show after the last page")
	}
	// Somebody adds a document meanwhile; it is there when the person comes back.
	eval[bool](b, `window.hide(true)`)
	api.seedConversation()
	time.Sleep(500 * time.Millisecond)
	eval[bool](b, `window.hide(false)`)
	b.until(`document.querySelectorAll('#documents li').length === 46`)
}

// TestPageFirstQuestionRefused: the question never got a conversation; editing
// it leads back to its document, with the text.
func TestPageFirstQuestionRefused(t *testing.T) {
	t.Parallel()
	api, b := newFakeAPI(t), newTab(t)
	api.seedConversation()
	b.open(api)
	eval[string](b, `location.hash = '#/d/01JDZ000000000000000000001'`)
	b.until(`!document.querySelector('#room').hidden && document.querySelector('#version').value`)
	api.fail(http.MethodPost, `/v1/conversations$`, 1, refuse(http.StatusBadRequest, "field_invalid", nil))
	b.ask("A first question that is refused")
	b.untilState("refused")
	b.click(`[data-action="edit"]`)
	b.until(`location.hash === '#/d/01JDZ000000000000000000001' && document.querySelector('#question').value === 'A first question that is refused'`)
	b.enterKey(0)
	b.untilState("waiting")
	api.oneQuestion(t)
}
