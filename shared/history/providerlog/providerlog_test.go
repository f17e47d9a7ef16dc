package providerlog_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/providerlog"
	"github.com/replyonce/replyonce/shared/providertest"
)

func TestLogBecomesPartOfAHistory(t *testing.T) {
	t.Parallel()
	at := func(n int) time.Time { return time.Unix(int64(n), 0).UTC() }
	log := []providertest.Event{
		{At: at(1), Kind: providertest.EventReceived, RequestID: "p1", Question: "first", PromptSHA256: "ab"},
		{At: at(1), Kind: providertest.EventStarted, RequestID: "p1"},
		{At: at(2), Kind: providertest.EventReceived, RequestID: "p2", Question: "second"},
		{At: at(3), Kind: providertest.EventRefused, RequestID: "p2", Status: 429},
		{At: at(3), Kind: providertest.EventLookup, RequestID: "p3"},
		{At: at(3), Kind: providertest.EventDelivered, RequestID: "p3"}, // of the look-up
		{At: at(4), Kind: providertest.EventGenerated, RequestID: "p1"},
		{At: at(5), Kind: providertest.EventDelivered, RequestID: "p1", Status: 200},
	}
	calls := providerlog.Events(log, func(e providertest.Event) history.Ref { return history.Ref("acme/C#1/" + e.Question) })
	others := []history.Event{
		{At: at(0), Actor: "worker", Kind: history.ReadSent, Task: "acme/C#1/first"},
		{At: at(6), Actor: "worker", Kind: history.ReadDone, Op: 1, Task: "acme/C#1/first", Outcome: history.Missing},
	}
	h := history.Assemble(history.Header{}, history.Join(others, calls))
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		kind history.Kind
		op   int64
		task history.Ref
	}{
		{history.ReadSent, 0, "acme/C#1/first"},
		{history.CallReceived, 0, "acme/C#1/first"},
		{history.CallStarted, 2, "acme/C#1/first"},
		{history.CallReceived, 0, "acme/C#1/second"},
		{history.CallAnswered, 4, "acme/C#1/second"},
		{history.CallAnswered, 2, "acme/C#1/first"},
		{history.CallDelivered, 2, "acme/C#1/first"},
		{history.ReadDone, 1, "acme/C#1/first"},
	}
	if len(h.Events) != len(want) {
		t.Fatalf("%d events, want %d: %+v", len(h.Events), len(want), h.Events)
	}
	for i, w := range want {
		if e := h.Events[i]; e.Kind != w.kind || e.Op != w.op || e.Task != w.task {
			t.Errorf("event %d is %s of #%d for %s, want %+v", i+1, e.Kind, e.Op, e.Task, w)
		}
	}
}
