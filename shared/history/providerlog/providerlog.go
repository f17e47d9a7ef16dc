// Package providerlog turns the log of the scripted provider into events of a
// history: the calls that the promises are judged against.
package providerlog

import (
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/providertest"
)

// Actor is the name of the provider in a history.
const Actor = "provider"

// kinds are the events of the log that a history has. Look-ups and what happens
// at gates are no requests.
var kinds = map[providertest.EventKind]history.Kind{
	providertest.EventReceived:  history.CallReceived,
	providertest.EventStarted:   history.CallStarted,
	providertest.EventGenerated: history.CallAnswered,
	providertest.EventRefused:   history.CallAnswered,
	providertest.EventReplayed:  history.CallAnswered,
	providertest.EventDelivered: history.CallDelivered,
}

// Events describes a log, for history.Join and history.Assemble. taskOf says
// which task a received request is for, by its question, its key or its prompt;
// requests of no task give "" and are kept without one.
func Events(log []providertest.Event, taskOf func(providertest.Event) history.Ref) []history.Event {
	var events []history.Event
	received := map[string]int64{} // place of the receipt, from 1, by request id
	tasks := map[string]history.Ref{}
	for _, e := range log {
		kind, ours := kinds[e.Kind]
		place, known := received[e.RequestID]
		if !ours || (kind != history.CallReceived && !known) {
			continue
		}
		if kind == history.CallReceived {
			tasks[e.RequestID] = taskOf(e)
		}
		events = append(events, history.Event{
			At: e.At, Actor: Actor, Kind: kind, Op: place, Task: tasks[e.RequestID], Call: &history.Call{
				RequestID: e.RequestID, Key: e.Key, PromptSHA256: e.PromptSHA256, OperationID: e.Operation, Status: e.Status,
				Replayed: e.Kind == providertest.EventReplayed, Outcome: outcome(e.Kind),
			},
		})
		if kind == history.CallReceived {
			received[e.RequestID] = int64(len(events))
		}
	}
	return events
}

func outcome(kind providertest.EventKind) string {
	switch kind { //nolint:exhaustive // the others decide on no answer
	case providertest.EventGenerated, providertest.EventReplayed:
		return history.CallAnswer
	case providertest.EventRefused:
		return history.CallRejected
	}
	return ""
}
