package drills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Options of one run.
type Options struct {
	Tag  string // makes questions unlike those of earlier runs in the same world
	Seed uint64 // of what is drawn by lot
}

// Result is what an act came to.
type Result struct {
	Drill      string          `json:"drill"`
	Act        string          `json:"act,omitempty"`
	Seen       []Seen          `json:"seen"`
	Deviations []string        `json:"deviations,omitempty"` // from the drill's own expectation
	Findings   []string        `json:"findings,omitempty"`   // against the promises
	Took       time.Duration   `json:"-"`
	Notes      []Note          `json:"-"`
	Timeline   Timeline        `json:"timeline"`
	History    history.History `json:"-"`
	Report     check.Report    `json:"-"`
}

// Passed reports whether both judges agree.
func (r Result) Passed() bool { return len(r.Deviations) == 0 && len(r.Findings) == 0 }

var errActLimit = errors.New("the act takes too long")

// limit bounds a script: more than a task's deadline and its recovery take.
func (a Act) limit(t worktask.Timers) time.Duration {
	least := t.TaskDeadline + 5*t.RecoveryInterval()
	if len(a.Indexes) > 0 {
		least += time.Minute // they have a longer deadline, which only those reach that wait for it
	}
	if slices.Contains(a.Needs, Virtual) {
		return 2*t.PurgeAfter + least
	}
	return least
}

// Play plays an act in a world of its kind and judges it.
func Play(ctx context.Context, w World, d Drill, act Act, o Options) Result {
	result := Result{Drill: d.ID, Act: act.Title}
	begun := w.Now()
	limited, cancel := context.WithTimeoutCause(ctx, act.limit(w.Timers()), errActLimit)
	s, err := newScene(limited, w, d, act, o)
	if err == nil {
		err = act.Play(limited, s)
	}
	cancel()
	s.end()
	if err != nil {
		result.Deviations = append(result.Deviations, err.Error())
	}
	settling, cancel := context.WithTimeoutCause(ctx, act.limit(w.Timers()), errActLimit)
	defer cancel()
	if err := s.settle(settling); err != nil {
		result.Deviations = append(result.Deviations, err.Error())
	}
	seen, deviations := s.outcome(settling)
	indexes, differing := s.indexOutcome(settling)
	result.Seen, result.Deviations = append(seen, indexes...), slices.Concat(result.Deviations, deviations, differing)
	result.Took, result.Notes = w.Now().Sub(begun), s.log.Notes()
	h := s.log.History()
	h.Header.Limits.SkewMS = s.skew.Milliseconds()
	result.Timeline = TimelineOf(h, result.Notes)
	result.judge(h, decidable(w))
	return result
}

// decidable are the promises that can be decided on what the world lets see; all
// of them where requests to the store are seen, and only those that answers
// show where nothing else is.
func decidable(w World) []check.Promise {
	if w.Can(Faults) {
		return nil
	}
	return []check.Promise{check.P1, check.P4, check.P11}
}

// judge holds the history against the promises.
func (r *Result) judge(h history.History, only []check.Promise) {
	r.History = h
	report, err := check.Check(h, check.Options{Only: only})
	if err != nil {
		r.Findings = append(r.Findings, err.Error())
		return
	}
	r.Report = report
	for _, f := range report.Findings() {
		text := f.String()
		if f.Undecided {
			text = "undecided: " + text
		}
		r.Findings = append(r.Findings, text)
	}
}

// made lists the tasks that were made, in order. A world without a view of the
// store shows those that browsers were told of.
func (s *Scene) made(t *Thread) []history.Ref {
	var refs []history.Ref
	for _, e := range s.log.Sights() {
		known := e.Kind == history.Created || (e.Kind == history.RequestAnswered && e.Answer.Status < 300 && e.Answer.Status >= 200)
		if known && e.Task != "" && t.about(e) && !slices.Contains(refs, e.Task) {
			refs = append(refs, e.Task)
		}
	}
	return refs
}

