package providerlog_test

import (
	"bytes"
	"testing"

	json "github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/providerlog"
	"github.com/replyonce/replyonce/shared/providertest"
)

// FuzzEvents reads a provider's log, one JSON object a line: each event of a
// history that is about a request points back to its receipt.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"event":"received","request_id":"req_1"}` + "\n" + `{"event":"generated","request_id":"req_1","status":200}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var log []providertest.Event
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			var e providertest.Event
			if json.Unmarshal(line, &e) == nil {
				log = append(log, e)
			}
		}
		list := providerlog.Events(log, func(providertest.Event) history.Ref { return "acme/C#c/t" })
		for i, e := range list {
			if e.Kind == history.CallReceived {
				continue
			}
			if e.Op < 1 || e.Op > int64(i) || list[e.Op-1].Kind != history.CallReceived || list[e.Op-1].Call.RequestID != e.Call.RequestID {
				t.Fatalf("event %d points to %d: %+v", i+1, e.Op, e)
			}
		}
	})
}
