package conversation

import (
	"slices"

	"github.com/replyonce/replyonce/shared/worktask"
)

// AttemptView is an attempt whose end nobody saw, as far as anybody knows.
type AttemptView struct {
	AssignmentVersion int64  `json:"assignment_version"`
	Outcome           string `json:"outcome"` // unknown or worker_lost
	Provider          string `json:"provider,omitzero"`
	ProviderRequestID string `json:"provider_request_id,omitzero"`
	OperationID       string `json:"operation_id,omitzero"`
	BegunAt           Time   `json:"begun_at,omitzero"`
	EndedAt           Time   `json:"ended_at,omitzero"`
	Cause             string `json:"cause,omitzero"`
}

// AttemptLog puts the records of a task's attempts and the task together. The
// last worker of a task that somebody else ended left no record, because nobody
// claimed the task after it; the task shows it.
func AttemptLog(t worktask.Task, records []worktask.AttemptRecord) []AttemptView {
	var log []AttemptView
	for _, r := range records {
		log = append(log, AttemptView{
			AssignmentVersion: r.AssignmentVersion, Outcome: string(r.Outcome), Provider: r.Provider,
			ProviderRequestID: r.ProviderRequestID, OperationID: r.OperationID,
			BegunAt: Time(r.BegunAt), EndedAt: Time(r.EndedAt), Cause: r.Cause,
		})
	}
	known := slices.ContainsFunc(log, func(v AttemptView) bool { return v.AssignmentVersion == t.AssignmentVersion })
	if endedForItsWorker(t) && !known {
		log = append(log, AttemptView{
			AssignmentVersion: t.AssignmentVersion, Outcome: string(worktask.AttemptWorkerLost),
			OperationID: t.OperationID, EndedAt: Time(t.LeaseExpiresAt),
		})
	}
	return log
}

// endedForItsWorker reports whether the task was ended while a worker that had
// stopped answering still had it: a task that was given back shows that it was.
func endedForItsWorker(t worktask.Task) bool {
	byOther := t.EndedBy == worktask.EndedByDispatcher || t.EndedBy == worktask.EndedByWorker
	return t.Status == worktask.Failed && byOther && t.AssignmentVersion > 0 && t.ReleasedVersion != t.AssignmentVersion
}
