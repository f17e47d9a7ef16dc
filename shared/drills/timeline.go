package drills

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/providerlog"
)

// Timeline is a history as people look at it: points and bars in lanes.
type Timeline struct {
	Begun  time.Time `json:"begun"`
	EndsMS int64     `json:"ends_ms"` // the last of anything, from the begin on
	Lanes  []string  `json:"lanes"`   // that have anything, in the order in which they are shown
	Points []Moment  `json:"points"`
	Bars   []Bar     `json:"bars"`
}

// Moment is one thing that happened.
type Moment struct {
	AtMS int64  `json:"at_ms"`
	Lane string `json:"lane"`
	Text string `json:"text"`
	Mark Mark   `json:"mark,omitempty"`
}

// Bar is something that lasted.
type Bar struct {
	FromMS int64   `json:"from_ms"`
	ToMS   int64   `json:"to_ms"`
	Lane   string  `json:"lane"`
	Text   string  `json:"text"`
	Kind   BarKind `json:"kind"`
}

// Mark is why a moment stands out.
type Mark string

// The marks.
const (
	Refusal    Mark = "refused"     // a write that the store refused
	TurnedAway Mark = "turned_away" // a claim that the store refused: the task is not free
	LeaseOver  Mark = "over"        // the time is over for which a worker may hold the task
	Loss       Mark = "lost"        // an acknowledgement or an answer that nobody got
	Death      Mark = "killed"
	Saved      Mark = "saved" // a reply
	Trouble    Mark = "fault" // what the script does to the service
)

// The marks of what a service as it must be never does.
const (
	Stale       Mark = "stale"       // a write landed whose sender no longer had the task
	Overwritten Mark = "overwritten" // a reply was saved over another one
	Robbed      Mark = "robbed"      // after a stale write, the worker that has the task is refused
)

// BarKind is what lasted.
type BarKind string

// The kinds of bars.
const (
	Lease   BarKind = "lease"  // the right of a worker to work on a task
	Calling BarKind = "call"   // a request at the provider
	Frozen  BarKind = "frozen" // a process that stood still
)

// The lanes beside those of single processes.
const (
	LaneScript   = "drill"
	LaneBrowser  = "browser"
	LaneAPI      = "API"
	LaneQueue    = "queue"
	LaneDispatch = "dispatcher"
	LaneProvider = "provider"
	LaneTask     = "task"
)

// TimelineOf tells a history, and what the script did.
func TimelineOf(h history.History, notes []Note) Timeline {
	b := &teller{
		leases: map[string]*Bar{}, calls: map[int64]*Bar{}, frozen: map[string]*Bar{}, tasks: map[history.Ref]int{},
		requests: map[string]int{}, ended: map[history.Ref]bool{}, until: map[*Bar]int64{},
		version: map[history.Ref]int64{}, saved: map[history.Ref]bool{}, spoiled: map[history.Ref]bool{}, refusals: map[string]bool{},
	}
	for _, e := range h.Events {
		b.begin(e.At)
	}
	for _, n := range notes {
		b.begin(n.At)
		b.point(n.At, LaneScript, n.Text, Trouble)
	}
	for _, s := range sightsOf(h.Events) {
		b.tell(s)
	}
	return b.finish()
}

// teller makes a timeline.
type teller struct {
	begun    time.Time
	points   []Moment
	bars     []*Bar
	leases   map[string]*Bar // that are held, by assignment id
	until    map[*Bar]int64  // when they are over, unless they are renewed
	calls    map[int64]*Bar  // that are open, by the order number of their receipt
	frozen   map[string]*Bar // by process
	tasks    map[history.Ref]int
	requests map[string]int // numbers, by the provider's ids
	ended    map[history.Ref]bool
	version  map[history.Ref]int64 // of the assignment that has the task
	saved    map[history.Ref]bool  // that have a reply
	spoiled  map[history.Ref]bool  // that a stale write has changed
	refusals map[string]bool       // by actor, transition and assignment
}

