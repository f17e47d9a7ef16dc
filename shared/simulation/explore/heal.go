package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

func timeOf(ticks int) time.Duration { return time.Duration(ticks) * tick }

// healthySteps are many more than a healthy world needs until the end of a task.
const healthySteps = 1000

// heals lets the world go on without faults and with everybody served at once,
// and sees that the task ends one recovery interval after its deadline, or after
// now if that is later.
func (m *model) heals(s *state) {
	s = s.clone()
	s.faults = 0
	for _, slow := range s.heldUp() {
		*slow = true
	}
	promised := m.deadline() + int(m.timers.RecoveryInterval()/tick) + m.skewed()
	latest := promised + max(s.now-m.deadline(), 0)
	ticks := m.Ticks
	defer func() { m.Ticks, m.visit = ticks, nil }()
	m.Ticks = latest + 1
	var path []key
	for steps := 0; !s.task.Status.Ended(); steps++ {
		k := m.key(s)
		if _, known := m.healing[k]; known {
			break
		}
		path = append(path, k)
		if s.now > latest || steps > healthySteps {
			m.note(fmt.Errorf("%w: it is %s at version %d, %d ticks after its deadline", errNeverEnds, s.task.Status, s.task.AssignmentVersion, s.now-m.deadline()))
			return
		}
		s = m.healthyStep(s)
		if m.broken != nil {
			return
		}
	}
	if latest > promised {
		return // a state that was late already proves nothing of others
	}
	for _, k := range path {
		m.healing[k] = struct{}{}
	}
}

func (m *model) skewed() int {
	most := 0
	for _, n := range m.Skew {
		most = max(most, n, -n)
	}
	return 2 * most
}

// healthyStep is the first step of those that a healthy world makes; time passes
// when there is none.
func (m *model) healthyStep(s *state) *state {
	var chosen, passed *state
	m.visit = func(label string, n *state) {
		switch {
		case label == passes:
			passed = n
		case chosen == nil && healthy(label):
			chosen = n
		}
	}
	m.successors(s)
	m.visit = nil
	if chosen != nil {
		return chosen
	}
	return passed
}

// healthy leaves out what goes wrong without being counted as a fault, and what
// the user does.
func healthy(label string) bool {
	for _, bad := range []string{"cannot", "rejected", "sees no end", "no usable", "declined", "still runs", "forgotten", "operation id", "user cancels", "beats"} {
		if strings.Contains(label, bad) {
			return false
		}
	}
	return true
}

// clocked is a write that carries its writer's clock.
type clocked interface {
	worktask.Transition
	Now() time.Time
}
