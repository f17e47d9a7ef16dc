package dynamostore

import (
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-json-experiment/json"
	"github.com/oklog/ulid/v2"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// A cursor of a list or of a log is the id of the last item on the page before;
// a cursor of the handoff index is the engine's continuation key. Both come
// back from outside, so both are checked before they become part of a key.

func idCursor(id string) string { return base64.RawURLEncoding.EncodeToString([]byte(id)) }

// parseIDCursor reads what idCursor wrote.
func parseIDCursor(cursor string) (string, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return "", storeerror.ErrBadCursor
	}
	id, err := ulid.ParseStrict(string(raw))
	if err != nil || id.String() != string(raw) || idCursor(string(raw)) != cursor { // base64 skips line breaks
		return "", storeerror.ErrBadCursor
	}
	return string(raw), nil
}

// place is a continuation key of the handoff index. An emulator leaves the
// index's own two attributes out; what it gave is what it gets back.
type place struct {
	PK    string `json:"pk"`
	SK    string `json:"sk"`
	Shard string `json:"shard,omitzero"`
	DueAt string `json:"due,omitzero"`
}

func indexCursor(last item) (string, error) {
	if len(last) == 0 {
		return "", nil
	}
	r := &itemReader{item: last}
	p := place{PK: r.text(dynamoschema.PK), SK: r.text(dynamoschema.SK)}
	if _, found := last[dynamoschema.HandoffDueAt]; found {
		p.Shard = strconv.FormatInt(r.number(dynamoschema.HandoffShard), 10)
		p.DueAt = strconv.FormatInt(r.number(dynamoschema.HandoffDueAt), 10)
	}
	if r.err != nil {
		return "", fmt.Errorf("read continuation key: %w", r.err)
	}
	encoded, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("encode continuation key: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(encoded), nil
}

// parseIndexCursor reads what indexCursor wrote for the same shard.
func parseIndexCursor(cursor string, shard int) (item, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return nil, storeerror.ErrBadCursor
	}
	var p place
	if err := json.Unmarshal(raw, &p, json.RejectUnknownMembers(true)); err != nil {
		return nil, storeerror.ErrBadCursor
	}
	if _, _, _, err := dynamoschema.ParseEntryKey(dynamoschema.Key{PK: p.PK, SK: p.SK}); err != nil {
		return nil, storeerror.ErrBadCursor
	}
	last := key(dynamoschema.Key{PK: p.PK, SK: p.SK})
	if p.Shard == "" && p.DueAt == "" {
		return last, nil
	}
	due, err := strconv.ParseInt(p.DueAt, 10, 64)
	if err != nil || p.Shard != strconv.Itoa(shard) {
		return nil, storeerror.ErrBadCursor
	}
	last[dynamoschema.HandoffShard] = number(int64(shard))
	last[dynamoschema.HandoffDueAt] = number(due)
	return last, nil
}

// after is where a list or a log goes on after the item with the id.
func after(pk, sk string) map[string]types.AttributeValue {
	return key(dynamoschema.Key{PK: pk, SK: sk})
}
