package observe

import (
	"encoding/json"
	"net/http"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/sqsqueue"
)

// queued looks at the requests of the event source: which messages were handed
// out, and which were deleted.
func (o *Observer) queued(log *drills.Log, r *faultproxy.Request, response *faultproxy.Response) {
	if response.Status != http.StatusOK {
		return
	}
	switch r.Operation {
	case "sqs.ReceiveMessage":
		o.delivered(log, response)
	case "sqs.DeleteMessageBatch":
		o.deleted(log, r, response)
	}
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

func (o *Observer) delivered(log *drills.Log, response *faultproxy.Response) {
	var answer received
	if json.Unmarshal(response.Body, &answer) != nil {
		return
	}
	for _, m := range answer.Messages {
		ref, err := sqsqueue.Decode(m.Body)
		if err != nil || !log.Follows(ref.Scope) {
			continue
		}
		o.mu.Lock()
		o.received[m.Receipt] = receipt{m.ID, ref}
		o.mu.Unlock()
		receives, _ := m.Attributes.Receives.Int64() // 0 when the queue does not say
		log.Record(history.Event{
			Actor: "queue", Kind: history.Delivered, Task: history.RefOf(ref), Message: &history.Message{ID: m.ID, ReceiveCount: int(receives)},
		})
	}
}

// deletion is the request DeleteMessageBatch, and the part of its answer that
// names what was not deleted.
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

func (o *Observer) deleted(log *drills.Log, r *faultproxy.Request, response *faultproxy.Response) {
	var asked deletion
	var answer deletionAnswer
	if r.Decode(&asked) != nil || json.Unmarshal(response.Body, &answer) != nil {
		return
	}
	kept := map[string]bool{}
	for _, entry := range answer.Failed {
		kept[entry.ID] = true
	}
	for _, entry := range asked.Entries {
		o.mu.Lock()
		message, known := o.received[entry.Receipt]
		o.mu.Unlock()
		if known && !kept[entry.ID] {
			log.Record(history.Event{Actor: "queue", Kind: history.Deleted, Task: history.RefOf(message.ref), Message: &history.Message{ID: message.id}})
		}
	}
}