func (b *teller) begin(at time.Time) {
	if b.begun.IsZero() || at.Before(b.begun) {
		b.begun = at
	}
}

func (b *teller) ms(at time.Time) int64 { return at.Sub(b.begun).Milliseconds() }

func (b *teller) point(at time.Time, lane, text string, mark Mark) {
	b.points = append(b.points, Moment{b.ms(at), lane, text, mark})
}

func (b *teller) bar(at time.Time, lane, text string, kind BarKind) *Bar {
	bar := &Bar{FromMS: b.ms(at), ToMS: -1, Lane: lane, Text: text, Kind: kind}
	b.bars = append(b.bars, bar)
	return bar
}

// of numbers tasks where there are several.
func (b *teller) of(task history.Ref) string {
	if task == "" {
		return ""
	}
	n, known := b.tasks[task]
	if !known {
		n = len(b.tasks) + 1
		b.tasks[task] = n
	}
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("task %d: ", n)
}

func (b *teller) tell(s Sight) {
	switch s.Kind { //nolint:exhaustive // the others are of no interest to people
	case history.RequestSent:
		b.asks(s)
	case history.RequestAnswered:
		b.answered(s)
	case history.Created:
		b.created(s)
	case history.Indexed:
		b.indexed(s)
	case history.IndexDone:
		b.heardIndex(s)
	case history.PublishDone:
		b.published(s)
	case history.Delivered:
		b.point(s.At, LaneQueue, fmt.Sprintf("%sgives the message out%s", b.of(s.Task), again(s.Message.ReceiveCount)), "")
	case history.Deleted:
		b.point(s.At, LaneQueue, b.of(s.Task)+"the message is deleted", "")
	case history.DeadLettered:
		b.point(s.At, LaneQueue, b.of(s.Task)+"the message is in the dead-letter queue", "")
	case history.Redriven:
		b.point(s.At, LaneQueue, b.of(s.Task)+"the message is moved back", "")
	case history.Stored:
		b.landed(s)
	case history.WriteDone:
		b.heard(s)
	case history.EvidenceDone:
		b.point(s.At, laneOf(s.Actor), b.of(s.Task)+"keeps size, cost and hash of the refused answer", "")
	case history.CallReceived, history.CallStarted, history.CallAnswered, history.CallDelivered:
		b.call(s)
	case history.ProcessStarted, history.ProcessKilled, history.ProcessFrozen, history.ProcessThawed, history.ClockStepped:
		b.process(s)
	}
}

// asks tells what a person does; that a browser looks again and again is left out.
func (b *teller) asks(s Sight) {
	switch s.Request.Operation {
	case "submit":
		b.point(s.At, LaneBrowser, s.Actor+" presses Send", "")
	case "regenerate":
		b.point(s.At, LaneBrowser, s.Actor+" presses Regenerate", "")
	case history.OperationCancel:
		b.point(s.At, LaneBrowser, s.Actor+" presses Stop", "")
	}
}

func (b *teller) answered(s Sight) {
	a := s.Answer
	if s.Began.Request != nil && s.Began.Request.Operation == history.OperationRead {
		if a.View != nil && ended(a.View.Status) && !b.ended[s.Task] {
			b.ended[s.Task] = true
			b.point(s.At, LaneBrowser, b.of(s.Task)+s.Actor+" sees: "+viewed(*a.View), "")
		}
		return
	}
	switch {
	case a.Status == 0 || a.Status == 502 || a.Status == 504:
		b.point(s.At, LaneBrowser, s.Actor+" gets no answer", Loss)
	case a.Status == 202:
		b.point(s.At, LaneBrowser, b.of(s.Task)+s.Actor+" is told: accepted", "")
	case a.Replayed:
		b.point(s.At, LaneBrowser, b.of(s.Task)+s.Actor+" is told of the task that is there", "")
	case a.Code != "":
		b.point(s.At, LaneBrowser, fmt.Sprintf("%s%s is told: %d %s", b.of(s.Task), s.Actor, a.Status, strings.ReplaceAll(a.Code, "_", " ")), "")
	default:
		b.point(s.At, LaneBrowser, fmt.Sprintf("%s%s is told: %d", b.of(s.Task), s.Actor, a.Status), "")
	}
}

