package dynamoschema

import (
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/taskflow"
)

func TestKeysHaveTheirDocumentedForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want Key }{
		"conversation": {ConversationKey("acme", "C#c1"), Key{"W#acme#C#c1", "CONVERSATION"}},
		"entry":        {EntryKey("acme", "C#c1", "t1"), Key{"W#acme#C#c1", "ENTRY#t1"}},
		"evidence":     {EvidenceKey("acme", "C#c1", "t1", 2), Key{"W#acme#C#c1", "EVIDENCE#t1#0000000002"}},
		"card":         {Key{ConversationCardPK("acme", "a#b"), "c1"}, Key{"W#acme#CONVERSATIONS#a%23b", "c1"}},
		"documents":    {Key{DocumentCardPK("acme"), "d1"}, Key{"W#acme#DOCUMENTS", "d1"}},
		"document":     {DocumentKey("acme", "d1"), Key{"W#acme#D#d1", "DOCUMENT"}},
		"version":      {VersionKey("acme", "d1", 3), Key{"W#acme#D#d1", "VERSION#0000000003"}},
		"part":         {PartKey("acme", "d1", 3, 1), Key{"W#acme#D#d1", "PART#0000000003#0001"}},
		"index entry": {
			IndexKey("acme", "d1", 3, "0a1b2c3d", "split", 12),
			Key{"W#acme#D#d1", "INDEX#0000000003#0a1b2c3d#split#000012"},
		},
		"record": {
			RecordKey(idempotency.Scope{Workspace: "acme", Caller: "al", Operation: "send"}, "k"),
			Key{"W#acme#IDEMPOTENCY#al#send#k", "RECORD"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.got != c.want {
				t.Errorf("key is %q, want %q", c.got, c.want)
			}
		})
	}
}

// Caller "a" with operation "b#c" and caller "a#b" with operation "c" must not
// meet, nor may a workspace reach into another by its name.
func TestCaseI3KeysJoinedWithoutAmbiguity(t *testing.T) {
	t.Parallel()
	scopes := []idempotency.Scope{
		{Workspace: "w", Caller: "a", Operation: "b#c"},
		{Workspace: "w", Caller: "a#b", Operation: "c"},
		{Workspace: "w", Caller: "a%23b", Operation: "c"},
		{Workspace: "w#IDEMPOTENCY#a", Caller: "b", Operation: "c"},
		{Workspace: "w", Caller: "a", Operation: "b"},
	}
	seen := map[Key]idempotency.Scope{}
	for _, s := range scopes {
		k := RecordKey(s, "k")
		if other, taken := seen[k]; taken {
			t.Errorf("%+v and %+v share the key %q", s, other, k)
		}
		seen[k] = s
	}
}

func TestNumberedKeysSortByNumber(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, n := range []int{1, 2, 9, 10, 99, 100, 12345} {
		keys = append(keys, VersionKey("w", "d", n).SK)
	}
	if !slices.IsSorted(keys) {
		t.Errorf("keys are not in number order: %q", keys)
	}
}

func TestParseEntryKeyReversesEntryKey(t *testing.T) {
	t.Parallel()
	for _, workspace := range []string{"acme", "a.b_c-D", "odd #%/ name"} {
		w, scope, id, err := ParseEntryKey(EntryKey(workspace, "C#c1", "t1"))
		if err != nil || w != workspace || scope != "C#c1" || id != "t1" {
			t.Errorf("workspace %q came back as %q, %q, %q, %v", workspace, w, scope, id, err)
		}
	}
}

func TestParseEntryKeyRefusesOtherKeys(t *testing.T) {
	t.Parallel()
	for _, k := range []Key{
		{},
		{"W#acme", "ENTRY#t"},
		{"W##C#c", "ENTRY#t"},
		{"acme#C#c", "ENTRY#t"},
		{"W#acme#", "ENTRY#t"},
		{"W#acme#C#c", "ENTRY#"},
		{"W#acme#C#c", "CONVERSATION"},
		{"W#%zz#C#c", "ENTRY#t"},
	} {
		if _, _, _, err := ParseEntryKey(k); err == nil {
			t.Errorf("%q was taken for an entry", k)
		}
	}
}

func TestParseIndexSK(t *testing.T) {
	t.Parallel()
	stage, part, err := ParseIndexSK(IndexKey("acme", "d1", 3, "0a1b2c3d", "split", 12).SK)
	if err != nil || stage != "split" || part != 12 {
		t.Errorf("stage %q, part %d, %v", stage, part, err)
	}
	for _, sk := range []string{"", "INDEX#3#p#split", "INDEX#3#p##000001", "INDEX#3#p#split#1", "INDEX#3#p#split#00x001", "PART#3#p#split#000001", "INDEX#3#p#split#000001#"} {
		if _, _, err := ParseIndexSK(sk); err == nil {
			t.Errorf("%q was taken for the key of an entry", sk)
		}
	}
}

func FuzzParseEntryKey(f *testing.F) {
	f.Add("W#acme#C#c1", "ENTRY#t1")
	f.Add("W#a%23b#C#", "ENTRY##")
	f.Fuzz(func(t *testing.T, pk, sk string) {
		workspace, scope, id, err := ParseEntryKey(Key{pk, sk})
		if err != nil {
			return
		}
		if back := EntryKey(workspace, scope, id); back != (Key{pk, sk}) {
			t.Errorf("%q, %q came back as %q", pk, sk, back)
		}
	})
}

func TestShardsAreThoseOfTheIndexReaders(t *testing.T) {
	t.Parallel()
	if HandoffShards != taskflow.HandoffShards {
		t.Fatalf("%d shards are written, %d are read", HandoffShards, taskflow.HandoffShards)
	}
	var seen [HandoffShards]int
	for i := range 1000 {
		seen[ShardOf(strings.Repeat("x", i%7)+string(rune('A'+i%26))+string(rune('A'+i/26)))]++
	}
	for shard, n := range seen {
		if n < 1000/HandoffShards/2 {
			t.Errorf("shard %d has %d of 1000 tasks", shard, n)
		}
	}
}

// A prefix of another attribute's name makes one placeholder the prefix of
// another, which one emulator replaces inside it.
func TestAttributeNamesOfExpressionsAreNoPrefixes(t *testing.T) {
	t.Parallel()
	names := []string{
		PK, SK, Status, AssignmentVersion, LeaseOwner, LeaseExpiresAt, AttemptsLeft, CallsLeft, CallsKnown, OnUnknown,
		CallOpen, OperationID, NextAttemptAt, DeadlineAt, HandoffShard, HandoffDueAt, ReleaseMode, ReleaseVersion,
		ResultBody, ResultObjectKey, ResultBytes, ResultSHA256, FailureReason, EndedBy, EndedAt, InputTokens, OutputTokens,
		ProviderRequestID, LatestVersion, UpdatedAt, PurgeAfter,
		State, Pipeline, IndexWriter, IndexFailure, IndexEntries, Passages, Pages, IndexManifest, CurrentVersion, DeletedAt, SHA256,
	}
	for _, a := range names {
		for _, b := range names {
			if a != b && strings.HasPrefix(b, a) {
				t.Errorf("%q begins with %q", b, a)
			}
		}
	}
}
