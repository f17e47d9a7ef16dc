package drills

import (
	"context"
	"fmt"
)

// The exact points of a script are requests on their way; the functions know
// nothing of them.

// subject is what a script is about: a conversation, or a document.
type subject struct {
	scene *Scene
	of    string // the scope of its tasks
}

func (t subject) scope() string { return t.of }

// about reports whether an event is about a task of the subject.
func (t subject) about(s Sight) bool { return s.Task.Parts().Scope == t.of }

// at catches the first request of a kind about the subject.
func (t subject) at(role Role, op Op, do Do) { t.atEach(role, op, 1, do) }

// atEach catches so many, 0 all, until the act is over.
func (t subject) atEach(role Role, op Op, times int, do Do) (remove func()) {
	remove = t.scene.At(Point{Role: role, Op: op, Scope: t.scope(), Times: times}, do)
	t.scene.later(remove)
	return remove
}

// killBefore ends the sender of a request, which then never arrives.
func (t subject) killBefore(role Role, op Op, why string) {
	t.at(role, op, func(p Passing) Fate {
		t.scene.kill(p.Process, why)
		return Unheard
	})
}

// killAfter lets a request arrive and ends its sender before it hears of it.
func (t subject) killAfter(role Role, op Op, why string) {
	t.at(role, op, func(p Passing) Fate {
		p.Forward()
		t.scene.kill(p.Process, why)
		return Unheard
	})
}

// loseAnswer lets a request arrive and ends the connection instead of answering.
func (t subject) loseAnswer(role Role, op Op) {
	t.at(role, op, func(p Passing) Fate {
		p.Forward()
		t.scene.log.Note("cut the line to %s: its %s has landed, and it does not hear so", p.Process, plainOp(op))
		return Unheard
	})
}

// deny answers requests of a kind with an error of the store or queue until
// remove is called.
func (t subject) deny(role Role, op Op, times int, fate Fate, why string) (remove func()) {
	return t.atEach(role, op, times, func(p Passing) Fate {
		t.scene.log.Note("%s of %s: %s", op, p.Process, why)
		return fate
	})
}

// stopped is a worker that was frozen with a write on its way.
type stopped struct {
	worker chan string
	arrive chan struct{}
	done   chan bool
}

// freezeAt freezes the sender of a request. The request itself waits until it is
// let go.
func (t subject) freezeAt(ctx context.Context, role Role, op Op, why string) *stopped {
	s := &stopped{worker: make(chan string, 1), arrive: make(chan struct{}), done: make(chan bool, 1)}
	t.at(role, op, func(p Passing) Fate {
		t.scene.freeze(p.Process, why)
		s.worker <- p.Process
		select {
		case <-s.arrive:
			s.done <- p.Forward()
			return Answered
		case <-ctx.Done():
			return Unheard
		}
	})
	return s
}

// met waits until a worker has come to the point.
func (s *stopped) met(ctx context.Context) (worker string, err error) {
	select {
	case worker = <-s.worker:
		return worker, nil
	case <-ctx.Done():
		return "", fmt.Errorf("no worker comes to the point: %w", context.Cause(ctx))
	}
}

// letGo lets the request arrive and reports whether it was done.
func (s *stopped) letGo(ctx context.Context) (landed bool, err error) {
	close(s.arrive)
	select {
	case landed = <-s.done:
		return landed, nil
	case <-ctx.Done():
		return false, fmt.Errorf("the held request does not arrive: %w", context.Cause(ctx))
	}
}
