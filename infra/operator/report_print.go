package operator

import (
	"fmt"
	"io"
	"strings"

	"github.com/replyonce/replyonce/shared/conversation"
)

// Print writes the report for a person.
func (r Report) Print(w io.Writer) error {
	p := &page{w: w}
	p.linef("task %s, %s: %s", r.TaskID, r.Status, r.Assessment.Text)
	p.table(func(t *page) {
		r.printTimes(t)
		r.printRight(t)
		r.printSpend(t)
		r.printParts(t)
		r.printIDs(t)
	})
	r.printTexts(p)
	return p.done()
}

func (r Report) printTimes(t *page) {
	t.linef("  where\t%s in workspace %s", r.Path, r.Workspace)
	t.linef("  accepted\t%s, deadline %s", r.AcceptedAt, r.DeadlineAt)
	if !r.EndedAt.IsZero() {
		t.linef("  ended\t%s by %s", r.EndedAt, r.EndedBy)
	}
	if !r.NextAttemptAt.IsZero() {
		t.linef("  next attempt\t%s", r.NextAttemptAt)
	}
	if r.HandoffShard != nil {
		t.linef("  handoff due\t%s in shard %d", r.HandoffDueAt, *r.HandoffShard)
	}
}

func (r Report) printRight(t *page) {
	a, b := r.Assignment, r.Budget
	t.linef("  assignment\tversion %d, lease owner %s", a.Version, orDash(a.ID))
	if !a.LeaseExpiresAt.IsZero() {
		t.linef("  lease\tuntil %s", a.LeaseExpiresAt)
	}
	if a.Released != "" {
		t.linef("  given back\t%s, by version %d", a.Released, a.ReleasedVersion)
	}
	t.linef("  budget\t%s used, %d left; %s, %d left", count(b.Attempts, "attempt", "attempts"), b.AttemptsLeft,
		count(b.Calls, "call", "calls"), b.CallsLeft)
	policy := b.OnUnknown
	if b.CallOpen {
		policy += ", and a request may be under way"
	}
	t.linef("  unknown ends\tat most %s, policy %s", count(b.UnknownRepeats, "repeat", "repeats"), policy)
	if b.OperationID != "" {
		t.linef("  operation\t%s is looked up before anything is called again", b.OperationID)
	}
}

func (r Report) printSpend(t *page) {
	s := r.Spend
	t.linef("  spend\t%s: %d seen to its end, %d not; %d tokens in, %d out", count(s.Calls, "call", "calls"), s.CallsKnown, s.CallsUnknown,
		s.InputTokens, s.OutputTokens)
	for _, e := range s.RefusedAnswers {
		t.linef("  refused answer\tversion %d at %s: %d bytes, sha256 %s, %d tokens in, %d out, provider request %s",
			e.AssignmentVersion, e.At, e.Bytes, e.SHA256, e.InputTokens, e.OutputTokens, orDash(e.ProviderRequestID))
	}
	for _, a := range r.AttemptLog {
		t.linef("  unseen end\tversion %d, %s: begun %s, given up %s, %s, provider %s request %s, operation %s", a.AssignmentVersion, a.Outcome,
			momentOrDash(a.BegunAt), momentOrDash(a.EndedAt), orDash(a.Cause), orDash(a.Provider), orDash(a.ProviderRequestID), orDash(a.OperationID))
	}
}

// momentOrDash is a time that may not be known.
func momentOrDash(at conversation.Time) string {
	if at.IsZero() {
		return orDash("")
	}
	return Moment(at).String()
}

func (r Report) printParts(t *page) {
	if m := r.Message; m != nil {
		what := fmt.Sprintf("%s, %d bytes, document %s version %d, %s", m.ID, m.Bytes, m.Document, m.DocumentVersion,
			count(m.History, "earlier turn", "earlier turns"))
		if m.Problem != "" {
			what = strings.TrimSpace(m.ID + " " + m.Problem)
		}
		t.linef("  message\t%s", what)
	}
	if a := r.Reply; a != nil {
		where := "on the task"
		if a.ObjectKey != "" {
			where = "in object " + a.ObjectKey
		}
		t.linef("  reply\t%d bytes %s", a.Bytes, where)
	}
	if d := r.Retry; d != nil {
		t.linef("  retry\tof task %s, decided by %s at %s: %s", d.Of, d.By, d.At, d.Why)
	}
}

func (r Report) printIDs(t *page) {
	switch i := r.Idempotency; {
	case i == nil:
		t.linef("  idempotency\tgive -key to see the record: the log line \"task accepted\" of this task has the key")
	case !i.Found:
		t.linef("  idempotency\tno record under key %s", i.Key)
	case !i.MadeThisTask:
		t.linef("  idempotency\tkey %s (%s) made another one: %s", i.Key, i.Operation, i.Target)
	default:
		t.linef("  idempotency\tkey %s (%s), replayed until %s, free again after %s", i.Key, i.Operation, i.ReplayUntil, i.PurgeAfter)
	}
	t.linef("  gateway request\t%s", orDash(r.GatewayRequestID))
	t.linef("  provider request\t%s", orDash(r.ProviderRequestID))
	t.linef("  trace\t%s", orDash(r.TraceID))
}

// printTexts writes what people wrote, which is there only when asked for.
func (r Report) printTexts(p *page) {
	if m := r.Message; m != nil && m.Text != "" {
		p.linef("\nasked by %s:\n%s", m.Caller, indent(m.Text))
	}
	a := r.Reply
	if a == nil {
		return
	}
	if a.Problem != "" {
		p.linef("\n%s", a.Problem)
	}
	if a.Text != "" {
		cut := ""
		if a.CutShort {
			cut = ", cut short"
		}
		p.linef("\nreply of %s %s%s:\n%s", a.Provider, a.Model, cut, indent(a.Text))
	}
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
