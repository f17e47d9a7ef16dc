package observe

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// parse finds out what a request is about; false: nothing that is recorded.
func (o *Observer) parse(r *faultproxy.Request) (passing, bool) {
	switch r.Operation {
	case "dynamodb.UpdateItem":
		if ref, write, ok := ParseUpdate(r, o.reserve); ok {
			return o.write(r.Caller, ref, write), true
		}
		var u update
		if r.Decode(&u) == nil {
			if w, ok := parseVersion(u); ok {
				return indexing(r.Caller, w), true
			}
		}
	case "dynamodb.TransactWriteItems":
		if m, ok := parseCreation(r); ok {
			return o.creating(r.Caller, m), true
		}
		if w, ok := parseEntries(r); ok {
			return indexing(r.Caller, w), true
		}
	case "dynamodb.GetItem":
		return o.reading(r)
	case "dynamodb.Query":
		return querying(r)
	case "dynamodb.PutItem":
		return evidence(r)
	case "sqs.SendMessage":
		return publishing(r)
	case "sqs.ChangeMessageVisibility":
		return o.hiding(r)
	}
	return passing{}, false
}

// write is a conditional write of a task.
func (o *Observer) write(caller string, ref worktask.Ref, w history.Write) passing {
	if w.Fenced() {
		o.mu.Lock()
		w.AssignmentID = o.owners[assignment{ref, w.AssignmentVersion}]
		o.mu.Unlock()
	}
	task := history.RefOf(ref)
	op := drills.Op(w.Transition)
	if w.Claims() {
		op = drills.Claim
	}
	return passing{
		op: op, ref: ref, scope: ref.Scope,
		sent: func(log *drills.Log) int64 {
			return log.Record(history.Event{Actor: caller, Kind: history.WriteSent, Task: task, Write: &w})
		},
		stored: func(log *drills.Log, sent int64, response *faultproxy.Response) {
			t, ok := itemAfter(ref, response)
			if !ok {
				return
			}
			if w.Claims() {
				o.mu.Lock()
				o.owners[assignment{ref, t.AssignmentVersion}] = t.AssignmentID
				o.mu.Unlock()
			}
			item := history.ItemOf(t)
			log.Record(history.Event{Actor: "store", Kind: history.Stored, Op: sent, Task: task, Write: &w, After: &item})
		},
		done: func(log *drills.Log, sent int64, e end) {
			event := history.Event{Actor: caller, Kind: history.WriteDone, Op: sent, Task: task, Outcome: e.outcome()}
			if e.fate == drills.Answered {
				if t, ok := itemAfter(ref, e.response); ok {
					item := history.ItemOf(t)
					event.Item = &item
				}
			}
			log.Record(event)
		},
	}
}

// itemAfter is the task in the answer to a write.
func itemAfter(ref worktask.Ref, response *faultproxy.Response) (worktask.Task, bool) {
	var a after
	if response == nil || json.Unmarshal(response.Body, &a) != nil {
		return worktask.Task{}, false
	}
	if response.Status == http.StatusOK {
		return taskOf(ref, a.Attributes)
	}
	return taskOf(ref, a.Item)
}

// creating is a transaction that makes a task, or a version.
func (o *Observer) creating(caller string, m made) passing {
	o.mu.Lock()
	if m.ref.ID != "" {
		o.tasks[m.ref.ID] = m.ref
	}
	for _, id := range m.messages {
		o.messages[id] = true
	}
	o.mu.Unlock()
	task := history.RefOf(m.ref)
	return passing{
		op: drills.Accept, ref: m.ref, scope: m.scope(),
		sent: func(log *drills.Log) int64 {
			return log.Record(history.Event{Actor: caller, Kind: history.CreateSent, Task: task, Creation: &m.creation})
		},
		stored: func(log *drills.Log, sent int64, _ *faultproxy.Response) {
			log.Record(history.Event{Actor: "store", Kind: history.Created, Op: sent, Task: task, Creation: &m.creation})
		},
		done: func(log *drills.Log, sent int64, e end) {
			log.Record(history.Event{Actor: caller, Kind: history.CreateDone, Op: sent, Task: task, Outcome: e.outcome()})
		},
	}
}

// got is the answer of GetItem.
type got struct {
	Item json.RawMessage `json:"Item"`
}

// reading is a strong read of a task or of an idempotency record.
func (o *Observer) reading(r *faultproxy.Request) (passing, bool) {
	var get struct {
		Key map[string]value `json:"Key"`
	}
	if r.Decode(&get) != nil {
		return passing{}, false
	}
	if ref, ok := refOf(get.Key); ok {
		o.mu.Lock()
		question := o.messages[ref.ID]
		o.mu.Unlock()
		return readingTask(r.Caller, ref), !question
	}
	if p, ok := lookingAt(get.Key[dynamoschema.PK].S); ok {
		return p, true
	}
	return readingRecord(r.Caller, dynamoschema.Key{PK: get.Key[dynamoschema.PK].S, SK: get.Key[dynamoschema.SK].S})
}

