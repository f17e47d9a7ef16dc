package dynamostore

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

// The ids have the lengths that the product's have.
const (
	workspaceID    = "workspace-of-26-characters"
	conversationID = "01JDV0000000000000000000C1"
	messageID      = "01JDV0000000000000000000M1"
	taskID         = "01JDV0000000000000000000T1"
	documentID     = "01JDV0000000000000000000D1"
	assignmentID   = "01JDV0000000000000000000A1"
	callerID       = "3f1e6a2c-7d1b-4c55-9c0e-8f6a5b4c3d2e"
	requestKey     = "0b9f6c1e-2a3d-4e5f-8a7b-6c5d4e3f2a1b"
	gatewayRequest = "c6af9ac6-7b61-11e6-9a41-93e8deadbeef"
)

var (
	instant = time.Date(2026, time.November, 29, 14, 0, 0, 250_999_999, time.UTC)
	report  = worktask.Report{Tokens: worktask.Tokens{Input: 812, Output: 204}, ProviderRequestID: gatewayRequest}
)

func sampleTask() worktask.Task {
	input := `{"prompt":1,"document":"` + documentID + `","version":3,"model":"builtin-extractive-1"}`
	input += strings.Repeat(" ", 120-len(input))
	return worktask.NewTask(conversation.TaskRef(workspaceID, conversationID, taskID), "reply", callerID, input,
		gatewayRequest, worktask.RetryUnknown, instant, worktask.DefaultTimers())
}

func sampleMessage() conversation.Message {
	return conversation.Message{
		Workspace: workspaceID, Conversation: conversationID, ID: messageID, Text: strings.Repeat("q", 200),
		Document: documentID, Version: 3, CreatedAt: instant,
	}
}

func sampleRecord() idempotency.Record {
	sum := sha256.Sum256([]byte("sample"))
	record, err := idempotency.NewRecord(
		idempotency.Scope{Workspace: workspaceID, Caller: callerID, Operation: "send_message"}, requestKey,
		idempotency.Fingerprint{Schema: 1, Sum: base64.RawURLEncoding.EncodeToString(sum[:])},
		"/v1/conversations/"+conversationID+"/tasks/"+taskID, instant,
		idempotency.Windows{Replay: 24 * time.Hour, Purge: 365 * 24 * time.Hour})
	if err != nil {
		panic(err)
	}
	return record
}

func sampleConversation() conversation.Conversation {
	return conversation.Conversation{
		Workspace: workspaceID, ID: conversationID, Caller: callerID, Title: "The report", Document: documentID, CreatedAt: instant,
	}
}

func sampleDocument() document.Document {
	return document.Document{
		Workspace: workspaceID, ID: documentID, Title: "Report", LatestVersion: 3, CreatedAt: instant, UpdatedAt: instant,
	}
}

func sampleClaim() worktask.Claim {
	return worktask.Claim{
		AssignmentID: assignmentID, Now: instant, LeaseUntil: instant.Add(30 * time.Second),
		Margin: 2 * time.Second, Reserve: 5 * time.Second,
	}
}

// sampleAssignment is the right that sampleClaim gives.
func sampleAssignment() worktask.Assignment {
	a, _ := worktask.AssignmentOf(sampleClaim().Apply(sampleTask()), assignmentID)
	return a
}

// namedTransition is a write with what its golden entry is called.
type namedTransition struct {
	name string
	tr   worktask.Transition
}

// sampleTransitions are all writes, each in every form that its expression has.
func sampleTransitions() []namedTransition {
	a := sampleAssignment()
	looking, _ := worktask.AssignmentOf(worktask.Task{
		Ref: a.Ref(), Status: worktask.Running, AssignmentID: assignmentID, AssignmentVersion: 1, OperationID: "op-1",
	}, assignmentID)
	lookup, claimWithMoney, claimOfReady := sampleClaim(), sampleClaim(), sampleClaim()
	claimWithMoney.Money = true
	claimOfReady.Ready = "01JDD000000000000000000000/3"
	priced, _ := worktask.AssignmentOf(worktask.Task{
		Ref: a.Ref(), Status: worktask.Running, AssignmentID: assignmentID, AssignmentVersion: 1, Money: worktask.NewMoney(5000, 1000),
	}, assignmentID)
	cost := report
	cost.Cost = worktask.Cost{Known: true, Micros: 300}
	next, due := instant.Add(4*time.Second), instant.Add(34*time.Second)
	all := []namedTransition{
		{"claim", sampleClaim()},
		{"claim with money", claimWithMoney},
		{"claim that has seen a version ready", claimOfReady},
		{"claim_lookup", worktask.LookupClaim{AssignmentID: lookup.AssignmentID, Now: lookup.Now, LeaseUntil: lookup.LeaseUntil, Margin: lookup.Margin}},
		{"begin", a.Begin(instant)},
		{"renew", a.Renew(instant, instant.Add(40*time.Second))},
		{"save_operation", a.SaveOperation(instant, "op-1")},
		{"complete with a body", a.Complete(instant, worktask.Result{Body: "The answer."}, report)},
		{"complete with an object", a.Complete(instant, worktask.Result{ObjectKey: "k", Bytes: 400_000, SHA256: "ab"}, worktask.Report{})},
		{"complete with money", priced.Complete(instant, worktask.Result{Body: "The answer."}, cost)},
		{"fail with money, outcome known", priced.Fail(instant, worktask.Declined, true, cost)},
		{"fail with money, outcome unknown", priced.Fail(instant, worktask.OutcomeUnknown, false, cost)},
		{"release with money, rejected", priced.Release(instant, worktask.ReleaseRejected, next, due, worktask.Report{})},
		{"release with money, failed", priced.Release(instant, worktask.ReleaseFailed, next, due, cost)},
		{"release with money, unknown", priced.Release(instant, worktask.ReleaseUnknown, next, due, cost)},
		{"fail, outcome known", a.Fail(instant, worktask.Declined, true, report)},
		{"fail, outcome unknown", a.Fail(instant, worktask.OutcomeUnknown, false, worktask.Report{})},
		{"end for deadline", worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: instant, Margin: 2 * time.Second}},
		{"end for attempts_exhausted", worktask.End{Reason: worktask.AttemptsExhausted, By: worktask.EndedByWorker, Now: instant, Margin: 2 * time.Second}},
		{"end for outcome_unknown", worktask.End{Reason: worktask.OutcomeUnknown, By: worktask.EndedByDispatcher, Now: instant, Margin: 2 * time.Second}},
		{"end for budget_exhausted", worktask.End{Reason: worktask.BudgetExhausted, By: worktask.EndedByWorker, Now: instant, Margin: 2 * time.Second}},
		{"end of a wait", worktask.End{
			Reason: worktask.DocumentUnreadable, By: worktask.EndedByWorker, Now: instant, Margin: 2 * time.Second, WaitsFor: "01JDD000000000000000000000/3",
		}},
		{"cancel", worktask.Cancel{Now: instant}},
		{"bump", worktask.Bump{Seen: instant, Due: due}},
		{"release of a look-up as rejected", looking.Release(instant, worktask.ReleaseRejected, next, due, report)},
	}
	for _, mode := range []worktask.ReleaseMode{
		worktask.ReleaseRejected, worktask.ReleaseUnknown, worktask.ReleaseLookup, worktask.ReleaseLookupLost, worktask.ReleaseFailed,
	} {
		all = append(all, namedTransition{"release as " + string(mode), a.Release(instant, mode, next, due, report)})
	}
	return all
}
