package dynamostore

import (
	"encoding/base64"
	"errors"
	"testing"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
)

func FuzzParseIDCursor(f *testing.F) {
	f.Add(idCursor(taskID))
	f.Add(idCursor("not an id"))
	f.Add(idCursor(taskID) + "=")
	f.Add("")
	f.Fuzz(func(t *testing.T, cursor string) {
		id, err := parseIDCursor(cursor)
		switch {
		case err != nil && !errors.Is(err, storeerror.ErrBadCursor):
			t.Errorf("the error is %v", err)
		case err == nil && idCursor(id) != cursor:
			t.Errorf("%q came back as %q", cursor, idCursor(id))
		case err == nil && len(id) != len(taskID):
			t.Errorf("%q was taken for an id", id)
		}
	})
}

func FuzzParseIndexCursor(f *testing.F) {
	whole := key(dynamoschema.EntryKey(workspaceID, "C#c", taskID))
	short, err := indexCursor(whole)
	if err != nil {
		f.Fatal(err)
	}
	whole[dynamoschema.HandoffShard], whole[dynamoschema.HandoffDueAt] = number(3), number(1795960830250)
	long, err := indexCursor(whole)
	if err != nil {
		f.Fatal(err)
	}
	for _, cursor := range []string{
		short, long, "", "e30", base64.RawURLEncoding.EncodeToString([]byte(`{"pk":"W#w#C#c","sk":"ENTRY#t","due":"1"}`)),
		base64.RawURLEncoding.EncodeToString([]byte(`{"pk":"W#w#C#c","pk":"W#v#C#c","sk":"ENTRY#t"}`)),
	} {
		f.Add(cursor, 3)
	}
	f.Fuzz(func(t *testing.T, cursor string, shard int) {
		last, err := parseIndexCursor(cursor, shard)
		if err != nil {
			if !errors.Is(err, storeerror.ErrBadCursor) {
				t.Errorf("the error is %v", err)
			}
			return
		}
		again, err := indexCursor(last)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseIndexCursor(again, shard); err != nil {
			t.Errorf("%q was accepted as %v and not as %q", cursor, last, again)
		}
	})
}

func TestIndexCursorOfAnotherShardIsRefused(t *testing.T) {
	t.Parallel()
	last := key(dynamoschema.EntryKey(workspaceID, "C#c", taskID))
	last[dynamoschema.HandoffShard], last[dynamoschema.HandoffDueAt] = number(3), number(1)
	cursor, err := indexCursor(last)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseIndexCursor(cursor, 4); !errors.Is(err, storeerror.ErrBadCursor) {
		t.Errorf("the error is %v, want %v", err, storeerror.ErrBadCursor)
	}
	if _, err := parseIndexCursor(cursor, 3); err != nil {
		t.Errorf("the cursor's own shard: %v", err)
	}
}