func readingTask(caller string, ref worktask.Ref) passing {
	task := history.RefOf(ref)
	return passing{
		op: "read", ref: ref, scope: ref.Scope,
		sent: func(log *drills.Log) int64 {
			return log.Record(history.Event{Actor: caller, Kind: history.ReadSent, Task: task})
		},
		stored: func(*drills.Log, int64, *faultproxy.Response) {}, // waits for a write that is landing
		done: func(log *drills.Log, sent int64, e end) {
			event := history.Event{Actor: caller, Kind: history.ReadDone, Op: sent, Task: task, Outcome: e.outcome()}
			if event.Outcome == history.Lost {
				event.Outcome = history.Unavailable // a read writes nothing
			}
			if event.Outcome == history.Landed {
				var answer got
				_ = json.Unmarshal(e.response.Body, &answer) // without an item there is no such task
				if t, ok := taskOf(ref, answer.Item); ok {
					item := history.ItemOf(t)
					event.Item = &item
				} else {
					event.Outcome = history.Missing
				}
			}
			log.Record(event)
		},
	}
}

func readingRecord(caller string, key dynamoschema.Key) (passing, bool) {
	scope, k, ok := parseRecordKey(key)
	if !ok || !makesTasks(scope.Operation) {
		return passing{}, false
	}
	request := history.Request{Workspace: scope.Workspace, Caller: scope.Caller, Operation: scope.Operation, Key: string(k)}
	return passing{
		op: "read_record",
		sent: func(log *drills.Log) int64 {
			return log.Record(history.Event{Actor: caller, Kind: history.RecordSent, Request: &request})
		},
		done: func(log *drills.Log, sent int64, e end) {
			event := history.Event{Actor: caller, Kind: history.RecordDone, Op: sent, Outcome: e.outcome()}
			if event.Outcome == history.Landed {
				var answer got
				_ = json.Unmarshal(e.response.Body, &answer) // as for tasks
				if found, ok := recordOf(scope, k, answer.Item); ok {
					record := history.RecordOf(found)
					event.Record = &record
				} else {
					event.Outcome = history.Missing
				}
			}
			log.Record(event)
		},
	}, true
}

// evidence is a put of what is kept of a refused answer.
func evidence(r *faultproxy.Request) (passing, bool) {
	var put struct {
		Item map[string]value `json:"Item"`
	}
	if r.Decode(&put) != nil {
		return passing{}, false
	}
	rest, ok := strings.CutPrefix(put.Item[dynamoschema.SK].S, dynamoschema.EvidencePrefix)
	id, _, _ := strings.Cut(rest, "#")
	ref, known := refOf(map[string]value{dynamoschema.PK: put.Item[dynamoschema.PK], dynamoschema.SK: {S: dynamoschema.EntryPrefix + id}})
	if !ok || !known {
		return passing{}, false
	}
	number := func(attribute string) int64 { return put.Item[attribute].number() }
	about := history.Evidence{
		AssignmentID: put.Item[dynamoschema.LeaseOwner].S, AssignmentVersion: number(dynamoschema.AssignmentVersion),
		Bytes: number(dynamoschema.Bytes), SHA256: put.Item[dynamoschema.SHA256].S, InputTokens: number(dynamoschema.InputTokens),
		OutputTokens: number(dynamoschema.OutputTokens), ProviderRequestID: put.Item[dynamoschema.ProviderRequestID].S,
	}
	task := history.RefOf(ref)
	return passing{
		op: "evidence", ref: ref, scope: ref.Scope,
		sent: func(log *drills.Log) int64 {
			return log.Record(history.Event{Actor: r.Caller, Kind: history.EvidenceSent, Task: task, Evidence: &about})
		},
		done: func(log *drills.Log, sent int64, e end) {
			event := history.Event{Actor: r.Caller, Kind: history.EvidenceDone, Op: sent, Task: task, Outcome: e.outcome()}
			if event.Outcome == history.RefusedBy {
				event.Outcome = history.Landed // it is there already
			}
			log.Record(event)
		},
	}, true
}

// publishing is a message into the queue.
func publishing(r *faultproxy.Request) (passing, bool) {
	var send struct {
		Body string `json:"MessageBody"`
	}
	if r.Decode(&send) != nil {
		return passing{}, false
	}
	ref, err := sqsqueue.Decode(send.Body)
	if err != nil {
		return passing{}, false
	}
	task := history.RefOf(ref)
	return passing{
		op: drills.Publish, ref: ref, scope: ref.Scope,
		sent: func(log *drills.Log) int64 {
			return log.Record(history.Event{Actor: r.Caller, Kind: history.PublishSent, Task: task})
		},
		done: func(log *drills.Log, sent int64, e end) {
			event := history.Event{Actor: r.Caller, Kind: history.PublishDone, Op: sent, Task: task, Outcome: history.Lost}
			if e.outcome() == history.Landed {
				event.Outcome = history.Landed
			}
			log.Record(event)
		},
	}, true
}

// hiding changes how long a message stays hidden.
func (o *Observer) hiding(r *faultproxy.Request) (passing, bool) {
	var hide struct {
		Receipt string `json:"ReceiptHandle"`
		Seconds int64  `json:"VisibilityTimeout"`
	}
	if r.Decode(&hide) != nil {
		return passing{}, false
	}
	o.mu.Lock()
	message, known := o.received[hide.Receipt]
	o.mu.Unlock()
	task := history.RefOf(message.ref)
	return passing{
		op: drills.Hide, ref: message.ref, scope: message.ref.Scope,
		sent: func(*drills.Log) int64 { return 0 },
		done: func(log *drills.Log, _ int64, e end) {
			if e.outcome() == history.Landed {
				log.Record(history.Event{Actor: r.Caller, Kind: history.Hidden, Task: task, Message: &history.Message{ID: message.id, AfterMS: hide.Seconds * 1000}})
			}
		},
	}, known
}
