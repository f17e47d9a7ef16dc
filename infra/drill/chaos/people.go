package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/replyonce/replyonce/infra/drill/onemachine"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
)

// people work in three workspaces.
var people = []struct{ user, workspace string }{
	{"ada", "acme"}, {"ben", "acme"}, {"cleo", "acme"}, {"dan", "globex"}, {"eve", "globex"}, {"finn", "globex"}, {"gus", "initech"}, {"hal", "initech"},
}

const (
	documentTitle = "House rules of the reading room"
	documentText  = `The reading room opens at nine and closes at six.
The librarian on duty decides when a dispute about a seat cannot be settled.
Members may borrow two volumes for three weeks; the catalogue shows who is next.
`
	documentVersion = 1
)

// The habits of people.
const (
	openAtOnce = 4 // questions whose answers somebody waits for before asking more
	perTalk    = 6 // questions in a conversation, on the average
	leastThink = 900 * time.Millisecond
	mostThink  = 2400 * time.Millisecond
)

// crowd is everybody who asks.
type crowd struct {
	world  *onemachine.World
	log    *drills.Log
	ledger *ledger
	all    []*someone
}

// someone is a person with the dice that decide what they do.
type someone struct {
	*drills.Person
	document string
	random   *rand.Rand
	asked    int
	open     chan struct{} // has room for the questions that may be open
	watching sync.WaitGroup
}

// gather signs everybody in and stores their documents.
func gather(ctx context.Context, w *onemachine.World, log *drills.Log, seed uint64) (*crowd, error) {
	c := &crowd{world: w, log: log, ledger: &ledger{}}
	for i, p := range people {
		b, err := w.SignIn(ctx, p.user, p.workspace)
		if err != nil {
			return nil, err //nolint:wrapcheck // says what it is
		}
		s := &someone{
			Person: drills.NewPerson(b, p.user, p.workspace, log), open: make(chan struct{}, openAtOnce),
			random: rand.New(rand.NewPCG(seed, uint64(i)+100)), //nolint:gosec // a run is to be repeated, not to be secret
		}
		if s.document, err = b.CreateDocument(ctx, documentTitle, documentText); err != nil {
			return nil, fmt.Errorf("store a document: %w", err)
		}
		c.all = append(c.all, s)
	}
	return c, nil
}

// close ends the connections of all browsers.
func (c *crowd) close() {
	for _, s := range c.all {
		s.Close()
	}
}

// ask lets everybody ask until running ends. It returns when every press is
// answered and every task has ended, or when whole ends.
func (c *crowd) ask(running, whole context.Context) {
	var asking sync.WaitGroup
	for _, s := range c.all {
		asking.Go(func() {
			c.askAs(running, whole, s)
			s.watching.Wait()
		})
	}
	asking.Wait()
}

// askAs is what one person does.
func (c *crowd) askAs(running, whole context.Context, s *someone) {
	talk, left := "", 0
	for pause(running, s.random, leastThink, mostThink) == nil {
		if left == 0 {
			id, err := c.openTalk(whole, s)
			if err != nil {
				c.ledger.deviates(err)
				continue
			}
			talk, left = id, 1+s.random.IntN(2*perTalk-1)
		}
		left--
		w := s.draw()
		p, err := c.question(s, talk)
		if err != nil {
			c.ledger.deviates(err)
			continue
		}
		select {
		case s.open <- struct{}{}:
		case <-running.Done():
			return
		}
		c.press(whole, s, p, w)
	}
}

// openTalk begins a conversation under one key, however often it has to be sent.
func (c *crowd) openTalk(ctx context.Context, s *someone) (string, error) {
	body, err := json.Marshal(map[string]string{"document": s.document, "title": documentTitle})
	if err != nil {
		return "", fmt.Errorf("begin a conversation: %w", err)
	}
	request := browser.Request{Method: http.MethodPost, Path: "/v1/conversations", Key: browser.NewKey(), Body: body}
	for {
		a := s.Do(ctx, request)
		if a.OK() {
			var made struct {
				ID string `json:"id"`
			}
			if err := a.Into(&made); err != nil {
				return "", err //nolint:wrapcheck // says what it is
			}
			c.log.Follow(conversation.Scope(made.ID))
			c.ledger.open(s.Person, made.ID)
			return made.ID, nil
		}
		if !again(a) {
			return "", a.Want(http.StatusCreated, http.StatusOK) //nolint:wrapcheck // says what it is
		}
		if err := pause(ctx, s.random, 100*time.Millisecond, 400*time.Millisecond); err != nil {
			return "", fmt.Errorf("no conversation could be begun: %w", err)
		}
	}
}