// settle waits until every task has ended and what is left of their messages is
// gone, as far as that does not take long.
func (s *Scene) settle(ctx context.Context) error {
	for _, t := range s.threads {
		for _, ref := range s.made(t) {
			if err := t.endedTask(ctx, ref.Parts().ID); err != nil {
				return err
			}
		}
	}
	if err := s.indexesEnded(ctx); err != nil {
		return err
	}
	s.drain(ctx)
	s.log.Record(history.Event{Actor: "driver", Kind: history.Drained})
	return nil
}

// drain waits a while for messages of ended tasks to come back and go. One that
// is hidden for long does no harm: whoever gets it finds the task ended.
func (s *Scene) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*s.Timers().NarrowedVisibility())
	defer cancel()
	for {
		changed := s.log.Changed()
		if s.messagesGone() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// messagesGone reports whether every message that was delivered was deleted.
func (s *Scene) messagesGone() bool {
	open := map[string]bool{}
	for _, e := range s.log.Sights() {
		switch {
		case e.Message == nil || e.Message.ID == "":
		case e.Kind == history.Delivered:
			open[e.Message.ID] = true
		case e.Kind == history.Deleted:
			delete(open, e.Message.ID)
		}
	}
	return len(open) == 0
}

// outcome reads what became of the tasks, as their user sees them.
func (s *Scene) outcome(ctx context.Context) (all []Seen, deviations []string) {
	for _, t := range s.threads {
		refs := s.made(t)
		if len(refs) != len(t.ask.Want) {
			deviations = append(deviations, fmt.Sprintf("“%s”: %d tasks, want %d", t.ask.Question, len(refs), len(t.ask.Want)))
		}
		for i, ref := range refs {
			seen, err := s.look(ctx, t, ref)
			if err != nil {
				deviations = append(deviations, err.Error())
				continue
			}
			all = append(all, seen)
			if i < len(t.ask.Want) {
				for _, d := range s.wanted(t.ask.Want[i]).compare(seen) {
					deviations = append(deviations, fmt.Sprintf("“%s”: %s", t.ask.Question, d))
				}
			}
		}
	}
	return all, deviations
}

// wanted is what can be asked of a task where the provider's log is not at hand.
func (s *Scene) wanted(w Want) Want {
	if s.scripted() == nil {
		w.Requests = whatever
	}
	return w
}

// look reads a task through the API and counts what the history says of it.
func (s *Scene) look(ctx context.Context, t *Thread, ref history.Ref) (Seen, error) {
	id := ref.Parts().ID
	a := t.person.read(ctx, t.conversation, id, "", ref)
	if err := a.Want(200); err != nil {
		return Seen{}, err //nolint:wrapcheck // says what it is
	}
	if a.Task == nil {
		return Seen{}, fmt.Errorf("reading task %s shows none", id)
	}
	seen := seenOf(*a.Task)
	seen.Question = t.ask.Question
	if s.scripted() == nil {
		seen.Requests = unseen
	}
	for _, e := range s.log.Sights() {
		switch {
		case e.Task != ref:
		case e.Kind == history.CallReceived:
			seen.Requests++
		case isRefused(e) && e.Write().Claims():
			seen.Refused++
			seen.RefusedClaims++
		case isRefused(e) && e.Write().Fenced():
			seen.Refused++
		}
	}
	if _, other := foreign(s.World); other {
		seen.Requests = len(t.requests()) // its events are no part of the history
	}
	return seen, nil
}

func seenOf(t browser.Task) Seen {
	seen := Seen{
		Task: t.ID, Status: worktask.Status(t.Status), Calls: t.Spend.Calls, Unknown: t.Spend.CallsUnknown, Version: int(t.AssignmentVersion),
	}
	if t.Failure != nil {
		seen.Reason = worktask.Reason(t.Failure.Reason)
	}
	if t.Reply != nil {
		seen.Replies, seen.CutShort = 1, t.Reply.CutShort
	}
	return seen
}
