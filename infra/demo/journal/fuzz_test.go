package journal_test

import (
	"testing"

	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/infra/local/faultproxy"
)

// FuzzParseWrite reads requests of any shape: a write is one of a task.
func FuzzParseWrite(f *testing.F) {
	f.Add([]byte(`{"Key":{"pk":{"S":"W#acme#C#c"},"sk":{"S":"ENTRY#t"}},"ExpressionAttributeValues":{":status":{"S":"running"},":none":{"N":"0"}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		write, ok := journal.ParseWrite(&faultproxy.Request{Caller: "worker-1", Operation: "dynamodb.UpdateItem", Body: body})
		if ok && (write.Ref.ID == "" || write.Kind == "") {
			t.Errorf("read as %+v", write)
		}
	})
}