// question makes the press of a new question.
func (c *crowd) question(s *someone, talk string) (*press, error) {
	s.asked++
	text := fmt.Sprintf("Question %d of %s, with a provider that is %s?", s.asked, s.User, drawHabit(s.random).mark())
	body, err := browser.Question(text, s.document, documentVersion)
	if err != nil {
		return nil, err //nolint:wrapcheck // says what it is
	}
	p := &press{
		who: s.Person, operation: conversation.OperationSubmit, conversation: talk, document: s.document, key: browser.NewKey(),
		question: text, body: body,
	}
	c.log.AsksUnder(p.key, text)
	return p, nil
}

// whim is what somebody does with a question besides waiting for its answer.
type whim struct {
	twice      bool          // sends it twice at the same time
	reload     bool          // sends the same again when it has ended
	otherText  bool          // sends another text under the key
	stop       bool          // presses Stop
	stopAfter  time.Duration // by then
	regenerate bool          // asks for another reply when it has ended
	peek       *someone      // who looks at the task though it is none of their business
	random     *rand.Rand
}

func (s *someone) draw() whim {
	chance := func(percent int) bool { return s.random.IntN(100) < percent }
	return whim{
		twice: chance(12), reload: chance(8), otherText: chance(3), stop: chance(8), regenerate: chance(8),
		stopAfter: time.Duration(s.random.Int64N(int64(2 * time.Second))),
		random:    rand.New(rand.NewPCG(s.random.Uint64(), 1)), //nolint:gosec // likewise
	}
}

// press sends a question and, beside, sees to it until its task has ended.
func (c *crowd) press(ctx context.Context, s *someone, p *press, w whim) {
	c.ledger.add(p)
	if w.random.IntN(100) < 3 {
		w.peek = c.stranger(s, w.random)
	}
	s.watching.Go(func() {
		defer func() { <-s.open }()
		c.ledger.deviates(c.follow(ctx, p, w))
	})
}

// stranger is somebody of another workspace.
func (c *crowd) stranger(s *someone, random *rand.Rand) *someone {
	for {
		if other := c.all[random.IntN(len(c.all))]; other.Workspace != s.Workspace {
			return other
		}
	}
}

// follow is the life of a press.
func (c *crowd) follow(ctx context.Context, p *press, w whim) error {
	if w.twice {
		var second sync.WaitGroup
		other := rand.New(rand.NewPCG(w.random.Uint64(), 2)) //nolint:gosec // likewise
		second.Go(func() { c.ledger.deviates(p.resolve(ctx, other)) })
		defer second.Wait()
	}
	if err := p.resolve(ctx, w.random); err != nil {
		return err
	}
	if w.otherText {
		if err := c.reuse(ctx, p); err != nil {
			return err
		}
	}
	if w.peek != nil {
		if a := p.read(ctx, w.peek.Person, ""); a.OK() {
			return fmt.Errorf("%s was shown task %s of another workspace", w.peek.User, p.ref().ID)
		}
	}
	if w.stop {
		if err := wait(ctx, w.stopAfter); err != nil {
			return err
		}
		if err := p.stop(ctx, w.random); err != nil {
			return err
		}
	}
	if err := p.ended(ctx, w.random); err != nil {
		return err
	}
	if w.reload {
		if err := p.resolve(ctx, w.random); err != nil {
			return err
		}
	}
	if !w.regenerate {
		return nil
	}
	again := &press{
		who: p.who, operation: conversation.OperationRegenerate, conversation: p.conversation, document: p.document, key: browser.NewKey(),
		question: p.question, message: p.shown().Message,
	}
	c.log.AsksUnder(again.key, again.question)
	c.ledger.add(again)
	return c.follow(ctx, again, whim{random: w.random})
}

// reuse sends another text under the key of a question that was accepted.
func (c *crowd) reuse(ctx context.Context, p *press) error {
	other, err := browser.Question("Another question?", p.document, documentVersion)
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	request := history.Request{Operation: p.operation, Key: p.key, Fingerprint: history.Hash(string(other))}
	a := p.who.Ask(request, "", func() browser.Answer { return p.who.Submit(ctx, p.conversation, p.key, other) })
	if !again(a) && a.Status != http.StatusUnprocessableEntity {
		return fmt.Errorf("key %s was sent with another question: %w", p.key, a.Want(http.StatusUnprocessableEntity))
	}
	return nil
}