// again tells of a message that is given out more than once.
func again(count int) string {
	if count < 2 {
		return ""
	}
	return fmt.Sprintf(" again (number %d)", count)
}

func ended(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

func viewed(v history.View) string {
	if v.Failure != "" {
		return v.Status + ", " + strings.ReplaceAll(v.Failure, "_", " ")
	}
	return v.Status
}

func (b *teller) published(s Sight) {
	if s.Outcome == history.Landed {
		b.point(s.At, LaneQueue, b.of(s.Task)+"gets a message from "+s.Actor, "")
		return
	}
	b.point(s.At, laneOf(s.Actor), b.of(s.Task)+"its message does not get into the queue", Loss)
}

// works reports whether a process takes tasks.
func works(name string) bool {
	return strings.HasPrefix(name, string(Worker)+"-") || strings.HasPrefix(name, string(Indexer)+"-")
}

// laneOf is the lane of a process.
func laneOf(actor string) string {
	switch {
	case works(actor):
		return actor
	case strings.HasPrefix(actor, "dispatcher"):
		return LaneDispatch
	case strings.HasPrefix(actor, "api"):
		return LaneAPI
	case actor == providerlog.Actor:
		return LaneProvider
	case actor == "queue":
		return LaneQueue
	}
	return LaneBrowser
}

// finish sorts everything and ends what has no end.
func (b *teller) finish() Timeline {
	t := Timeline{Begun: b.begun}
	for _, p := range b.points {
		t.EndsMS = max(t.EndsMS, p.AtMS)
	}
	for _, bar := range b.bars {
		t.EndsMS = max(t.EndsMS, bar.ToMS)
	}
	for _, bar := range b.bars {
		if bar.ToMS < 0 {
			b.end(bar, t.EndsMS)
		}
		t.Bars = append(t.Bars, *bar)
	}
	t.Points = b.points
	slices.SortStableFunc(t.Points, func(x, y Moment) int { return cmp.Compare(x.AtMS, y.AtMS) })
	t.Lanes = t.lanes()
	return t
}

// end ends a bar, a lease at the latest when its time is over.
func (b *teller) end(bar *Bar, ms int64) {
	bar.ToMS = ms
	if until, limited := b.until[bar]; limited && until <= ms {
		bar.ToMS = until
		name := strings.LastIndex(bar.Text, "assignment")
		b.points = append(b.points, Moment{
			until, bar.Lane, bar.Text[:name] + "its hold is over: " + strings.TrimSuffix(bar.Text[name:], killed), LeaseOver,
		})
	}
}

// lanes are those that have anything.
func (t Timeline) lanes() []string {
	used := map[string]bool{}
	for _, p := range t.Points {
		used[p.Lane] = true
	}
	for _, bar := range t.Bars {
		used[bar.Lane] = true
	}
	var workers []string
	for lane := range used {
		if works(lane) {
			workers = append(workers, lane)
		}
	}
	slices.Sort(workers)
	order := slices.Concat([]string{LaneScript, LaneBrowser, LaneAPI, LaneQueue, LaneDispatch}, workers, []string{LaneProvider, LaneTask})
	return slices.DeleteFunc(order, func(lane string) bool { return !used[lane] })
}

func sightsOf(events []history.Event) []Sight {
	sights := make([]Sight, len(events))
	for i, e := range events {
		sights[i].Event = e
		if e.Op > 0 && e.Op <= int64(len(events)) {
			sights[i].Began = events[e.Op-1]
		}
	}
	return sights
}
