package operator

import (
	"io"
	"time"
)

// Print writes the list for a person.
func (l List) Print(w io.Writer) error {
	p := &page{w: w}
	if len(l.Tasks) == 0 {
		p.linef("nothing is due")
		return p.done()
	}
	p.table(func(t *page) {
		t.linef("SHARD\tOVERDUE\tAGE\tSTATUS\tVERSION\tLEASE\tATTEMPTS LEFT\tSTATE\tTASK\tWORKSPACE")
		for _, o := range l.Tasks {
			o.print(t)
		}
	})
	p.linef("%s, %d stuck; the oldest is due for %s", count(len(l.Tasks), "open task", "open tasks"), l.Stuck, seconds(l.OldestDueSeconds))
	if !l.Complete {
		p.linef("there are more: give a larger -limit")
	}
	return p.done()
}

func (o OpenTask) print(t *page) {
	state := string(o.Assessment.State)
	if o.Assessment.Stuck {
		state += ", STUCK"
	}
	lease := "-"
	if !o.LeaseExpiresAt.IsZero() {
		lease = o.LeaseExpiresAt.String()
	}
	t.linef("%d\t%s\t%s\t%s\t%d\t%s\t%d\t%s\t%s\t%s", o.Shard, seconds(o.OverdueSeconds), seconds(o.AgeSeconds), orDash(o.Status),
		o.AssignmentVersion, lease, o.AttemptsLeft, state, o.Path, o.Workspace)
}

func seconds(s float64) string { return short(time.Duration(s * float64(time.Second))) }

// Print writes what a run did, or would do, for a person.
func (r Redrive) Print(w io.Writer) error {
	p := &page{w: w}
	if len(r.Messages) > 0 {
		p.table(func(t *page) {
			t.linef("ACTION\tREASON\tSTATUS\tTASK\tWORKSPACE\tRECEIVED\tSENT\tMESSAGE")
			for _, m := range r.Messages {
				m.print(t)
			}
		})
	}
	for _, m := range r.Messages {
		if m.Error != "" {
			p.linef("failed: message %s: %s", m.MessageID, m.Error)
		}
		if m.Body != "" {
			p.linef("message %s: %q", m.MessageID, m.Body)
		}
	}
	r.printSum(p)
	return p.done()
}

func (m Redriven) print(t *page) {
	sent := "-"
	if !m.SentAt.IsZero() {
		sent = m.SentAt.String()
	}
	t.linef("%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s", m.Action, m.Reason, orDash(m.Status), orDash(m.Path), orDash(m.Workspace), m.ReceiveCount, sent, m.MessageID)
}

func (r Redrive) printSum(p *page) {
	switch {
	case len(r.Messages) == 0:
		p.linef("the dead-letter queue is empty")
		return
	case r.DryRun:
		p.linef("dry run: %d to send back, %d to delete, %d to keep, %d could not be judged. Nothing was changed; give -yes to do it.",
			r.Sent, r.Deleted, r.Kept, r.Failed)
	default:
		p.linef("%d sent back, %d deleted, %d kept, %d failed", r.Sent, r.Deleted, r.Kept, r.Failed)
	}
	if !r.Complete {
		p.linef("there may be more: run it again")
	}
}

// Print writes what was decided for a person.
func (r Retry) Print(w io.Writer) error {
	p := &page{w: w}
	d := r.Decision
	if r.Replayed {
		p.linef("task %s was retried already, by %s at %s: %s", d.Of, d.By, d.At, d.Why)
		p.linef("that made task %s; give -key for one more", r.TaskID)
	} else {
		p.linef("task %s retries task %s", r.TaskID, d.Of)
		p.linef("decided by %s at %s: %s", d.By, d.At, d.Why)
	}
	switch {
	case r.Replayed:
	case r.Published:
		p.linef("its handoff is on the queue")
	default:
		p.linef("its handoff could not be published, the dispatcher does it when it is due: %s", r.PublishError)
	}
	p.linef("%s in workspace %s", r.Path, r.Workspace)
	return p.done()
}

// Print writes what was done for a person.
func (u User) Print(w io.Writer) error {
	p := &page{w: w}
	switch {
	case u.Moved:
		p.linef("the user is in workspace %s from the next sign-in on; a token that is out names the former one until it ends", u.Workspace)
	case u.Created:
		p.linef("user %s is made in workspace %s; Cognito sends the invitation", u.Username, u.Workspace)
	default:
		p.linef("Cognito sends the invitation of user %s (workspace %s) again", u.Username, u.Workspace)
	}
	return p.done()
}
