// Package check decides which promises held in a run, from what was really observed: the final items of
// the table, every HTTP answer that a browser got, every conditional write with its outcome, the lines
// of the workers' logs, the provider's own log, and the queues.
//
// A promise that the run did not put to the test counts as broken: a check that looks at nothing proves
// nothing.
package check

import (
	"time"

	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Observations are what was seen of a run.
type Observations struct {
	Timers    worktask.Timers
	Tasks     []Task               // every task of every conversation, as the table has them
	Messages  map[string]int       // messages by conversation, as the table has them
	Answers   []browser.Answer     // what the browser got
	Others    []browser.Answer     // what other callers got for the ids of the run
	Writes    []journal.Write      // conditional writes of tasks
	Delivered []journal.Delivery   // messages, each time that they were handed out
	Deletions []journal.Deletion   // of messages
	Requests  []Request            // that arrived at the provider, in order
	Counted   int                  // requests that the provider's own log has
	Lines     []Line               // of the workers' logs
	Left      map[string]QueueLeft // what is in the queues at the end, by their names
}

// Task is a task at the end of the run.
type Task struct {
	worktask.Task
	Conversation string
	Evidence     []worktask.Evidence
	Later        worktask.Task // read again, after other callers had tried to get at it
}

// Request is one request that the provider counted, and the task at the moment in which it arrived.
type Request struct {
	ID       string // the provider's
	Task     string // "" when no task has the question
	Recorded int    // calls recorded on the task
	Status   worktask.Status
}

// Line is a line of a worker's log about a task.
type Line struct {
	At        time.Time
	Process   string
	Message   string
	Task      string
	Version   int64  // assignment version, 0 when the line has none
	Operation string // of a refused write
	Reason    string
}

// The messages of workers that are looked at.
const (
	LineClaimed   = "task claimed"
	LineTakenOver = "task taken over"
	LineSaved     = "reply saved"
	LineReleased  = "task released"
	LineRefused   = "write refused"
	LineHeld      = "another worker holds the task"
	LineEnded     = "task has ended already"
	LineCancelled = "call cancelled"
)

// QueueLeft is what a queue holds.
type QueueLeft struct{ Visible, InFlight, Delayed int }

// Promise is one promise and what became of it.
type Promise struct {
	ID     string // such as "P1"
	Text   string
	Seen   string   // what was put to the test, in numbers
	Broken []string // what was found against it; empty when it held
}

// Held reports whether nothing was found against the promise.
func (p Promise) Held() bool { return len(p.Broken) == 0 }

// writesOf are the writes of one task.
func (o Observations) writesOf(task string) []journal.Write {
	var writes []journal.Write
	for _, w := range o.Writes {
		if w.Ref.ID == task {
			writes = append(writes, w)
		}
	}
	return writes
}

// linesOf are the lines about one task that have one of the messages.
func (o Observations) linesOf(task string, messages ...string) []Line {
	var lines []Line
	for _, l := range o.Lines {
		for _, m := range messages {
			if l.Task == task && l.Message == m {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// requestsOf counts the provider's requests for one task.
func (o Observations) requestsOf(task string) int {
	n := 0
	for _, r := range o.Requests {
		if r.Task == task {
			n++
		}
	}
	return n
}

// answersAbout are the browser's answers that show one task, in order of arrival.
func (o Observations) answersAbout(task string) []browser.Answer {
	var answers []browser.Answer
	for _, a := range o.Answers {
		if a.Task != nil && a.Task.ID == task {
			answers = append(answers, a)
		}
	}
	return answers
}
