package observe

import (
	"encoding/json"
	"strings"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/history"
)

// Placeholders of writes of versions.
const (
	ofWriter   = ":writer"
	ofPipeline = ":pipeline"
)

// documentOf reads whose partition a key is in.
func documentOf(pk string) (workspace, id string, ok bool) {
	workspace, scope, _, err := dynamoschema.ParseEntryKey(dynamoschema.Key{PK: pk, SK: dynamoschema.EntryPrefix + "0"})
	id, isDocument := strings.CutPrefix(scope, document.ScopeOf(""))
	return workspace, id, err == nil && isDocument && id != ""
}

// versionOf reads which version a key describes.
func versionOf(key map[string]value) (history.Index, bool) {
	workspace, id, ok := documentOf(key[dynamoschema.PK].S)
	number, err := dynamoschema.ParseVersionSK(key[dynamoschema.SK].S)
	return history.Index{Workspace: workspace, Document: id, Version: number}, ok && err == nil
}

// parseVersion reads an update of a version, alone or as the first one of the
// transaction that publishes it.
func parseVersion(u update) (history.Index, bool) {
	w, ok := versionOf(u.Key)
	if !ok {
		return w, false
	}
	w.Pipeline, w.Writer = u.Values[ofPipeline].S, u.Values[ofWriter].number()
	switch state := document.State(u.set(dynamoschema.State).S); {
	case u.has(":" + dynamoschema.IndexWriter):
		w.What, w.Writer = history.IndexTake, u.set(dynamoschema.IndexWriter).number()
	case state == document.Ready:
		w.What = history.IndexPublish
		w.Count, w.Manifest = int(u.set(dynamoschema.IndexEntries).number()), u.set(dynamoschema.IndexManifest).S
	case state == document.Failed && u.has(ofWriter):
		w.What, w.Reason = history.IndexFail, u.set(dynamoschema.IndexFailure).S
	case state == document.Failed:
		w.What, w.Reason = history.IndexClose, u.set(dynamoschema.IndexFailure).S
	}
	return w, w.What != ""
}

// action is what of a transaction's action is looked at when it is about a version.
type action struct {
	Put struct {
		Item map[string]json.RawMessage `json:"Item"`
	} `json:"Put"`
	Update         update `json:"Update"`
	ConditionCheck update `json:"ConditionCheck"`
}

// parseEntries reads the transaction that publishes a version or writes entries.
func parseEntries(r *faultproxy.Request) (history.Index, bool) {
	var t struct {
		Items []action `json:"TransactItems"`
	}
	if r.Decode(&t) != nil || len(t.Items) == 0 {
		return history.Index{}, false
	}
	if w, ok := parseVersion(t.Items[0].Update); ok {
		w.Current = w.Version // the actions behind it move the pointer
		return w, true
	}
	check := t.Items[0].ConditionCheck
	w, ok := versionOf(check.Key)
	if !ok {
		return history.Index{}, false
	}
	w.What, w.Pipeline, w.Writer = history.IndexEntries, check.Values[ofPipeline].S, check.Values[ofWriter].number()
	for _, a := range t.Items[1:] {
		if e, ok := entryOf(a.Put.Item); ok {
			w.Entries = append(w.Entries, e)
		}
	}
	return w, len(w.Entries) > 0
}

func entryOf(item map[string]json.RawMessage) (history.IndexEntry, bool) {
	field := func(name string) (v value) {
		_ = json.Unmarshal(item[name], &v) // what cannot be read is empty
		return v
	}
	stage, part, err := dynamoschema.ParseIndexSK(field(dynamoschema.SK).S)
	return history.IndexEntry{
		Stage: stage, Part: part, Bytes: int(field(dynamoschema.Bytes).number()), SHA256: field(dynamoschema.SHA256).S,
	}, err == nil
}

var indexOps = map[string]drills.Op{
	history.IndexTake: drills.TakeVersion, history.IndexEntries: drills.WriteEntries, history.IndexPublish: drills.PublishVersion,
	history.IndexFail: drills.FailVersion, history.IndexClose: drills.FailVersion,
}

// indexing is a write of a version or of its entries.
func indexing(caller string, w history.Index) passing {
	return passing{
		op: indexOps[w.What], scope: document.ScopeOf(w.Document),
		sent: func(log *drills.Log) int64 {
			return log.Record(history.Event{Actor: caller, Kind: history.IndexSent, Index: &w})
		},
		stored: func(log *drills.Log, sent int64, _ *faultproxy.Response) {
			log.Record(history.Event{Actor: "store", Kind: history.Indexed, Op: sent, Index: &w})
		},
		done: func(log *drills.Log, sent int64, e end) {
			log.Record(history.Event{Actor: caller, Kind: history.IndexDone, Op: sent, Outcome: e.outcome()})
		},
	}
}

// lookingAt is a read in a document's partition. It leaves no event, and waits for a
// write that is landing: nobody may be shown a write that has no event yet.
func lookingAt(pk string) (passing, bool) {
	_, id, ok := documentOf(pk)
	return passing{
		op: "read_document", scope: document.ScopeOf(id),
		sent:   func(*drills.Log) int64 { return 0 },
		stored: func(*drills.Log, int64, *faultproxy.Response) {},
		done:   func(*drills.Log, int64, end) {},
	}, ok
}

// querying is a read of several items of a document.
func querying(r *faultproxy.Request) (passing, bool) {
	var q struct {
		Values map[string]value `json:"ExpressionAttributeValues"`
	}
	if r.Decode(&q) != nil {
		return passing{}, false
	}
	for _, v := range q.Values {
		if p, ok := lookingAt(v.S); ok {
			return p, true
		}
	}
	return passing{}, false
}

// versionMade reads the version that a creating transaction makes.
func versionMade(some map[string]value) (history.Version, bool) {
	w, ok := versionOf(some)
	if !ok {
		return history.Version{}, false
	}
	v := history.Version{
		Workspace: w.Workspace, Document: w.Document, Number: w.Version, State: some[dynamoschema.State].S, SHA256: some[dynamoschema.SHA256].S,
	}
	if v.State == "" { // read whole, and current at once
		v.State, v.Current = string(document.Ready), v.Number
	}
	if some[dynamoschema.SourceObject].S != "" {
		v.SHA256 = "" // of the file, not of its text
	}
	return v, true
}
