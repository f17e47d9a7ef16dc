package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/providertest"
)

const (
	// sceneLimit bounds one scenario: more than a task's deadline and a recovery take.
	sceneLimit = 40 * time.Second
	// pollEvery is how often the browser looks. The page waits as long as Retry-After says; here nobody
	// wants to sit through that.
	pollEvery = 200 * time.Millisecond
)

var errSceneLimit = errors.New("the scenario takes too long")

// scene is a scenario that plays: one conversation, one press of Send.
type scene struct {
	*world
	scenario     scenario
	conversation string
	question     string
	key          string
	body         []byte
	rules        []*faultproxy.Installed
	known        chan struct{} // closed when the browser knows its task

	mu   sync.Mutex
	task string   // "" until known
	seen []string // provider requests, in order of arrival
}

// newScene prepares a conversation and what the provider does with its question.
func (w *world) newScene(ctx context.Context, sc scenario) (*scene, error) {
	s := &scene{world: w, scenario: sc, question: sc.question, key: browser.NewKey(), known: make(chan struct{})}
	var err error
	if s.conversation, err = w.ada.CreateConversation(ctx, w.document, sc.title); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if s.body, err = browser.Question(s.question, w.document, documentVersion); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if _, err := w.provider.Script(providertest.Script{Match: s.question, Steps: sc.provider}); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return s, nil
}

// end takes back what the scenario did to the stack, however it went.
func (s *scene) end() {
	for _, rule := range s.rules {
		rule.Remove()
	}
	for i := range workers {
		_ = s.stack.ThawWorker(i + 1) // one that is not frozen stays as it is
	}
	s.provider.Release(s.gate())
}

// scope is the task scope of the scene's conversation.
func (s *scene) scope() string { return conversation.Scope(s.conversation) }

// gate is where the provider holds an answer, if the scenario says so.
func (s *scene) gate() string { return gateOf(s.question) }

// gateOf names the gate of a question's answer.
func gateOf(question string) string { return "answer to " + question }

// mute tells which lines would only repeat themselves.
func (s *scene) mute(message string) bool { return slices.Contains(s.scenario.muted, message) }

// tell adds to the story what somebody does now.
func (s *scene) tell(lane, format string, args ...any) {
	s.story.Add(time.Now(), lane, fmt.Sprintf(format, args...))
}

// asked counts a provider request with the scene's question.
func (s *scene) asked(event providertest.Event) {
	if event.Question != s.question {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, event.RequestID)
}

// requestNumber counts the scene's provider requests from 1.
func (s *scene) requestNumber(id string) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.seen, id)
	return i + 1, i >= 0
}

// send presses Send, or sends the same again.
func (s *scene) send(ctx context.Context) browser.Answer {
	answer := s.ada.Submit(ctx, s.conversation, s.key, s.body)
	s.learn(answer)
	return answer
}

func (s *scene) learn(answer browser.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.task == "" && answer.OK() && answer.Task != nil {
		s.task = answer.Task.ID
		close(s.known)
	}
}

// taskID is the task that the browser was given, "" before.
func (s *scene) taskID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.task
}

// ask presses Send and expects to be accepted.
func (s *scene) ask(ctx context.Context) error {
	s.tell("browser", "presses Send: “%s”", s.question)
	answer := s.send(ctx)
	if err := answer.Want(http.StatusAccepted); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	s.tell("browser", "202, task %s", check.Short(answer.Task.ID))
	return nil
}

// askAndSee presses Send and waits for the end.
func (s *scene) askAndSee(ctx context.Context) error {
	if err := s.ask(ctx); err != nil {
		return err
	}
	return s.see(ctx)
}

// see polls until the task has ended.
func (s *scene) see(ctx context.Context) error {
	tag := ""
	for {
		answer := s.ada.Read(ctx, browser.TaskPath(s.conversation, s.taskID()), tag)
		if err := answer.Want(http.StatusOK, http.StatusNotModified); err != nil {
			return err //nolint:wrapcheck // says what it is
		}
		if answer.Status == http.StatusOK {
			tag = answer.ETag
			if answer.Task != nil && answer.Task.Ended() {
				s.tell("browser", "sees: %s", shown(*answer.Task))
				return nil
			}
		}
		if err := pause(ctx, pollEvery); err != nil {
			return fmt.Errorf("the browser sees no end of task %s: %w", s.taskID(), err)
		}
	}
}

func shown(t browser.Task) string {
	if t.Reply != nil {
		return t.Status + ", “" + t.Reply.Text + "”"
	}
	if t.Failure != nil {
		return t.Status + ", " + t.Failure.Reason
	}
	return t.Status
}

// stop presses Stop.
func (s *scene) stop(ctx context.Context, wanted int) error {
	answer := s.ada.Stop(ctx, s.conversation, s.taskID())
	if err := answer.Want(wanted); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if answer.Task == nil {
		return fmt.Errorf("the answer to Stop shows no task")
	}
	s.tell("browser", "presses Stop: %d, the task is %s", answer.Status, answer.Task.Status)
	return nil
}

// line waits until somebody logs one of the messages about the scene's task.
func (s *scene) line(ctx context.Context, process string, messages ...string) (check.Line, error) {
	line, err := s.lines.Wait(ctx, func(l check.Line) bool {
		return l.Task == s.taskID() && slices.Contains(messages, l.Message) && (process == "" || l.Process == process)
	})
	if err != nil {
		return check.Line{}, fmt.Errorf("nobody logs %q: %w", messages, err)
	}
	return line, nil
}

// refusal waits until a process has logged that one of these writes was refused.
func (s *scene) refusal(ctx context.Context, process string, kinds ...journal.Kind) error {
	_, err := s.lines.Wait(ctx, func(l check.Line) bool {
		return l.Task == s.taskID() && l.Process == process && l.Message == check.LineRefused && slices.Contains(kinds, journal.Kind(l.Operation))
	})
	if err != nil {
		return fmt.Errorf("%s does not log a refused write %v: %w", process, kinds, err)
	}
	return nil
}

// providerEvent waits for an event of the scene's n-th provider request.
func (s *scene) providerEvent(ctx context.Context, n int, kind providertest.EventKind) error {
	_, err := s.provider.events.Wait(ctx, func(e providertest.Event) bool {
		number, asked := s.requestNumber(e.RequestID)
		return asked && number == n && e.Kind == kind
	})
	if err != nil {
		return fmt.Errorf("request %d at the provider: no event %q: %w", n, kind, err)
	}
	return nil
}

// written waits for a write of the scene's task.
func (s *scene) written(ctx context.Context, match func(journal.Write) bool) (journal.Write, error) {
	w, err := s.journal.Writes.Wait(ctx, func(w journal.Write) bool { return w.Ref.Scope == s.scope() && match(w) })
	if err != nil {
		return journal.Write{}, fmt.Errorf("no such write reaches the store: %w", err)
	}
	return w, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
