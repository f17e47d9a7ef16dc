package dynamostore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// The golden file is the decision table in DynamoDB's language: read it beside
// the Permitted and Apply of package worktask.
func TestExpressionsOfTransitions(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, n := range sampleTransitions() {
		e, err := expressionOf(n.tr)
		if err != nil {
			t.Fatalf("%s: %v", n.name, err)
		}
		fmt.Fprintf(&b, "%s\n  if %s\n  %s\n%s\n", n.name, aws.ToString(e.condition()), aws.ToString(e.update()), render(e.values))
	}
	golden(t, "transitions.golden", b.String())
}

// Claims and renewals are the frequent writes; touching an index key would cost
// two units more each time, and moving the due time is not theirs.
func TestOnlyEndsReleasesAndBumpsTouchTheIndex(t *testing.T) {
	t.Parallel()
	touching := []string{"complete", "fail", "end", "cancel", "bump", "release"}
	for _, n := range sampleTransitions() {
		e, err := expressionOf(n.tr)
		if err != nil {
			t.Fatalf("%s: %v", n.name, err)
		}
		touches := strings.Contains(aws.ToString(e.update()), "#"+dynamoschema.HandoffDueAt)
		if want := slices.Contains(touching, n.tr.Name()); touches != want {
			t.Errorf("%s touches the index: %t, want %t", n.name, touches, want)
		}
	}
}

// Every write of a worker has the whole fence, whatever else it asks for.
func TestWorkersWriteBehindTheFence(t *testing.T) {
	t.Parallel()
	for _, n := range sampleTransitions() {
		if _, isWorker := n.tr.(interface{ Assignment() worktask.Assignment }); !isWorker {
			continue
		}
		e, err := expressionOf(n.tr)
		if err != nil {
			t.Fatalf("%s: %v", n.name, err)
		}
		for _, part := range []string{"#status = :running", "#assignment_version = :version", "#lease_expires_at_ms > :now"} {
			if !slices.Contains(e.require, condition{text: part}) {
				t.Errorf("%s does not require %q", n.name, part)
			}
		}
	}
}

type unknownTransition struct{ worktask.Cancel }

func TestUnwritableTransitionsAreErrors(t *testing.T) {
	t.Parallel()
	a := sampleAssignment()
	other := sampleAssignment().Ref()
	other.ID = "other"
	for name, c := range map[string]struct {
		ref worktask.Ref
		tr  worktask.Transition
	}{
		"a transition that is not known":   {a.Ref(), unknownTransition{}},
		"a claim without an assignment id": {a.Ref(), worktask.Claim{Now: instant, LeaseUntil: instant}},
		"a look-up without one":            {a.Ref(), worktask.LookupClaim{Now: instant, LeaseUntil: instant}},
		"a completion without a result":    {a.Ref(), a.Complete(instant, worktask.Result{}, report)},
		"an end for a worker's reason":     {a.Ref(), worktask.End{Reason: worktask.Declined, Now: instant}},
		"another task's assignment":        {other, a.Begin(instant)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(nil, "table", Options{})
			if _, err := s.updateInput(c.ref, c.tr); err == nil {
				t.Error("no error")
			}
		})
	}
}
