package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/simulation/explore"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TestMachinesFollowTheFlow holds the machines of the exhaustive search to the
// real task flow: on each path the same writes must land in the same order, and
// the task must be the same at its end.
func TestMachinesFollowTheFlow(t *testing.T) {
	walks := uint64(2000)
	if testing.Short() {
		walks = 300
	}
	landed := map[string]int{}
	for seed := range walks {
		random := rand.New(rand.NewPCG(seed, 1))
		o := explore.Options{
			Policy: worktask.RetryUnknown, Faults: random.IntN(4), Lease: 3, Ticks: 12, Messages: 1, Attempts: 2, Calls: 3,
			Cancel: random.IntN(3) == 0, Operations: random.IntN(2) == 0,
		}
		if random.IntN(2) == 0 {
			o.Policy = worktask.StopUnknown
		}
		if random.IntN(3) == 0 {
			o.Money = explore.CallMoney + random.IntN(explore.CallMoney+1)
		}
		w := explore.RandomWalk(o, 10+random.IntN(40), random.IntN)
		compare(t, seed, o, w)
		for _, m := range w.Moves {
			for _, name := range m.Landed {
				landed[name]++
			}
		}
	}
	t.Logf("writes on %d paths: %v", walks, landed)
	for _, name := range []string{"claim", "claim_lookup", "begin", "save_operation", "complete", "release", "fail", "end", "cancel", "bump"} {
		if landed[name] == 0 {
			t.Errorf("no path with a write %s", name)
		}
	}
}

// compare makes the path in the world and looks for a difference.
func compare(t *testing.T, seed uint64, o explore.Options, w explore.Walk) {
	t.Helper()
	timers := o.Timers()
	// Last writes and functions have all the time there is: when they are held
	// up for too long is not among what is compared.
	timers.WorkerReserve, timers.WorkerLimit, timers.APILimit = 2*time.Hour, 24*time.Hour, 24*time.Hour
	timers.CallLimit, timers.Visibility = time.Hour, 48*time.Hour
	wiring := world.Wiring{Timers: &timers, Jitter: func(r world.Role) float64 {
		if r == world.Worker {
			return 1
		}
		return 0
	}}
	s := world.Schedule{Setup: world.Setup{Policy: o.Policy, MoneyLimit: int64(o.Money), CallMoney: callMoneyOf(o)}, Steps: []world.Step{{Op: world.Send}, serve("accept", world.None)}}
	var labels, want []string
	for _, m := range w.Moves {
		labels = append(labels, m.Label)
		want = append(want, m.Landed...)
		s.Steps = append(s.Steps, translate(m)...)
	}
	r := world.Run(t, s, wiring, history.Header{}, time.Now)
	got, item := storedUntil(r.History, len(want))
	if !slices.Equal(got, want) {
		t.Fatalf("seed %d: on the path\n  %s\nthere landed %v, want %v\nsteps %v", seed, strings.Join(labels, "\n  "), got, want, s.Steps)
	}
	if len(want) == 0 {
		return
	}
	if a, b := describe(item.Task(""), r.History.Events[0].At), describe(w.Task, time.Unix(1_000_000_000, 0)); a != b {
		t.Fatalf("seed %d: after the path\n  %s\nthe task is\n  %s, want\n  %s", seed, strings.Join(labels, "\n  "), a, b)
	}
}

func callMoneyOf(o explore.Options) int64 {
	if o.Money == 0 {
		return 0
	}
	return explore.CallMoney
}

// storedUntil are the first writes that landed and the item after them. What
// lands later is the healing.
func storedUntil(h history.History, n int) (names []string, item history.Item) {
	for _, e := range h.Events {
		if e.Kind == history.Stored && len(names) < n {
			names = append(names, e.Write.Transition)
			item = *e.After
		}
	}
	return names, item
}

