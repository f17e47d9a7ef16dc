package broken

import (
	"strings"

	"github.com/replyonce/replyonce/shared/history/check"
)

const (
	working = "shared/dynamostore/working.go"
	claims  = "shared/dynamostore/claims.go"
)

// anyHolder stands for the fence of a write of a worker: whoever has ever had the
// task may write until the task's deadline. It goes on sending the version and the
// worker's time, by which a recorded history knows the write.
const anyHolder = `	e.where(
		e.compare(dynamoschema.AssignmentVersion, ">=", ":version", number(WRITE.Assignment().Version())),
		e.compare(dynamoschema.DeadlineAt, ">", ":now", millis(WRITE.Now())),
	)
`

func holder(write string) string { return strings.ReplaceAll(anyHolder, "WRITE", write) }

// All lists the builds.
func All() []Build {
	return append(unfenced(),
		Build{
			Name: "cancel-keeps-version", Drill: "D21", Breaks: check.P3, File: "shared/dynamostore/endings.go",
			Rule:  "Stop takes the task away from its worker.",
			Wrong: "A task that was stopped still counts as its worker's own.",
			Old:   "\te.add(dynamoschema.AssignmentVersion, 1)\n",
		},
		Build{
			Name: "unpaid-claim", Drill: "D18", Breaks: check.P14, File: claims,
			Rule:  "A worker pays for its call from the task's budget when it takes the task.",
			Wrong: "The task shows fewer calls than the provider has seen, and nothing bounds them.",
			Old:   "\te.add(dynamoschema.CallsLeft, -1)\n",
		},
		Build{
			Name: "claim-under-lease", Drill: "D05", Breaks: check.Linearizable, File: claims,
			Rule:  "Nobody takes a task that another worker holds.",
			Wrong: "Whoever gets the message takes the task, and the provider is paid twice.",
			Old:   "\t\t\te.leaseOver(now, margin),\n",
			New: `			allOf(e.is(worktask.Running), e.compare(dynamoschema.LeaseExpiresAt, "<>", ":lease_over",
				number(now.UnixMilli()-margin.Milliseconds()))),
`,
		},
		Build{
			Name: "own-save-refused", Drill: "D09", Breaks: check.P9, File: "shared/worktask/finishing.go",
			Rule:  "A worker that does not hear what became of its save looks for its own reply.",
			Wrong: "It takes its saved reply for refused, and its answer for a wasted one.",
			Old:   "\treturn t.Status == Completed && t.EndedBy == c.assignment.id\n",
			New:   "\treturn false\n",
		},
		Build{
			Name: "reused-key-replayed", Drill: "D02", Breaks: check.P4, File: "shared/idempotency/verdict.go",
			Rule:  "A key that was used for one question is refused for another one.",
			Wrong: "The other question is answered with the reply to the first one.",
			Old:   "\tcase fp != record.Fingerprint:\n",
			New:   "\tcase false:\n",
		},
	)
}

// unfenced are builds in which one kind of write of a worker has lost its fence.
func unfenced() []Build {
	return []Build{
		{
			Name: "unfenced-save", Drill: "D11", Breaks: check.P2, File: working,
			Rule:  "A worker must prove that the task is still its own before its reply is saved.",
			Wrong: "A worker that was replaced saves its reply too, as long as no other one is there.",
			Old:   "\te.fence(c.Assignment(), c.Now())\n\te.where(e.absent(dynamoschema.ResultBody)",
			New:   holder("c") + "\te.where(e.absent(dynamoschema.ResultBody)",
		},
		{
			Name: "unfenced-failure", Drill: "D13", Breaks: check.P10, File: working,
			Rule:  "A worker must prove that the task is still its own before it declares the task failed.",
			Wrong: "A worker that was replaced ends the task as failed, whatever is saved there.",
			Old:   "\te.fence(f.Assignment(), f.Now())\n",
			New:   holder("f"),
		},
		{
			Name: "unfenced-release", Drill: "D13", Breaks: check.P10, File: working,
			Rule:  "A worker must prove that the task is still its own before it gives the task back.",
			Wrong: "A worker that was replaced gives back a task on which another one works.",
			Old:   "\te.fence(r.Assignment(), r.Now())\n\te.set(dynamoschema.Status, text(string(worktask.Pending)))\n",
			New:   holder("r") + "\te.set(dynamoschema.Status, text(string(worktask.Pending)))\n",
		},
	}
}
