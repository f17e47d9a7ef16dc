package observe

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// value is an attribute value as far as keys, conditions and tasks have it.
type value struct {
	S string `json:"S"`
	N string `json:"N"`
}

func (v value) number() int64 {
	n, _ := strconv.ParseInt(v.N, 10, 64) // what is no number is 0, which nothing means anything by
	return n
}

// update is the request UpdateItem:
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html
type update struct {
	Key    map[string]value `json:"Key"`
	Values map[string]value `json:"ExpressionAttributeValues"`
}

// set is the value that the update gives an attribute, or adds to it: the
// store's placeholders spell the names of attributes.
func (u update) set(attribute string) value { return u.Values[":"+attribute] }

func (u update) has(placeholder string) bool {
	_, found := u.Values[placeholder]
	return found
}

func (u update) millis(attribute string) history.Millis {
	return history.Millis(u.set(attribute).number())
}

// Placeholders of conditions.
const (
	now       = ":now"
	leaseOver = ":lease_over" // now less the margin
	version   = ":version"
	none      = ":none" // only claims that pay compare with nothing
	seenDue   = ":seen"
)

// ParseUpdate reads which write of which task a request is; false for every
// other request. The assignment id of a fenced write is not in it.
func ParseUpdate(r *faultproxy.Request, reserve time.Duration) (worktask.Ref, history.Write, bool) {
	var u update
	if r.Operation != "dynamodb.UpdateItem" || r.Decode(&u) != nil {
		return worktask.Ref{}, history.Write{}, false
	}
	ref, known := refOf(u.Key)
	write := history.Write{Transition: u.transition()}
	if !known || write.Transition == "" {
		return worktask.Ref{}, history.Write{}, false
	}
	u.describe(&write, reserve)
	return ref, write, true
}

func refOf(key map[string]value) (worktask.Ref, bool) {
	workspace, scope, id, err := dynamoschema.ParseEntryKey(dynamoschema.Key{PK: key[dynamoschema.PK].S, SK: key[dynamoschema.SK].S})
	return worktask.Ref{Workspace: workspace, Scope: scope, ID: id}, err == nil
}

// transition tells writes apart by what they set.
func (u update) transition() string {
	switch worktask.Status(u.set(dynamoschema.Status).S) {
	case worktask.Running:
		if u.has(none) {
			return history.Claim
		}
		return history.LookupClaim
	case worktask.Pending:
		return history.Release
	case worktask.Completed:
		return history.Complete
	case worktask.Cancelled:
		return history.Cancel
	case worktask.Failed:
		if u.has(version) {
			return history.Fail
		}
		return history.End
	}
	for _, other := range []struct{ attribute, transition string }{
		{dynamoschema.LeaseExpiresAt, history.Renew},
		{dynamoschema.HandoffDueAt, history.Bump},
		{dynamoschema.CallOpen, history.Begin},
		{dynamoschema.OperationID, history.SaveOperation},
	} {
		if u.has(":" + other.attribute) {
			return other.transition
		}
	}
	return ""
}

// describe fills in the inputs of the write.
func (u update) describe(w *history.Write, reserve time.Duration) {
	w.Now = history.Millis(u.Values[now].number())
	w.AssignmentVersion = u.Values[version].number()
	w.InputTokens, w.OutputTokens = u.set(dynamoschema.InputTokens).number(), u.set(dynamoschema.OutputTokens).number()
	w.ProviderRequestID = u.set(dynamoschema.ProviderRequestID).S
	switch w.Transition {
	case history.Claim, history.LookupClaim:
		w.AssignmentID, w.LeaseUntil = u.set(dynamoschema.LeaseOwner).S, u.millis(dynamoschema.LeaseExpiresAt)
		w.MarginMS, w.ReserveMS = int64(w.Now)-u.Values[leaseOver].number(), reserve.Milliseconds()
	case history.Renew:
		w.LeaseUntil = u.millis(dynamoschema.LeaseExpiresAt)
	case history.SaveOperation:
		w.OperationID = u.set(dynamoschema.OperationID).S
	case history.Complete:
		w.Result = history.SavedOf(worktask.Result{
			Body: u.set(dynamoschema.ResultBody).S, ObjectKey: u.set(dynamoschema.ResultObjectKey).S,
			Bytes: u.set(dynamoschema.ResultBytes).number(), SHA256: u.set(dynamoschema.ResultSHA256).S,
		})
	case history.Release:
		w.Mode, w.NextAt, w.DueAt = u.set(dynamoschema.ReleaseMode).S, u.millis(dynamoschema.NextAttemptAt), u.millis(dynamoschema.HandoffDueAt)
	case history.Fail:
		w.Reason, w.Known = u.set(dynamoschema.FailureReason).S, u.has(":"+dynamoschema.CallsKnown)
	case history.End:
		w.Reason, w.By, w.Now = u.set(dynamoschema.FailureReason).S, u.set(dynamoschema.EndedBy).S, u.millis(dynamoschema.EndedAt)
		w.MarginMS = int64(w.Now) - u.Values[leaseOver].number()
	case history.Cancel:
		w.Now = u.millis(dynamoschema.EndedAt)
	case history.Bump:
		w.SeenAt, w.DueAt = history.Millis(u.Values[seenDue].number()), u.millis(dynamoschema.HandoffDueAt)
	}
}

// after is what of UpdateItem's answer is looked at: the item after the write,
// or the one that a failed condition met, where the engine tells it.
type after struct {
	Attributes json.RawMessage `json:"Attributes"`
	Item       json.RawMessage `json:"Item"`
}