// describe is a task without names that differ.
func describe(t worktask.Task, start time.Time) string {
	at := func(x time.Time) string {
		if x.IsZero() {
			return "-"
		}
		return x.Sub(start).String()
	}
	return fmt.Sprintf("%s %s version %d attempts %d calls %d known %d money %d open %t operation %t result %t lease %s next %s due %s",
		t.Status, t.FailureReason, t.AssignmentVersion, t.Budget.AttemptsLeft, t.Budget.CallsLeft, t.Budget.CallsKnown, t.Money.Left, t.CallOpen,
		t.OperationID != "", t.Result.Present(), at(t.LeaseExpiresAt), at(t.NextAttemptAt), at(t.HandoffDueAt))
}

// faultOf names the faults of the machines' writes.
var faultOf = []struct {
	ends  string
	fault world.Fault
}{
	{" lost after", world.LostAfter},
	{" lost before", world.LostBefore},
	{" second try", world.SecondTry},
	{" dies before", world.DieBefore},
	{" dies after", world.DieAfter},
}

// answers name what a worker learns of its request or look-up.
var answers = map[string]world.Step{
	"is answered":                 {Fault: world.None},
	"sees no end":                 {Fault: world.Cut},
	"is rejected":                 {Fault: world.Overloaded},
	"is rejected for long":        {Fault: world.Overloaded, C: absurd},
	"gets no usable answer":       {Fault: world.Empty},
	"is declined":                 {Fault: world.Permanent},
	"learns that it still runs":   {Fault: world.Runs},
	"learns that it is forgotten": {Fault: world.Forgotten},
	"is told an operation id":     {Fault: world.Operation},
}

// translate puts a step of the machines into steps of the world. Everybody is
// frozen but the one whose step it is, so that time can pass at any moment.
func translate(m explore.Move) []world.Step {
	host, does := who(m.Label)
	on := func(s world.Step) []world.Step {
		s.Host = host
		return []world.Step{s, {Op: world.Thaw, Host: host}, step(world.Tidy), {Op: world.Freeze, Host: host}}
	}
	get := world.Step{Op: world.Serve, Call: "get"}
	switch {
	case m.Ticks > 0:
		return slices.Repeat([]world.Step{{Op: world.Advance, A: 1, B: 1}}, m.Ticks)
	case host == "":
		return nil // a message is lost or comes twice: each delivery has its own
	case does == "receives":
		return []world.Step{{Op: world.Deliver, Call: world.NewMessage, Host: host}, {Op: world.Freeze, Host: host}}
	case host == dispatcherHost && does == "reads":
		return slices.Concat([]world.Step{step(world.Dispatch)}, on(get))
	case does == "cancels":
		return slices.Concat([]world.Step{step(world.CancelTask)}, on(get))
	case does == "reads", does == "reads back":
		return on(get)
	case does == "cannot read":
		return on(world.Step{Op: world.Serve, Call: "get", Fault: world.Refused})
	case does == "sends":
		return on(world.Step{Op: world.Serve, Call: "send"})
	case does == "cannot connect":
		return on(world.Step{Op: world.Serve, Call: "send", Fault: world.Refused})
	case does == "publishes":
		return on(world.Step{Op: world.Serve, Call: "publish"})
	case does == "dies", does == "dies before sending", does == "dies before publishing":
		return []world.Step{{Op: world.Crash, Host: host}}
	}
	if answer, known := answers[does]; known {
		answer.Op, answer.Call = world.Serve, world.Answer
		return on(answer)
	}
	return on(faulty(does))
}

func faulty(does string) world.Step {
	s := world.Step{Op: world.Serve, Call: does}
	for _, f := range faultOf {
		if name, found := strings.CutSuffix(does, f.ends); found {
			s.Call, s.Fault = name, f.fault
		}
	}
	return s
}

const (
	dispatcherHost = "dispatcher-1"
	apiHost        = "api"
)

// who tells the host and what is done there.
func who(label string) (host, does string) {
	for prefix, host := range map[string]string{
		"worker 1 ": "worker-1", "worker 2 ": "worker-2", "dispatcher ": dispatcherHost, "user ": apiHost,
	} {
		if does, found := strings.CutPrefix(label, prefix); found {
			return host, does
		}
	}
	switch {
	case label == "cancel reads":
		return apiHost, "reads"
	case strings.HasPrefix(label, "cancel"):
		return apiHost, label
	}
	return "", label
}
