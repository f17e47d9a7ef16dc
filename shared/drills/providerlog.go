package drills

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/providerlog"
	"github.com/replyonce/replyonce/shared/providertest"
)

// Asks makes requests with a question part of the record: they belong to tasks
// of the scope.
func (l *Log) Asks(question, scope string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.questions[question] = scope
}

// AsksUnder is Asks for one of several questions of a scope: requests with it
// belong to the tasks that were made under its keys.
func (l *Log) AsksUnder(key, question string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.questions[question], l.keys[key] = question, question
}

// asked is what a task that was made under a key is found by: its question, or
// its scope where that has only one.
func (l *Log) asked(key, scope string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if question, known := l.keys[key]; known {
		return question
	}
	return scope
}

// providerKinds are the events of the provider's log that a history has.
var providerKinds = map[providertest.EventKind]history.Kind{
	providertest.EventReceived:  history.CallReceived,
	providertest.EventStarted:   history.CallStarted,
	providertest.EventGenerated: history.CallAnswered,
	providertest.EventRefused:   history.CallAnswered,
	providertest.EventReplayed:  history.CallAnswered,
	providertest.EventDelivered: history.CallDelivered,
}

// Provided records an event of the provider's log as it happens.
func (l *Log) Provided(e providertest.Event) {
	kind, known := providerKinds[e.Kind]
	if !known {
		l.ended(e)
		return
	}
	l.mu.Lock()
	begun := l.requests[e.RequestID]
	about, asked := l.questions[e.Question]
	l.mu.Unlock()
	call := history.Call{
		RequestID: e.RequestID, Key: e.Key, PromptSHA256: e.PromptSHA256, OperationID: e.Operation, Status: e.Status,
		Replayed: e.Kind == providertest.EventReplayed,
	}
	event := history.Event{Actor: providerlog.Actor, Kind: kind, Call: &call, Op: begun.seq, Task: begun.task}
	switch {
	case kind == history.CallReceived && asked:
		event.Task, event.Op = l.taskAsking(about), 0
	case kind == history.CallReceived || begun.seq == 0:
		return // a request of an earlier act, or of nobody's
	}
	seq := l.Record(event)
	if kind == history.CallReceived {
		l.mu.Lock()
		l.requests[e.RequestID] = request{seq, event.Task}
		l.mu.Unlock()
	}
}

// ended notes what a history has no event for: a connection that ended without
// an answer.
func (l *Log) ended(e providertest.Event) {
	l.mu.Lock()
	begun := l.requests[e.RequestID]
	l.mu.Unlock()
	if begun.seq == 0 {
		return
	}
	switch e.Kind { //nolint:exhaustive // the others are of no interest to people
	case providertest.EventCut:
		l.Note("the provider has worked on %s, and the line is cut", e.RequestID)
	case providertest.EventGone:
		l.Note("the caller of %s hangs up", e.RequestID)
	case providertest.EventLost:
		l.Note("the answer to %s finds nobody", e.RequestID)
	case providertest.EventLookup:
		l.Note("the answer to %s is looked up", e.RequestID)
	}
}

// request is a request at the provider.
type request struct {
	seq  int64
	task history.Ref
}

// taskAsking is the task with the question that has a claim for which no request
// has come yet: the provider knows no tasks, and two tasks may ask the same.
func (l *Log) taskAsking(about string) history.Ref {
	l.asking.mu.Lock()
	defer l.asking.mu.Unlock()
	for _, e := range l.After(l.asking.read) {
		l.asking.read = e.Seq
		switch {
		case e.Kind == history.Created && e.Task != "":
			found := l.asked(e.Creation.Record.Key, e.Task.Parts().Scope)
			l.asking.tasks[found] = append(l.asking.tasks[found], e.Task)
		case e.Kind == history.Stored && e.Write.Transition == history.Claim: // one that looks up makes no request
			l.asking.balance[e.Task]++
		case e.Kind == history.CallReceived:
			l.asking.balance[e.Task]--
		}
	}
	tasks := l.asking.tasks[about]
	for _, task := range tasks {
		if l.asking.balance[task] > 0 {
			return task
		}
	}
	if len(tasks) == 0 {
		return ""
	}
	return tasks[len(tasks)-1]
}

// asking is what the record says of claims and requests, as far as it was read.
type asking struct {
	mu      sync.Mutex
	read    int64                    // order number of the last event taken in
	tasks   map[string][]history.Ref // by what they are found by, in the order in which they were made
	balance map[history.Ref]int      // claims without a request
}

// ProviderSink reads the provider's log as it is written: one JSON object per
// write. log is the record of the act that is played at that moment.
type ProviderSink func() *Log

// Write implements io.Writer.
func (log ProviderSink) Write(line []byte) (int, error) {
	var event providertest.Event
	if err := json.Unmarshal(line, &event); err != nil {
		return 0, fmt.Errorf("read log of the provider: %w", err)
	}
	log().Provided(event)
	return len(line), nil
}
