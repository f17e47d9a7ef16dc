package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/replyonce/replyonce/infra/drill/report"
	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
)

// State is how far a run is, in one word.
type State string

// The states.
const (
	Starting State = "starting"
	Playing  State = "playing"
	Done     State = "done"
	Stopped  State = "stopped"
	Failed   State = "failed"
)

// View is a run as polls show it.
type View struct {
	Run      string   `json:"run"`
	Version  int64    `json:"version"`
	State    State    `json:"state"`
	Progress string   `json:"progress"`
	Error    string   `json:"error"`
	Broken   string   `json:"broken"` // name of the break that it is played with
	Wanted   []string `json:"wanted"`
	Playing  *Now     `json:"playing"`
	Drills   []Ended  `json:"drills"`
}

// Now is the act that is being played.
type Now struct {
	Drill    string          `json:"drill"`
	Act      string          `json:"act"`
	Timeline drills.Timeline `json:"timeline"`
}

// Ended is a drill that has ended, without its timelines.
type Ended struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Status  report.Status `json:"status"`
	Seconds float64       `json:"seconds"`
	Acts    []EndedAct    `json:"acts"`
	Skipped []string      `json:"skipped"`
}

// EndedAct is an act that has ended, without its timeline.
type EndedAct struct {
	Title      string   `json:"title"`
	Passed     bool     `json:"passed"`
	Expected   string   `json:"expected"`
	Shown      string   `json:"shown"`
	Told       string   `json:"told"`
	Calls      int      `json:"calls"`
	Replies    int      `json:"replies"`
	Refused    int      `json:"refused"` // writes and claims
	Claims     int      `json:"refused_claims"`
	Seconds    float64  `json:"seconds"`
	Deviations []string `json:"deviations"`
	Findings   []string `json:"findings"`
}

// settle is how long news are gathered before a poll is answered: a timeline
// grows by several points at a time.
const settle = 100 * time.Millisecond

// run is one run. Its fields are guarded by the runner.
type run struct {
	id       string
	stop     context.CancelFunc
	ended    chan struct{}
	version  int64
	state    State
	progress string
	err      string
	broken   string
	wanted   []drills.Drill
	outcomes map[string]*suite.Outcome
	playing  *Now
	log      *drills.Log // of the act that is being played
}

// runner plays one run at a time and keeps the last one.
type runner struct {
	config Config

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when the run has news
	count   int
	current *run
}

func newRunner(c Config) *runner { return &runner{config: c, changed: make(chan struct{})} }

