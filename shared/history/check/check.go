package check

import (
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/history"
)

// Options bound the work.
type Options struct {
	// Only are the promises to decide; empty: all.
	Only []Promise
	// Steps bounds the search for a linear order of one task, in steps of the
	// model; 0: DefaultSteps. Steps and not seconds, so that a record gets the
	// same verdict on every machine.
	Steps int
}

// DefaultSteps is enough for some hundred operations on one task, a dozen of
// them at the same time.
const DefaultSteps = 200_000

// predicate decides one promise.
type predicate struct {
	promise Promise
	title   string
	decide  func(*record, *judgement)
}

// predicates are in the order of reports. The search comes last: it leaves out
// the tasks that the others have named.
func predicates() []predicate {
	return []predicate{
		{P1, "at most one saved result per task, unchanged once saved", oneResult},
		{P2, "only the current assignment completes", currentCompletes},
		{P3, "the version grows by one at each claim and cancel only", versionSteps},
		{P4, "one key, one task", oneTaskPerKey},
		{P5, "every accepted task ends in time", endsInTime},
		{P6, "one budget, never refilled", oneBudget},
		{P7, "no message deleted without an end or a due time", deletedSafely},
		{P8, "every request has its own record, written before it", requestsRecorded},
		{P9, "a lost acknowledgement is resolved by reading", lostIsRead},
		{P10, "failure, cancel and release are fenced like success", writesFenced},
		{P11, "nobody reads or changes what belongs to others", ownOnly},
		{P12, "each version indexed once, the current one whole and never going back", indexedOnce},
		{P14, "the task shows its spend", spendShown},
		{DueTime, "a due time exactly while pending or running", dueTime},
		{EndFinal, "an ended task never changes", endFinal},
		{Linearizable, "each task is one object that follows the engine", linearizable},
	}
}

// All lists the promises, in the order of reports.
func All() []Promise {
	var list []Promise
	for _, p := range predicates() {
		list = append(list, p.promise)
	}
	return list
}

// Check decides the promises on a history. The error says that the history is
// not well formed; a broken promise is no error.
func Check(h history.History, o Options) (Report, error) {
	if err := h.Check(); err != nil {
		return Report{}, fmt.Errorf("check history: %w", err)
	}
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	r := newRecord(h, o)
	var report Report
	for _, p := range predicates() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, p.promise) {
			continue
		}
		j := &judgement{record: r, verdict: Verdict{Promise: p.promise, Title: p.title}}
		p.decide(r, j)
		report.Verdicts = append(report.Verdicts, j.verdict)
	}
	return report, nil
}

// judgement collects the verdict of one predicate.
type judgement struct {
	record  *record
	verdict Verdict
}

// decided counts a case.
func (j *judgement) decided() { j.verdict.Cases++ }

// broken reports a case against the promise.
func (j *judgement) broken(task history.Ref, events []int64, format string, args ...any) {
	j.verdict.Findings = append(j.verdict.Findings, Finding{
		Promise: j.verdict.Promise, Task: task, Events: events, Text: fmt.Sprintf(format, args...),
	})
	if task != "" {
		j.record.named[task] = append(j.record.named[task], j.verdict.Promise)
	}
}

// undecided reports a case that the record does not decide.
func (j *judgement) undecided(task history.Ref, events []int64, format string, args ...any) {
	j.verdict.Findings = append(j.verdict.Findings, Finding{
		Promise: j.verdict.Promise, Undecided: true, Task: task, Events: events, Text: fmt.Sprintf(format, args...),
	})
}

func at(seqs ...int64) []int64 { return seqs }
