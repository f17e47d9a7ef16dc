package drills

import (
	"context"
	"slices"

	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Drill is one failure and what must be seen of it. The texts are for readers
// who know nothing of how the service is built.
type Drill struct {
	ID   string // such as "D07"
	Name string
	// Happens is what goes wrong, and MustSee what the service must make of it.
	Happens, MustSee string
	// Promises are those that the drill puts to the test more than others do.
	Promises []check.Promise
	// Acts are played one after the other, each in a world of its own kind.
	Acts []Act
}

// Act is one script of a drill.
type Act struct {
	Title string // where a drill has several
	Kind  Kind
	Needs []Need
	// Asks are the questions that the act asks, each in a conversation of its own.
	Asks []Ask
	// Indexes are what must become of the tasks that index versions, in the order in
	// which they were made.
	Indexes []Want
	// Play is the script. Its error is what was not as it must be.
	Play func(ctx context.Context, s *Scene) error
}

// Kind is what a world is set up for. Worlds of one kind can be used again.
type Kind struct {
	OnUnknown worktask.UnknownPolicy // of new tasks; "" is retry
	Keys      bool                   // the provider documents idempotency keys
	Lookup    bool                   // the provider documents operations that can be looked up
}

// Need is what an act asks of a world beyond HTTP.
type Need string

// The needs.
const (
	Provider  Need = "provider"  // the provider is scripted, and its log can be read
	Faults    Need = "faults"    // requests to store and queue can be caught on their way
	Processes Need = "processes" // processes can be killed and frozen
	Queue     Need = "queue"     // messages can be held, copied and put into the queue
	Clocks    Need = "clocks"    // wall clocks of single processes can be stepped
	Panics    Need = "panics"    // a worker's own code can be made to panic
	Virtual   Need = "virtual"   // days can pass
	People    Need = "people"    // several people can sign in
)

// Ask is one question and what must become of it.
type Ask struct {
	Question string
	Steps    []providertest.Step // what the provider does with its requests
	Repeat   bool                // the last step is repeated for ever
	Want     []Want              // of its tasks, in the order in which they were made
}

// Needs is everything that a world must be able to do for the whole drill.
func (d Drill) Needs() []Need {
	var all []Need
	for _, act := range d.Acts {
		for _, need := range act.Needs {
			if !slices.Contains(all, need) {
				all = append(all, need)
			}
		}
	}
	return all
}

// Remote reports whether HTTP alone is enough for an act of the drill.
func (d Drill) Remote() bool {
	return slices.ContainsFunc(d.Acts, func(a Act) bool {
		return !slices.ContainsFunc(a.Needs, func(n Need) bool { return n != People })
	})
}

// WhyNot says why an act cannot be played where only some needs are met; "" when
// it can.
func (a Act) WhyNot(can func(Need) bool) string {
	var missing []Need
	for _, n := range a.Needs {
		if !can(n) {
			missing = append(missing, n)
		}
	}
	switch {
	case len(missing) == 0:
		return ""
	case slices.Contains(missing, People):
		return "several people have to sign in"
	case slices.Contains(missing, Virtual), slices.Contains(missing, Panics):
		return "played in virtual time only"
	}
	return "needs hands on the service"
}

// Catalogue lists every drill, by number.
func Catalogue() []Drill {
	return slices.Concat(acceptDrills(), crashDrills(), lateDrills(), providerDrills(), queueDrills(), userDrills(), clockDrills(), allDrills(), indexDrills())
}

// Find is the drill with an id such as "D07".
func Find(id string) (Drill, bool) {
	for _, d := range Catalogue() {
		if d.ID == id {
			return d, true
		}
	}
	return Drill{}, false
}
