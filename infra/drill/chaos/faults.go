package chaos

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// hands are what is done to a running service; onemachine.World has them.
type hands interface {
	Processes(function drills.Role) []string
	Kill(process string)
	Freeze(process string)
	Thaw(process string)
	StepClock(process string, offset time.Duration) error
	At(p drills.Point, do drills.Do) (remove func())
	Put(ctx context.Context, body string) error
}

// trouble makes the faults of a plan happen and counts those that have.
type trouble struct {
	hands  hands
	recent func(*rand.Rand) worktask.Ref // a task that was made lately
	random *rand.Rand

	mu        sync.Mutex
	happened  map[what]int
	frozen    []string // processes
	twice     int      // deliveries that are to be doubled
	late      []time.Duration
	undo      []func()
	skew      time.Duration // how far any clock was ever off
	wrong     []error
	going     sync.WaitGroup // faults that last
	delivered <-chan struct{}
}

// what is counted of faults.
type what struct {
	kind Kind
	role drills.Role
	op   drills.Op
}

func newTrouble(h hands, recent func(*rand.Rand) worktask.Ref, seed uint64) *trouble {
	return &trouble{
		hands: h, recent: recent, happened: map[what]int{},
		random: rand.New(rand.NewPCG(seed, 31)), //nolint:gosec // a run is to be repeated, not to be secret
	}
}

// play makes the faults happen in their times until ctx ends, then takes back
// what is left of them: processes go on, clocks are right, messages arrive.
func (t *trouble) play(ctx context.Context, plan []Fault) {
	begun := time.Now()
	t.mu.Lock()
	t.delivered = ctx.Done()
	t.mu.Unlock()
	for _, f := range plan {
		if wait(ctx, f.At-time.Since(begun)) != nil {
			break
		}
		t.do(ctx, f)
	}
	<-ctx.Done()
	t.mu.Lock()
	undo := t.undo
	t.undo, t.twice, t.late = nil, 0, nil
	t.mu.Unlock()
	for _, u := range undo {
		u()
	}
	t.going.Wait()
}

// do makes one fault happen, or lets it wait for the request or the message that
// it happens to.
func (t *trouble) do(ctx context.Context, f Fault) {
	names := t.hands.Processes(f.Role)
	process := names[f.Process%len(names)]
	switch f.Kind {
	case Kill:
		t.kill(process)
		t.count(f)
	case Freeze:
		if t.freeze(process) {
			t.count(f)
			t.going.Go(func() {
				_ = wait(ctx, f.For) // the end of the run ends it, too
				t.thaw(process)
			})
		}
	case Step:
		t.step(ctx, process, f)
	case Duplicate, Delay:
		t.awaitMessage(f)
	case Copy:
		t.copy(ctx, f)
	case KillBefore, KillAfter, HoldWrite, LoseAnswer, Cut, Deny:
		t.awaitRequest(ctx, f)
	}
}

func (t *trouble) count(f Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.happened[what{f.Kind, f.Role, f.Op}]++
}

func (t *trouble) kill(process string) {
	t.mu.Lock()
	t.frozen = slices.DeleteFunc(t.frozen, func(name string) bool { return name == process })
	t.mu.Unlock()
	t.hands.Kill(process)
}

// freeze stops a process, unless it stands still already, or half of the
// function's processes do: somebody has to be there to take over.
func (t *trouble) freeze(process string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	var others []string
	for _, role := range []drills.Role{drills.Worker, drills.API, drills.Dispatcher} {
		if names := t.hands.Processes(role); slices.Contains(names, process) {
			others = names
		}
	}
	still := 0
	for _, name := range t.frozen {
		if slices.Contains(others, name) {
			still++
		}
	}
	if slices.Contains(t.frozen, process) || 2*still >= len(others) {
		return false
	}
	t.frozen = append(t.frozen, process)
	t.hands.Freeze(process)
	return true
}

// thaw lets a process go on; one that was killed meanwhile stays as it is.
func (t *trouble) thaw(process string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.frozen, process); i >= 0 {
		t.frozen = slices.Delete(t.frozen, i, i+1)
		t.hands.Thaw(process)
	}
}

func (t *trouble) step(ctx context.Context, process string, f Fault) {
	if err := t.hands.StepClock(process, f.Offset); err != nil {
		t.fail(err)
		return
	}
	t.count(f)
	t.mu.Lock()
	t.skew = max(t.skew, f.Offset.Abs())
	t.mu.Unlock()
	t.going.Go(func() {
		_ = wait(ctx, f.For)
		if err := t.hands.StepClock(process, 0); err != nil {
			t.fail(err)
		}
	})
}

func (t *trouble) copy(ctx context.Context, f Fault) {
	ref := t.recent(t.random)
	if ref.ID == "" {
		return
	}
	body, err := sqsqueue.Encode(ref)
	if err == nil {
		err = t.hands.Put(ctx, body)
	}
	if err != nil {
		if ctx.Err() == nil {
			t.fail(err)
		}
		return
	}
	t.count(f)
}

func (t *trouble) awaitMessage(f Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.Kind == Duplicate {
		t.twice++
	} else {
		t.late = append(t.late, f.For)
	}
}

// copies is the event source's hook.
func (t *trouble) copies(types.Message) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.twice == 0 {
		return 1
	}
	t.twice--
	t.happened[what{kind: Duplicate, role: drills.Worker}]++
	return 2
}

// hold is the event source's hook.
func (t *trouble) hold(ctx context.Context, _ []types.Message) {
	t.mu.Lock()
	if len(t.late) == 0 {
		t.mu.Unlock()
		return
	}
	d := t.late[0]
	t.late = t.late[1:]
	t.happened[what{kind: Delay, role: drills.Worker}]++
	over := t.delivered
	t.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
	case <-ctx.Done():
	}
}

// awaitRequest catches the next request of the kind.
func (t *trouble) awaitRequest(ctx context.Context, f Fault) {
	remove := t.hands.At(drills.Point{Role: f.Role, Op: f.Op, Times: 1}, func(p drills.Passing) drills.Fate {
		t.count(f)
		return t.meet(ctx, f, p)
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.undo = append(t.undo, remove)
}

// meet decides the fate of a caught request.
func (t *trouble) meet(ctx context.Context, f Fault, p drills.Passing) drills.Fate {
	switch f.Kind { //nolint:exhaustive // the others happen to processes and messages
	case KillBefore:
		t.kill(p.Process)
	case KillAfter:
		p.Forward()
		t.kill(p.Process)
	case LoseAnswer:
		p.Forward()
	case Deny:
		return drills.Unavailable
	case HoldWrite:
		frozen := t.freeze(p.Process)
		_ = wait(ctx, f.For)
		p.Forward()
		if frozen {
			t.thaw(p.Process)
		}
		return drills.Answered
	}
	return drills.Unheard // Cut, too
}

func (t *trouble) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrong = append(t.wrong, err)
}

// counts are the faults that have happened, by what they are.
func (t *trouble) counts() map[what]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make(map[what]int, len(t.happened))
	for w, n := range t.happened {
		all[w] = n
	}
	return all
}
