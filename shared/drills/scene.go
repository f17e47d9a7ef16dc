package drills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/pausing"
)

// Who takes part.
const (
	workspace      = "acme"
	asker          = "ada"
	colleague      = "ben" // of the same workspace
	stranger       = "eve"
	otherWorkspace = "globex"
)

// The document that all questions are about.
const (
	documentTitle   = "House rules of the reading room"
	documentVersion = 1
	documentText    = `The reading room opens at nine and closes at six.
The librarian on duty decides when a dispute about a seat cannot be settled.
Members may borrow two volumes for three weeks; the catalogue shows who is next.
A volume that is overdue is asked for once in writing before the desk telephones.
`
)

// Scene is an act that is being played.
type Scene struct {
	World
	act      Act
	tag      string // makes the questions of this run unlike all others
	seed     uint64
	log      *Log
	ada      *Person
	document string
	threads  []*Thread

	mu   sync.Mutex
	undo []func()
	skew time.Duration // how far any clock was ever off
}

// newScene prepares the act: somebody signs in, stores the document and opens a
// conversation for each question.
func newScene(ctx context.Context, w World, d Drill, act Act, o Options) (*Scene, error) {
	s := &Scene{World: w, act: act, tag: d.ID + o.Tag, seed: o.Seed, log: w.Begin(d.ID)}
	var err error
	if s.ada, err = s.signIn(ctx, asker, workspace); err != nil {
		return s, err
	}
	if s.document, err = s.ada.CreateDocument(ctx, documentTitle, documentText); err != nil {
		return s, fmt.Errorf("store the document: %w", err)
	}
	s.log.Follow(document.ScopeOf(s.document))
	for i, ask := range act.Asks {
		if _, err := s.open(ctx, i, ask); err != nil {
			return s, err
		}
	}
	return s, nil
}

// one is the thread of an act that asks a single question.
func (s *Scene) one() *Thread { return s.threads[0] }

// later is undone when the act is over, the last first.
func (s *Scene) later(undo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undo = append(s.undo, undo)
}

// end takes back what the script did to the world, however it went.
func (s *Scene) end() {
	s.mu.Lock()
	undo := slices.Clone(s.undo)
	s.undo = nil
	s.mu.Unlock()
	for _, u := range slices.Backward(undo) {
		u()
	}
	for _, worker := range slices.Concat(s.Workers(), s.Indexers()) {
		s.Thaw(worker) // one that is not frozen stays as it is
	}
	for _, t := range s.threads {
		t.openGates()
	}
}

// kill ends a process, and says why.
func (s *Scene) kill(process, why string) {
	s.log.Note("kill -9 %s: %s", process, why)
	s.Kill(process)
}

func (s *Scene) freeze(process, why string) {
	s.log.Note("kill -STOP %s: %s", process, why)
	s.Freeze(process)
}

func (s *Scene) thaw(process, why string) {
	s.log.Note("kill -CONT %s: %s", process, why)
	s.Thaw(process)
}

// stepClock moves a process's wall clock until the act is over.
func (s *Scene) stepClock(process string, offset time.Duration) error {
	s.log.Note("the clock of %s is now %s off", process, offset)
	if err := s.StepClock(process, offset); err != nil {
		return fmt.Errorf("step the clock of %s: %w", process, err)
	}
	s.later(func() { _ = s.StepClock(process, 0) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew = max(s.skew, offset.Abs())
	return nil
}

// pass lets time go by.
func pass(ctx context.Context, d time.Duration) error {
	return pausing.For(ctx, d) //nolint:wrapcheck // the context's own cause
}

// until lets time go by until an instant of true time.
func (s *Scene) until(ctx context.Context, t time.Time) error { return pass(ctx, t.Sub(s.Now())) }

// moment is a pause for those who watch: what follows each other at once cannot
// be told apart in a picture.
func (s *Scene) moment(ctx context.Context) error { return pass(ctx, s.Timers().Lease/5) }

// together plays the threads at the same time.
func (s *Scene) together(ctx context.Context, play func(context.Context, *Thread) error) error {
	failures := make([]error, len(s.threads))
	var playing sync.WaitGroup
	for i, t := range s.threads {
		playing.Go(func() {
			if err := play(ctx, t); err != nil {
				failures[i] = fmt.Errorf("“%s”: %w", t.ask.Question, err)
			}
		})
	}
	playing.Wait()
	return errors.Join(failures...)
}

// open begins a conversation for a question and tells the provider what to do
// with it.
func (s *Scene) open(ctx context.Context, i int, ask Ask) (*Thread, error) {
	t := &Thread{subject: subject{scene: s}, ask: ask, person: s.ada, key: browser.NewKey(), question: fmt.Sprintf("%s [%s.%d]", ask.Question, s.tag, i+1)}
	var err error
	if t.conversation, err = s.ada.CreateConversation(ctx, s.document, ask.Question); err != nil {
		return nil, fmt.Errorf("begin a conversation: %w", err)
	}
	t.of = conversation.Scope(t.conversation)
	s.log.Follow(t.of)
	s.log.Asks(t.question, t.of)
	if t.body, err = browser.Question(t.question, s.document, documentVersion); err != nil {
		return nil, err //nolint:wrapcheck // says what it is
	}
	if provider := s.scripted(); provider != nil && len(ask.Steps) > 0 {
		if _, err := provider.Script(t.script()); err != nil {
			return nil, fmt.Errorf("tell the provider what to do: %w", err)
		}
	}
	s.threads = append(s.threads, t)
	return t, nil
}
