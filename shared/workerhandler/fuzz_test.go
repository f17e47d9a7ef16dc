package workerhandler_test

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/taskflow"
)

// everyTask is done at once.
type everyTask struct{}

func (everyTask) Run(_ context.Context, d taskflow.Delivery) taskflow.Action {
	if d.ReceiveCount%2 == 1 {
		return taskflow.Action{Kind: taskflow.Wait, After: time.Second}
	}
	return taskflow.Action{Kind: taskflow.Delete}
}

// FuzzBatch feeds whole events of the queue to the handler: it reports no message
// that it was not given, and no error, which would bring the whole batch back.
func FuzzBatch(f *testing.F) {
	f.Add([]byte(`{"Records":[{"messageId":"m1","receiptHandle":"r1","body":"{}","attributes":{"ApproximateReceiveCount":"x"}}]}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		var batch events.SQSEvent
		if json.Unmarshal(payload, &batch) != nil || len(batch.Records) > 100 {
			return
		}
		response, err := handler(everyTask{}, &hidden{}, io.Discard).Handle(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		for _, failure := range response.BatchItemFailures {
			if !slices.ContainsFunc(batch.Records, func(r events.SQSMessage) bool { return r.MessageId == failure.ItemIdentifier }) {
				t.Errorf("%q is reported and was not in the batch", failure.ItemIdentifier)
			}
		}
	})
}
