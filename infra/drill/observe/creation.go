package observe

import (
	"encoding/json"
	"strings"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

// transaction is the request TransactWriteItems:
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
type transaction struct {
	Items []struct {
		Put struct {
			Item json.RawMessage `json:"Item"`
		} `json:"Put"`
	} `json:"TransactItems"`
}

// made is a creating transaction that makes a task, a version, or both.
type made struct {
	ref      worktask.Ref
	messages []string // ids of the messages that it makes
	creation history.Creation
}

// scope is that of the task, or of the document that gets a version.
func (m made) scope() string {
	if v := m.creation.Version; v != nil {
		return document.ScopeOf(v.Document)
	}
	return m.ref.Scope
}

// parseCreation reads a transaction; false when it makes neither task nor version.
func parseCreation(r *faultproxy.Request) (made, bool) {
	var t transaction
	if r.Operation != "dynamodb.TransactWriteItems" || r.Decode(&t) != nil {
		return made{}, false
	}
	m := made{creation: history.Creation{What: history.CreatesTask}}
	for _, action := range t.Items {
		m.read(action.Put.Item)
	}
	return m, m.creation.Item != nil || m.creation.Version != nil
}

func (m *made) read(item json.RawMessage) {
	var some map[string]value
	if json.Unmarshal(item, &some) != nil {
		return // lists, which only messages have; their text is not needed
	}
	key := dynamoschema.Key{PK: some[dynamoschema.PK].S, SK: some[dynamoschema.SK].S}
	if scope, k, ok := parseRecordKey(key); ok {
		if record, ok := recordOf(scope, k, item); ok {
			m.creation.Record = history.RecordOf(record)
		}
		return
	}
	if v, ok := versionMade(some); ok {
		m.creation.What, m.creation.Version = history.CreatesVersion, &v
		return
	}
	ref, ok := refOf(some)
	switch {
	case !ok:
	case some[dynamoschema.Entry].S == dynamoschema.EntryMessage:
		m.messages = append(m.messages, ref.ID)
		m.creation.What = history.CreatesMessage
	default:
		if task, ok := taskOf(ref, item); ok {
			described := history.ItemOf(task)
			m.ref, m.creation.Item = ref, &described
		}
	}
}

// parseRecordKey reads whose record of which key a primary key is.
func parseRecordKey(key dynamoschema.Key) (idempotency.Scope, idempotency.Key, bool) {
	parts := strings.Split(key.PK, "#")
	if key.SK != dynamoschema.RecordSK || len(parts) != 6 || parts[0] != "W" || parts[2] != "IDEMPOTENCY" {
		return idempotency.Scope{}, "", false
	}
	var plain [4]string
	for i, part := range []string{parts[1], parts[3], parts[4], parts[5]} {
		text, err := idempotency.Unescape(part)
		if err != nil {
			return idempotency.Scope{}, "", false
		}
		plain[i] = text
	}
	return idempotency.Scope{Workspace: plain[0], Caller: plain[1], Operation: plain[2]}, idempotency.Key(plain[3]), true
}

// makesTasks reports whether records of the operation point to tasks.
func makesTasks(operation string) bool {
	return operation == conversation.OperationSubmit || operation == conversation.OperationRegenerate
}
