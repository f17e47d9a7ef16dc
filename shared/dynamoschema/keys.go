package dynamoschema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/idempotency"
)

// Key is the primary key of an item.
type Key struct {
	PK string
	SK string
}

// Sort keys, and the prefixes of those that end in a number or an id. Messages
// and tasks share one prefix, so that one query in key order reads a
// conversation's log in time order, each entry once.
const (
	ConversationSK = "CONVERSATION"
	DocumentSK     = "DOCUMENT"
	RecordSK       = "RECORD"
	UploadSK       = "UPLOAD"

	EntryPrefix    = "ENTRY#"
	EvidencePrefix = "EVIDENCE#"
	AttemptPrefix  = "ATTEMPT#"
	VersionPrefix  = "VERSION#"
	PartPrefix     = "PART#"
	IndexPrefix    = "INDEX#"
)

// ScopePK is the partition of what belongs together within a workspace: for the
// scope of a conversation the conversation, its messages, tasks, evidence and records of attempts.
// The scope's own form is its owner's; it may contain "#".
func ScopePK(workspace, scope string) string { return workspacePK(workspace) + scope }

// workspacePK begins every partition key: an item of another workspace cannot
// even be addressed.
func workspacePK(workspace string) string { return "W#" + idempotency.Escape(workspace) + "#" }

// ConversationKey is the conversation itself.
func ConversationKey(workspace, scope string) Key {
	return Key{ScopePK(workspace, scope), ConversationSK}
}

// EntryKey is a message or a task.
func EntryKey(workspace, scope, id string) Key {
	return Key{ScopePK(workspace, scope), EntryPrefix + id}
}

// ParseEntryKey reads what EntryKey wrote.
func ParseEntryKey(k Key) (workspace, scope, id string, err error) {
	rest, isWorkspace := strings.CutPrefix(k.PK, "W#")
	escaped, scope, hasScope := strings.Cut(rest, "#")
	id, isEntry := strings.CutPrefix(k.SK, EntryPrefix)
	if !isWorkspace || !hasScope || !isEntry || escaped == "" || scope == "" || id == "" {
		return "", "", "", fmt.Errorf("parse entry key: %q, %q is none", k.PK, k.SK)
	}
	workspace, err = idempotency.Unescape(escaped)
	if err != nil {
		return "", "", "", fmt.Errorf("parse entry key: workspace: %w", err)
	}
	return workspace, scope, id, nil
}

// EvidenceKey is what is kept of an answer that was refused. It stands beside
// the task and not on it: an ended task is never written again.
func EvidenceKey(workspace, scope, task string, version int64) Key {
	return Key{ScopePK(workspace, scope), EvidenceOf(task) + fmt.Sprintf("%010d", version)}
}

// EvidenceOf begins the sort keys of a task's evidence.
func EvidenceOf(task string) string { return EvidencePrefix + task + "#" }

// AttemptKey is what is kept of an attempt whose end nobody saw. It is not the
// key of evidence: a worker that was found to be lost may come back with an
// answer, and both are facts about one version.
func AttemptKey(workspace, scope, task string, version int64) Key {
	return Key{ScopePK(workspace, scope), AttemptsOf(task) + fmt.Sprintf("%010d", version)}
}

// AttemptsOf begins the sort keys of the records of a task's attempts.
func AttemptsOf(task string) string { return AttemptPrefix + task + "#" }

// ConversationCardPK is the partition of a caller's list of conversations; the
// sort key is the conversation's id.
func ConversationCardPK(workspace, caller string) string {
	return workspacePK(workspace) + "CONVERSATIONS#" + idempotency.Escape(caller)
}

// DocumentCardPK is the partition of a workspace's list of documents; the sort
// key is the document's id.
func DocumentCardPK(workspace string) string { return workspacePK(workspace) + "DOCUMENTS" }

// DocumentPK is the partition of a document, its versions and their parts.
func DocumentPK(workspace, document string) string {
	return workspacePK(workspace) + "D#" + document
}

// DocumentKey is the document itself.
func DocumentKey(workspace, document string) Key {
	return Key{DocumentPK(workspace, document), DocumentSK}
}

// VersionKey describes a version. Numbers are padded, so that key order is
// number order.
func VersionKey(workspace, document string, number int) Key {
	return Key{DocumentPK(workspace, document), fmt.Sprintf("%s%010d", VersionPrefix, number)}
}

// PartsOf begins the sort keys of the parts of a version's text.
func PartsOf(number int) string { return fmt.Sprintf("%s%010d#", PartPrefix, number) }

// PartKey is one part of a version's text, counted from 0.
func PartKey(workspace, document string, number, part int) Key {
	return Key{DocumentPK(workspace, document), PartsOf(number) + fmt.Sprintf("%04d", part)}
}

// UploadKey is a file that somebody announced.
func UploadKey(workspace, upload string) Key {
	return Key{workspacePK(workspace) + "U#" + upload, UploadSK}
}

// EntriesOf begins the sort keys of the entries of a version's index.
func EntriesOf(number int, pipeline string) string {
	return fmt.Sprintf("%s%010d#%s#", IndexPrefix, number, pipeline)
}

// IndexKey is one entry of a version's index. The pipeline and the stage have no
// "#" in them.
func IndexKey(workspace, document string, number int, pipeline, stage string, part int) Key {
	return Key{DocumentPK(workspace, document), EntriesOf(number, pipeline) + fmt.Sprintf("%s#%06d", stage, part)}
}

// ParseIndexSK reads stage and part from the sort key that IndexKey made.
func ParseIndexSK(sk string) (stage string, part int, err error) {
	fields := strings.Split(sk, "#")
	if len(fields) != 5 || fields[0]+"#" != IndexPrefix || fields[3] == "" || len(fields[4]) != 6 {
		return "", 0, fmt.Errorf("parse key of an index entry: %q is none", sk)
	}
	if part, err = strconv.Atoi(fields[4]); err != nil || part < 0 {
		return "", 0, fmt.Errorf("parse key of an index entry: %q is none", sk)
	}
	return fields[3], part, nil
}

// RecordKey is an idempotency record. Its parts are escaped, so that no two
// scopes and keys have one address.
func RecordKey(scope idempotency.Scope, key idempotency.Key) Key {
	return Key{
		PK: workspacePK(scope.Workspace) + strings.Join([]string{
			"IDEMPOTENCY", idempotency.Escape(scope.Caller), idempotency.Escape(scope.Operation), idempotency.Escape(string(key)),
		}, "#"),
		SK: RecordSK,
	}
}

// ParseVersionSK reads the number from the sort key that VersionKey made.
func ParseVersionSK(sk string) (int, error) {
	digits, isVersion := strings.CutPrefix(sk, VersionPrefix)
	number, err := strconv.ParseUint(digits, 10, 31) // unlike Atoi it takes no sign
	if !isVersion || err != nil || number < 1 || len(digits) != 10 {
		return 0, fmt.Errorf("parse version key: %q is none", sk)
	}
	return int(number), nil
}
