package drills_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TestRequestsFindTheirTasks: in a conversation with several questions, a request
// belongs to the task with its question that has a claim to spare. A claim that
// only looks an operation up has none.
func TestRequestsFindTheirTasks(t *testing.T) {
	t.Parallel()
	const scope = "acme/C#1/"
	log := drills.NewLog(time.Now, "requests", worktask.Timers{})
	log.AsksUnder("key-a", "A?")
	log.AsksUnder("key-b", "B?")
	log.AsksUnder("key-a2", "A?") // one more reply to the first question
	made := func(task history.Ref, key string) {
		log.Record(history.Event{Kind: history.Created, Task: task, Creation: &history.Creation{Record: history.Record{Key: key}, Item: &history.Item{}}})
	}
	landed := func(task history.Ref, transition string) {
		log.Record(history.Event{Kind: history.Stored, Task: task, Write: &history.Write{Transition: transition}, After: &history.Item{}})
	}
	request := func(id, question string, want history.Ref) {
		t.Helper()
		log.Provided(providertest.Event{Kind: providertest.EventReceived, RequestID: id, Question: question})
		events := log.After(0)
		if last := events[len(events)-1]; last.Kind != history.CallReceived || last.Task != want {
			t.Errorf("request %s is recorded as %s of task %q, want one of %q", id, last.Kind, last.Task, want)
		}
	}
	made(scope+"a", "key-a")
	made(scope+"b", "key-b")
	landed(scope+"a", history.Claim)
	landed(scope+"b", history.Claim)
	request("1", "B?", scope+"b")
	request("2", "A?", scope+"a")
	landed(scope+"a", history.LookupClaim)
	made(scope+"a2", "key-a2")
	landed(scope+"a2", history.Claim)
	request("3", "A?", scope+"a2")
}
