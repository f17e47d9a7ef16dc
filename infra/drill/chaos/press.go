package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// press is one press of Send or Regenerate, which is sent under its key until the
// browser knows what became of it.
type press struct {
	who          *drills.Person
	operation    string
	conversation string
	document     string
	key          string
	question     string
	body         []byte // of a submit
	message      string // that another reply is asked for

	mu   sync.Mutex
	task *browser.Task // as it was shown last; nil: not answered yet
}

// send sends it once, and keeps the task that the answer shows.
func (p *press) send(ctx context.Context) (browser.Answer, error) {
	request := history.Request{Operation: p.operation, Key: p.key, Fingerprint: history.Hash(p.conversation + "\n" + p.message + "\n" + string(p.body))}
	a := p.who.Ask(request, "", func() browser.Answer {
		if p.operation == conversation.OperationRegenerate {
			return p.who.Regenerate(ctx, p.conversation, p.message, p.key)
		}
		return p.who.Submit(ctx, p.conversation, p.key, p.body)
	})
	if !a.OK() || a.Task == nil {
		return a, nil
	}
	return a, p.learn(a.Task)
}

func (p *press) learn(task *browser.Task) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.task != nil && p.task.ID != task.ID {
		return fmt.Errorf("key %s was answered with task %s and with task %s", p.key, p.task.ID, task.ID)
	}
	p.task = task
	return nil
}

// shown is the task as it was shown last; nil: not answered yet.
func (p *press) shown() *browser.Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.task
}

// ref addresses the task; the zero value before it is known.
func (p *press) ref() worktask.Ref {
	task := p.shown()
	if task == nil {
		return worktask.Ref{}
	}
	return conversation.TaskRef(p.who.Workspace, p.conversation, task.ID)
}

// resolve sends it until it is answered with a task. Only what a browser does not
// repeat by itself is an error: a refusal.
func (p *press) resolve(ctx context.Context, random *rand.Rand) error {
	for {
		a, err := p.send(ctx)
		switch {
		case err != nil:
			return err
		case a.OK() && a.Task != nil:
			return nil
		case !again(a):
			return fmt.Errorf("key %s: %w", p.key, a.Want(http.StatusAccepted, http.StatusOK))
		}
		if err := pause(ctx, random, 100*time.Millisecond, 400*time.Millisecond); err != nil {
			return fmt.Errorf("key %s is not answered: %w", p.key, err)
		}
	}
}

// again reports whether a browser sends the same once more: it has no answer, or
// one that asks for patience.
func again(a browser.Answer) bool {
	return a.Err != nil || a.Status >= http.StatusInternalServerError || a.Status == http.StatusConflict || a.Status == http.StatusTooManyRequests
}

// read looks at the task once.
func (p *press) read(ctx context.Context, by *drills.Person, tag string) browser.Answer {
	ref := p.ref()
	request := history.Request{Operation: history.OperationRead, IfNoneMatch: tag}
	return by.Ask(request, history.RefOf(ref), func() browser.Answer {
		return by.Read(ctx, browser.TaskPath(p.conversation, ref.ID), tag)
	})
}

// ended polls until the task has ended.
func (p *press) ended(ctx context.Context, random *rand.Rand) error {
	tag := ""
	for {
		a := p.read(ctx, p.who, tag)
		switch {
		case a.Status == http.StatusOK && a.Task != nil:
			tag = a.ETag
			if err := p.learn(a.Task); err != nil {
				return err
			}
			if a.Task.Ended() {
				return nil
			}
		case a.Status != http.StatusNotModified && !again(a):
			return a.Want(http.StatusOK) //nolint:wrapcheck // says what it is
		}
		if err := pause(ctx, random, 250*time.Millisecond, 600*time.Millisecond); err != nil {
			return fmt.Errorf("the browser sees no end of task %s: %w", p.ref().ID, err)
		}
	}
}

// stop presses Stop until it is answered: the task is cancelled, or has ended
// otherwise.
func (p *press) stop(ctx context.Context, random *rand.Rand) error {
	ref := p.ref()
	for {
		a := p.who.Ask(history.Request{Operation: history.OperationCancel}, history.RefOf(ref), func() browser.Answer {
			return p.who.Stop(ctx, p.conversation, ref.ID)
		})
		if a.OK() || (a.Status == http.StatusConflict && a.Task != nil) {
			return nil
		}
		if !again(a) {
			return a.Want(http.StatusOK, http.StatusConflict) //nolint:wrapcheck // says what it is
		}
		if err := pause(ctx, random, 100*time.Millisecond, 400*time.Millisecond); err != nil {
			return fmt.Errorf("stop of task %s is not answered: %w", ref.ID, err)
		}
	}
}

// pause waits between two times, by lot.
func pause(ctx context.Context, random *rand.Rand, least, most time.Duration) error {
	return wait(ctx, least+time.Duration(random.Int64N(int64(most-least))))
}

// wait lets time go by.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ledger has every press, in the order in which they were made.
type ledger struct {
	mu            sync.Mutex
	presses       []*press
	conversations []opened
	wrong         []error
}

// opened is a conversation and whose it is.
type opened struct {
	who *drills.Person
	id  string
}

func (l *ledger) add(p *press) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.presses = append(l.presses, p)
}

func (l *ledger) open(who *drills.Person, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conversations = append(l.conversations, opened{who, id})
}

// deviates notes what is not as it must be. What only time has ended is noted by
// whoever gave the time.
func (l *ledger) deviates(err error) {
	if err == nil || errors.Is(err, errOver) || errors.Is(err, context.Canceled) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong = append(l.wrong, err)
}

func (l *ledger) all() []*press {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*press(nil), l.presses...)
}

func (l *ledger) opened() []opened {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]opened(nil), l.conversations...)
}

func (l *ledger) deviations() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]error(nil), l.wrong...)
}

// recent is one of the latest tasks, which may have ended; the zero value when
// there is none.
func (l *ledger) recent(random *rand.Rand) worktask.Ref {
	const latest = 12
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.presses) == 0 {
		return worktask.Ref{}
	}
	from := max(0, len(l.presses)-latest)
	return l.presses[from+random.IntN(len(l.presses)-from)].ref()
}
