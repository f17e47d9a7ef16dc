// Package journal reads the requests that pass the fault proxy and keeps what they say of tasks: every
// conditional write with its outcome, every delivery and every deletion of a message. It is a witness
// beside the functions' own logs, which it does not read.
package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/infra/demo/feed"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// readLimit bounds a read of a task in the middle of an exchange, whose sender waits for it.
const readLimit = 5 * time.Second

// Tasks reads tasks strongly consistently.
type Tasks interface {
	Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error)
}

// Delivery is a message that was handed out.
type Delivery struct {
	At       time.Time
	Ref      worktask.Ref
	Message  string // the queue's id
	Receipt  string
	Receives int // how often the message was handed out, this time included
}

// Deletion is a message that was deleted, and the task as it was right after that.
type Deletion struct {
	At      time.Time
	Ref     worktask.Ref
	Message string // the queue's id
	Task    worktask.Task
	Err     error // the task could not be read
}

// Journal is the record. It is safe for concurrent use.
type Journal struct {
	Writes     *feed.Feed[Write]
	Deliveries *feed.Feed[Delivery]
	Deletions  *feed.Feed[Deletion]

	tasks Tasks
}

// New returns an empty journal that reads tasks from the given store.
func New(tasks Tasks) *Journal {
	return &Journal{Writes: feed.New[Write](), Deliveries: feed.New[Delivery](), Deletions: feed.New[Deletion](), tasks: tasks}
}

// Observe is for [faultproxy.Proxy.Observe]. It looks at exchanges that have an answer; one whose answer
// was lost on purpose is noted by the action that lost it.
func (j *Journal) Observe(exchange faultproxy.Exchange) {
	if exchange.Err == nil && exchange.Response != nil {
		j.note(context.Background(), exchange.Request, exchange.Response, false)
	}
}

// LoseAnswer is [faultproxy.LoseAnswer] that notes what the sender does not hear. ctx bounds what is read
// for the record.
func (j *Journal) LoseAnswer(ctx context.Context) faultproxy.Action {
	return func(r *faultproxy.Request, forward faultproxy.Forward) (*faultproxy.Response, error) {
		if response, err := forward(); err == nil {
			j.note(ctx, r, response, true)
		}
		return nil, faultproxy.ErrCut
	}
}

func (j *Journal) note(ctx context.Context, r *faultproxy.Request, response *faultproxy.Response, lost bool) {
	switch r.Operation {
	case "dynamodb.UpdateItem":
		if write, ok := ParseWrite(r); ok {
			write.settle(response, lost)
			j.readEnd(ctx, &write)
			j.Writes.Add(write)
		}
	case "sqs.ReceiveMessage":
		j.delivered(response)
	case "sqs.DeleteMessageBatch":
		j.deleted(ctx, r, response)
	}
}

// readEnd keeps the task as the write that ended it left it: nothing may change it from then on.
func (j *Journal) readEnd(ctx context.Context, write *Write) {
	if !write.Landed || !write.Status.Ended() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	write.Task, write.Err = j.tasks.Get(ctx, write.Ref)
}

// received is the answer of ReceiveMessage:
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
type received struct {
	Messages []struct {
		ID         string `json:"MessageId"`
		Receipt    string `json:"ReceiptHandle"`
		Body       string `json:"Body"`
		Attributes struct {
			Receives json.Number `json:"ApproximateReceiveCount"`
		} `json:"Attributes"`
	} `json:"Messages"`
}

func (j *Journal) delivered(response *faultproxy.Response) {
	var got received
	if response.Status != http.StatusOK || json.Unmarshal(response.Body, &got) != nil {
		return
	}
	for _, message := range got.Messages {
		ref, err := sqsqueue.Decode(message.Body)
		if err != nil {
			continue // not a handoff
		}
		receives, _ := message.Attributes.Receives.Int64() // 0 when the queue does not say
		j.Deliveries.Add(Delivery{
			At: time.Now(), Ref: ref, Message: message.ID, Receipt: message.Receipt, Receives: int(receives),
		})
	}
}

// deletion is the request DeleteMessageBatch, and the part of its answer that names what was not deleted.
type deletion struct {
	Entries []struct {
		ID      string `json:"Id"`
		Receipt string `json:"ReceiptHandle"`
	} `json:"Entries"`
}

type deletionAnswer struct {
	Failed []struct {
		ID string `json:"Id"`
	} `json:"Failed"`
}

func (j *Journal) deleted(ctx context.Context, r *faultproxy.Request, response *faultproxy.Response) {
	var asked deletion
	var answer deletionAnswer
	if response.Status != http.StatusOK || r.Decode(&asked) != nil || json.Unmarshal(response.Body, &answer) != nil {
		return
	}
	failed := map[string]bool{}
	for _, entry := range answer.Failed {
		failed[entry.ID] = true
	}
	for _, entry := range asked.Entries {
		if delivery, known := j.find(entry.Receipt); known && !failed[entry.ID] {
			j.Deletions.Add(j.deletion(ctx, delivery))
		}
	}
}

// deletion reads the task. Only this moment tells whether the message was still needed.
func (j *Journal) deletion(ctx context.Context, of Delivery) Deletion {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	task, err := j.tasks.Get(ctx, of.Ref)
	if err != nil {
		err = fmt.Errorf("read task of a deleted message: %w", err)
	}
	return Deletion{At: time.Now(), Ref: of.Ref, Message: of.Message, Task: task, Err: err}
}

// TaskOf finds the task of a delivered message by its receipt handle.
func (j *Journal) TaskOf(receipt string) (worktask.Ref, bool) {
	delivery, known := j.find(receipt)
	return delivery.Ref, known
}

func (j *Journal) find(receipt string) (Delivery, bool) {
	for _, delivery := range j.Deliveries.All() {
		if delivery.Receipt == receipt {
			return delivery, true
		}
	}
	return Delivery{}, false
}
