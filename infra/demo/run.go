// Package demo plays the failures against a one-machine stack of its own and tells what happens as it
// happens. At the end a table shows what each scenario came to, and the promises are checked against
// everything that was observed.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/demo/timeline"
)

const (
	// startLimit bounds the start, which may build the functions first.
	startLimit = 10 * time.Minute
	// playLimit bounds everything after it.
	playLimit = 150 * time.Second
)

var (
	errStartLimit = errors.New("the stack takes too long to start")
	errPlayLimit  = errors.New("the demonstration takes too long")
	errStoreEnded = errors.New("the store has ended by itself")
)

// Options say where things are. The zero value builds the functions of the working directory's module.
type Options struct {
	Out      io.Writer // gets the timeline and the result
	Root     string    // the module's folder; "" looks for it from the working directory upwards
	Binaries string    // built functions; "" builds them
	DataDir  string    // where the stack keeps its data and its log
}

// Result is what the demonstration came to.
type Result struct {
	Rows     []Row
	Promises []check.Promise
	Took     time.Duration // without the start
}

// Good reports whether every scenario went as expected and every promise held.
func (r Result) Good() bool {
	for _, row := range r.Rows {
		if len(row.Deviations) > 0 {
			return false
		}
	}
	for _, promise := range r.Promises {
		if !promise.Held() {
			return false
		}
	}
	return len(r.Rows) > 0 && len(r.Promises) > 0
}

// Run plays everything and stops everything that it has started. An error means that the demonstration
// could not be played to its end; what it found is in the result.
func Run(ctx context.Context, o Options) (result Result, err error) {
	told := timeline.New(o.Out, time.Now)
	defer told.Close()
	starting, cancel := context.WithTimeoutCause(ctx, startLimit, errStartLimit)
	defer cancel()
	w, err := startWorld(starting, o, told)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, w.close()) }() //nolint:contextcheck // as in startWorld
	told.Print(fmt.Sprintf("stack at %s, %d workers, timers %q, scripted provider at %s\n", w.stack.URL(), workers, w.stack.Timers().Profile, w.provider.URL()))

	begun := time.Now()
	playing, stop := context.WithTimeoutCause(ctx, playLimit, errPlayLimit)
	defer stop()
	playing, fail := context.WithCancelCause(playing)
	defer fail(nil)
	go func() {
		select {
		case <-w.stack.Failed():
			fail(errStoreEnded)
		case <-playing.Done():
		}
	}()
	result.Rows, err = w.play(playing)
	if err == nil {
		result.Promises, err = w.judge(playing)
	}
	result.Took = time.Since(begun)
	told.Print(summary(result))
	return result, err
}

// play plays one scenario after the other: what one does to a worker must not disturb another.
func (w *world) play(ctx context.Context) ([]Row, error) {
	var rows []Row
	for i, sc := range scenarios() {
		s, err := w.newScene(ctx, sc)
		if err != nil {
			return rows, fmt.Errorf("scenario %d, %s: %w", i+1, sc.title, err)
		}
		row, err := w.playScene(ctx, i+1, s)
		rows = append(rows, row)
		if err != nil {
			return rows, fmt.Errorf("scenario %d, %s: %w", i+1, sc.title, err)
		}
	}
	return rows, nil
}

// playScene plays a scenario and waits until its messages are gone: one that is left would share a batch,
// and a worker's end, with a message of the next scenario. What goes wrong in it is a deviation of its row;
// an error ends the whole demonstration.
func (w *world) playScene(ctx context.Context, number int, s *scene) (Row, error) {
	w.story.Section(fmt.Sprintf("%d. %s", number, s.scenario.title))
	w.begin(s)
	begun := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, sceneLimit, errSceneLimit)
	failure := s.scenario.play(limited, s)
	cancel()
	took := time.Since(begun)
	s.end()
	left, err := w.drain(ctx)
	if ctx.Err() != nil {
		return Row{Scenario: s.scenario.title, Took: took, Deviations: []string{"not played to its end"}}, context.Cause(ctx)
	}
	if err != nil {
		return Row{Scenario: s.scenario.title, Took: took}, err
	}
	row, err := s.outcome(ctx)
	row.Took = took
	if failure != nil {
		row.Deviations = append([]string{failure.Error()}, row.Deviations...)
	}
	if !empty(left) {
		row.Deviations = append(row.Deviations, fmt.Sprintf("messages are left over: %+v", left))
	}
	s.tell("task", "%s", row)
	for _, deviation := range row.Deviations {
		s.tell("✗", "%s", deviation)
	}
	return row, err
}

// judge checks the promises.
func (w *world) judge(ctx context.Context) ([]check.Promise, error) {
	w.story.Print("\nreading every task again, trying every id as somebody else …\n")
	seen, err := w.observe(ctx)
	if err != nil {
		return nil, fmt.Errorf("look at the end: %w", err)
	}
	return check.Promises(seen), nil
}

func summary(r Result) string {
	text := "\n" + tableOf(r.Rows)
	if len(r.Promises) > 0 {
		text += "\n" + promisesText(r.Promises)
	}
	verdict := "every scenario went as expected, every promise held"
	if !r.Good() {
		verdict = "NOT as expected: see the marks ✗ above"
	}
	return fmt.Sprintf("%s\n%s (%.0f s)\n", text, verdict, r.Took.Seconds())
}
