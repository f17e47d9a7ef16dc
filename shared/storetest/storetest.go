// Package storetest holds every store to one set of rules. The rules are not
// written down a second time: what a write does is what the pure transition
// says, and the suite compares.
//
// A case returns an error instead of failing a test, so that the suite can be
// turned against stores that are wrong on purpose and be seen to notice.
package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/upload"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Store is all that the use cases ask of a database.
type Store interface {
	taskflow.Tasks
	taskflow.Handoffs
	taskflow.EvidenceStore
	conversation.Store
	document.Store
	indexing.Store
	upload.Store
	keyed.Records
}

// Deviations are the ways in which an engine is known to differ from DynamoDB.
// Where an engine deviates the suite asserts that it does: an engine that was
// repaired makes the suite say so, and nothing is left out in silence.
type Deviations struct {
	// HidesOldItem: a failed condition does not tell which item it met.
	HidesOldItem bool
	// KeepsRemoved: an update cannot remove an attribute; it stays as it was,
	// and an ended task stays in the index with it.
	KeepsRemoved bool
	// LosesPlace: a continuation key whose item has moved on in the index is
	// taken for the end, so that a sweep that bumps as it goes misses tasks.
	LosesPlace bool
	// UnsteadyTies: entries of the index with one due time change places from
	// page to page, so that a sweep may see one twice and miss another. It
	// shows at random and cannot be asserted; due times differ there.
	UnsteadyTies bool
	// SmallVolumes: the engine is too slow for the suite's numbers; fewer
	// states and smaller lists are tried, spread evenly.
	SmallVolumes bool
}

// ParseDeviations reads deviations by their names in snake case, with commas
// between them, as an environment variable gives them for an engine that runs
// outside.
func ParseDeviations(names string) (Deviations, error) {
	var d Deviations
	known := map[string]*bool{
		"hides_old_item": &d.HidesOldItem, "keeps_removed": &d.KeepsRemoved, "loses_place": &d.LosesPlace,
		"unsteady_ties": &d.UnsteadyTies, "small_volumes": &d.SmallVolumes,
	}
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		flag, ok := known[name]
		if !ok {
			return Deviations{}, fmt.Errorf("deviation %q is none of %v", name, slices.Sorted(maps.Keys(known)))
		}
		*flag = true
	}
	return d, nil
}

// Case is one rule.
type Case struct {
	Name string
	Run  func(ctx context.Context, e *Env) error
}

// Cases are all rules.
func Cases() []Case {
	var all []Case
	all = append(all, transitionCases()...)
	all = append(all, taskCases()...)
	all = append(all, handoffCases()...)
	all = append(all, creationCases()...)
	all = append(all, recordCases()...)
	all = append(all, conversationCases()...)
	all = append(all, logCases()...)
	all = append(all, documentCases()...)
	all = append(all, indexingCases()...)
	all = append(all, uploadCases()...)
	all = append(all, deletionCases()...)
	all = append(all, sizeCases()...)
	all = append(all, evidenceCases()...)
	all = append(all, raceCases()...)
	return all
}

// Exercise runs every case in parallel, each on a store of its own.
func Exercise(t *testing.T, newStore func(t *testing.T) Store, d Deviations) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if err := c.Run(t.Context(), NewEnv(newStore(t), d)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Env is what a case works with. Its workspace is its own, so that cases can
// share a table.
type Env struct {
	Store
	Deviations
	Workspace string

	ids    uint64
	seeded []worktask.Ref // tasks that the case has stored
}

// NewEnv makes the surroundings of one case.
func NewEnv(s Store, d Deviations) *Env {
	return &Env{Store: s, Deviations: d, Workspace: "w-" + ulid.Make().String()}
}

// now is the instant that cases play at. It has a rest below the millisecond,
// because stores keep none, and so large a one that rounding would show.
func now() time.Time {
	return time.Date(2026, time.November, 29, 12, 0, 0, 123_987_654, time.UTC)
}

// margin is the clock-skew margin of takeovers.
const margin = 2 * time.Second

// lease is how long cases claim.
const lease = 30 * time.Second

// id makes the next id in order.
func (e *Env) id() string {
	e.ids++
	var id ulid.ULID
	if err := id.SetTime(ulid.Timestamp(now()) + e.ids); err != nil {
		panic(fmt.Sprintf("ulid of %d ms after %s: %v", e.ids, now(), err)) // not before the year 10889
	}
	return id.String()
}

// pick is large, or small on an engine that is too slow for large.
func (e *Env) pick(large, small int) int {
	if e.SmallVolumes {
		return small
	}
	return large
}