// catalogue lists all drills by their numbers.
func (r *runner) catalogue() []drills.Drill {
	list := drills.Catalogue()
	slices.SortFunc(list, func(a, b drills.Drill) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// whyNot says why a drill cannot be played here; "" when it can.
func (r *runner) whyNot(d drills.Drill) string {
	why := ""
	for _, act := range d.Acts {
		if why = act.WhyNot(r.config.Can); why == "" {
			return "" // one act is enough
		}
	}
	return why
}

var errInProgress = errors.New("a run is under way")

type unknownDrillError struct{ id string }

func (e *unknownDrillError) Error() string { return fmt.Sprintf("There is no drill %q here.", e.id) }

type unknownBreakError struct{ name string }

func (e *unknownBreakError) Error() string {
	return fmt.Sprintf("There is no way called %q to break the service here.", e.name)
}

// begin starts a run of the drills with these ids; of all, if there are none.
// broken is the break that it is played with; "" breaks nothing.
func (r *runner) begin(ids []string, broken string) (id string, err error) {
	wanted, err := r.choose(ids)
	if err != nil {
		return "", err
	}
	if broken != "" && !slices.ContainsFunc(r.config.Breaks, func(b Break) bool { return b.Name == broken }) {
		return "", &unknownBreakError{broken}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil && !r.current.over() {
		return "", errInProgress
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.count++
	one := &run{
		id: strconv.Itoa(r.count), stop: cancel, ended: make(chan struct{}), state: Starting, broken: broken, wanted: wanted,
		outcomes: map[string]*suite.Outcome{},
	}
	r.current = one
	go r.play(ctx, one)
	return one.id, nil
}

func (r *runner) choose(ids []string) ([]drills.Drill, error) {
	var wanted []drills.Drill
	if len(ids) == 0 {
		for _, d := range r.catalogue() {
			if r.whyNot(d) == "" {
				wanted = append(wanted, d)
			}
		}
		return wanted, nil
	}
	for _, id := range ids {
		d, found := drills.Find(id)
		if !found || r.whyNot(d) != "" {
			return nil, &unknownDrillError{id}
		}
		wanted = append(wanted, d)
	}
	return wanted, nil
}

func (o *run) over() bool { return o.state == Done || o.state == Stopped || o.state == Failed }

// change changes a run and tells those who wait.
func (r *runner) change(one *run, how func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	how()
	one.version++
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *runner) play(ctx context.Context, one *run) {
	defer close(one.ended)
	defer one.stop()
	err := r.prepare(ctx, one)
	if err == nil {
		s := suite.Suite{
			Start: func(ctx context.Context, kind drills.Kind) (suite.World, error) {
				w, err := r.config.Start(ctx, kind, one.broken)
				if err != nil {
					return nil, err
				}
				return watched{w, func(log *drills.Log) { r.follow(ctx, one, log) }}, nil
			},
			Began: func(d drills.Drill, act drills.Act) {
				r.change(one, func() { one.state, one.progress, one.playing = Playing, "", &Now{Drill: d.ID, Act: act.Title} })
			},
			Ended: func(d drills.Drill, result drills.Result) { r.change(one, func() { one.end(d, result) }) },
		}
		_, err = s.Play(ctx, one.wanted)
	}
	r.change(one, func() {
		one.playing, one.log, one.state, one.progress = nil, nil, Done, ""
		switch {
		case ctx.Err() != nil:
			one.state = Stopped
		case err != nil:
			one.state, one.err = Failed, err.Error()
		}
	})
}

func (r *runner) prepare(ctx context.Context, one *run) error {
	if r.config.Prepare == nil {
		return nil
	}
	return r.config.Prepare(ctx, one.broken, func(text string) { r.change(one, func() { one.progress = text }) })
}

func (o *run) end(d drills.Drill, result drills.Result) {
	outcome := o.outcomes[d.ID]
	if outcome == nil {
		outcome = &suite.Outcome{Drill: d}
		o.outcomes[d.ID] = outcome
	}
	outcome.Results = append(outcome.Results, result)
	outcome.Took += result.Took
	o.playing, o.log = nil, nil
}

// watched is a world that tells of the records which it begins.
type watched struct {
	suite.World
	began func(*drills.Log)
}

// Begin implements drills.World.
func (w watched) Begin(name string) *drills.Log {
	log := w.World.Begin(name)
	w.began(log)
	return log
}

// follow makes news of what is recorded, a few times a second.
func (r *runner) follow(ctx context.Context, one *run, log *drills.Log) {
	r.mu.Lock()
	one.log = log
	r.mu.Unlock()
	go func() {
		for {
			changed := log.Changed()
			r.mu.Lock()
			mine := one.log == log
			r.mu.Unlock()
			if !mine {
				return
			}
			r.change(one, func() {})
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(settle):
			case <-ctx.Done():
				return
			}
		}
	}()
}

// wait returns the run once its version is higher.
func (r *runner) wait(ctx context.Context, id string, after int64) (View, bool) {
	for {
		r.mu.Lock()
		one, changed := r.current, r.changed
		if one == nil || one.id != id {
			r.mu.Unlock()
			return View{}, false
		}
		if one.version > after || one.over() || ctx.Err() != nil {
			defer r.mu.Unlock()
			return one.view(), true
		}
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// view must be called with the runner's lock held.
func (o *run) view() View {
	v := View{Run: o.id, Version: o.version, State: o.state, Progress: o.progress, Error: o.err, Broken: o.broken, Wanted: []string{}, Drills: []Ended{}}
	if o.playing != nil {
		now := *o.playing
		if o.log != nil {
			now.Timeline = o.log.Timeline()
		}
		v.Playing = &now
	}
	for _, d := range o.wanted {
		v.Wanted = append(v.Wanted, d.ID)
		if outcome := o.outcomes[d.ID]; outcome != nil {
			v.Drills = append(v.Drills, endedOf(report.DrillOf(*outcome)))
		}
	}
	return v
}

func endedOf(d report.Drill) Ended {
	e := Ended{ID: d.ID, Name: d.Name, Status: d.Status, Seconds: d.Seconds, Acts: []EndedAct{}, Skipped: list(d.Skipped)}
	for _, a := range d.Acts {
		e.Acts = append(e.Acts, EndedAct{
			Title: a.Title, Passed: a.Passed, Expected: a.Expected, Shown: a.Shown, Told: a.Told, Calls: a.Calls, Replies: a.Replies,
			Refused: a.Refused, Claims: a.RefusedClaims, Seconds: a.Seconds, Deviations: list(a.Deviations), Findings: list(a.Findings),
		})
	}
	return e
}

func list(texts []string) []string { return append([]string{}, texts...) }

// drill is a drill that has ended, with everything.
func (r *runner) drill(id, drill string) (report.Drill, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil || r.current.id != id {
		return report.Drill{}, false
	}
	outcome := r.current.outcomes[strings.ToUpper(drill)]
	if outcome == nil {
		return report.Drill{}, false
	}
	return report.DrillOf(*outcome), true
}

func (r *runner) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil {
		return ""
	}
	return r.current.id
}

func (r *runner) stop(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current == nil || r.current.id != id {
		return false
	}
	r.current.stop()
	return true
}

func (r *runner) close() {
	r.mu.Lock()
	one := r.current
	r.mu.Unlock()
	if one != nil {
		one.stop()
		<-one.ended
	}
}
