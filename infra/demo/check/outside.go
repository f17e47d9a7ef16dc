package check

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/shared/drills/browser"
)

// keysLead is P4: answers are grouped by their key; the first body that was sent under it is the request,
// any other is a misuse.
func keysLead(o Observations, v *verdict) string {
	byKey := map[string][]browser.Answer{}
	var keys []string
	for _, a := range o.Answers {
		if _, isSubmit := conversationOf(a); !isSubmit {
			continue
		}
		if byKey[a.Key] == nil {
			keys = append(keys, a.Key)
		}
		byKey[a.Key] = append(byKey[a.Key], a)
	}
	repeats, misuses := 0, 0
	accepted := map[string]int{} // tasks by conversation
	for _, key := range keys {
		r, m := keyLeads(byKey[key], v)
		repeats += r
		misuses += m
		conversation, _ := conversationOf(byKey[key][0])
		accepted[conversation]++
	}
	written(o, accepted, v)
	v.tested(repeats, "nothing was sent again")
	v.tested(misuses, "no key was used for another text")
	return fmt.Sprintf("%s, %s answered with the task, other texts refused: %d", plural(len(keys), "key"), plural(repeats, "repeat"), misuses)
}

// keyLeads checks the answers of one key.
func keyLeads(answers []browser.Answer, v *verdict) (repeats, misuses int) {
	task, fresh := "", 0
	for _, a := range answers {
		switch {
		case a.Sent != answers[0].Sent:
			misuses++
			if a.Status != http.StatusUnprocessableEntity {
				v.breaks("key %s with another text: answered %d", Short(a.Key), a.Status)
			}
		case !a.OK():
			// The connection broke or the function died: the browser does not know.
		case a.Task == nil:
			v.breaks("key %s: an answer names no task", Short(a.Key))
		case task != "" && a.Task.ID != task:
			v.breaks("key %s leads to the tasks %s and %s", Short(a.Key), Short(task), Short(a.Task.ID))
		default:
			task = a.Task.ID
			if a.Replayed {
				repeats++
			} else if fresh++; fresh > 1 {
				v.breaks("key %s was accepted twice as new", Short(a.Key))
			}
		}
	}
	if task == "" {
		v.breaks("key %s leads to no task", Short(answers[0].Key))
	}
	return repeats, misuses
}

// written compares what the table holds with what the keys account for.
func written(o Observations, accepted map[string]int, v *verdict) {
	tasks := map[string]int{}
	for _, t := range o.Tasks {
		tasks[t.Conversation]++
	}
	for conversation, messages := range o.Messages {
		if want := accepted[conversation]; messages != want || tasks[conversation] != want {
			v.breaks("conversation %s has %s and %s, its keys account for %d", Short(conversation),
				plural(messages, "message"), plural(tasks[conversation], "task"), want)
		}
	}
}

// conversationOf is the conversation that a question was sent to; false for other requests.
func conversationOf(a browser.Answer) (string, bool) {
	path, isSubmit := strings.CutSuffix(a.Path, "/messages")
	if !isSubmit || a.Method != http.MethodPost || a.Key == "" {
		return "", false
	}
	return path[strings.LastIndexByte(path, '/')+1:], true
}

// messagesGo is P7.
func messagesGo(o Observations, v *verdict) string {
	for _, d := range o.Deletions {
		switch {
		case d.Err != nil:
			v.breaks("task %s: its message was deleted, and then: %v", Short(d.Ref.ID), d.Err)
		case !d.Task.Status.Ended() && d.Task.HandoffDueAt.IsZero():
			v.breaks("task %s: its message was deleted while it was %s without a due time", Short(d.Ref.ID), d.Task.Status)
		}
	}
	for _, t := range o.Tasks {
		if t.Status.Ended() != t.HandoffDueAt.IsZero() {
			v.breaks("task %s is %s and due at %s", Short(t.ID), t.Status, t.HandoffDueAt)
		}
	}
	for queue, left := range o.Left {
		if left != (QueueLeft{}) {
			v.breaks("%s holds %d visible, %d hidden and %d delayed messages%s", queue, left.Visible, left.InFlight, left.Delayed, undeleted(o))
		}
	}
	v.tested(len(o.Deletions), "no message was deleted")
	v.tested(len(o.Left), "no queue was looked at")
	return plural(len(o.Deletions), "deletion") + ", queues empty"
}

// undeleted names the messages that were handed out and are not deleted.
func undeleted(o Observations) string {
	last := map[string]journal.Delivery{}
	for _, d := range o.Delivered {
		last[d.Message] = d
	}
	for _, d := range o.Deletions {
		delete(last, d.Message)
	}
	text := ""
	for _, d := range last {
		text += fmt.Sprintf("; one of task %s, handed out for the last time at %s (%d)", Short(d.Ref.ID), d.At.UTC().Format("15:04:05.000"), d.Receives)
	}
	return text
}

// othersShutOut is P11.
func othersShutOut(o Observations, v *verdict) string {
	for _, a := range o.Others {
		if a.Status != http.StatusNotFound || a.Code != "not_found" {
			v.breaks("%s: %s %s was answered %d %s", a.Who, a.Method, a.Path, a.Status, a.Code)
		}
	}
	for _, t := range o.Tasks {
		if t.Later != t.Task {
			v.breaks("task %s has changed while others tried to get at it", Short(t.ID))
		}
	}
	v.tested(len(o.Others), "nobody else tried")
	return plural(len(o.Others), "request") + " of others"
}
