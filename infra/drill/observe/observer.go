package observe

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/replyonce/replyonce/infra/local/faultproxy"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Observer records the requests that pass, and leaves those to a script that it
// has asked for. It is safe for concurrent use.
type Observer struct {
	// Break, if not nil, changes requests of functions before anything else is
	// done with them. Set it before the first request.
	Break Break

	reserve time.Duration // of leases, which claims do not carry

	// landing lets one write or read of a task through at a time.
	landing sync.Mutex

	mu       sync.Mutex
	log      *drills.Log
	rules    []*rule
	owners   map[assignment]string // assignment ids, by what fenced writes carry
	tasks    map[string]worktask.Ref
	messages map[string]bool    // ids of questions, which are no tasks
	received map[string]receipt // messages, by their receipt handles
	deaths   map[string]int     // of processes, by name
}

// Break is what a deliberately broken service would send instead.
type Break func(*faultproxy.Request)

type assignment struct {
	ref     worktask.Ref
	version int64
}

type receipt struct {
	id  string
	ref worktask.Ref
}

// New returns an observer for a service with these timers.
func New(timers worktask.Timers) *Observer {
	o := &Observer{reserve: timers.LeaseReserve, deaths: map[string]int{}}
	o.Begin(nil)
	return o
}

// Begin makes log the one that is written to; nil: none.
func (o *Observer) Begin(log *drills.Log) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = log
	o.owners, o.tasks = map[assignment]string{}, map[string]worktask.Ref{}
	o.messages, o.received = map[string]bool{}, map[string]receipt{}
}

// Task finds a task of the record by its id.
func (o *Observer) Task(id string) (worktask.Ref, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ref, known := o.tasks[id]
	return ref, known
}

// Died says that a process of that name was killed: it learns nothing of what it
// has under way.
func (o *Observer) Died(process string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.deaths[process]++
}

func (o *Observer) deathsOf(process string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.deaths[process]
}

// Rule hands all requests to the observer.
func (o *Observer) Rule() faultproxy.Rule { return faultproxy.Rule{Name: "observe", Do: o.pass} }

// passing is a request that is recorded.
type passing struct {
	op    drills.Op
	ref   worktask.Ref
	scope string // of the task, "" for a request about none
	// sent records its beginning and done its end; stored records that it has
	// landed, while no other write of a task is let through.
	sent   func(log *drills.Log) int64
	stored func(log *drills.Log, sent int64, response *faultproxy.Response)
	done   func(log *drills.Log, sent int64, end end)
}

// end is what the sender learns.
type end struct {
	response *faultproxy.Response // nil: nothing
	fate     drills.Fate
}

func (o *Observer) pass(r *faultproxy.Request, forward faultproxy.Forward) (*faultproxy.Response, error) {
	log := o.current()
	p, known := o.parse(r)
	if o.Break != nil {
		o.Break(r) // after it was read: what was wanted is what is recorded
	}
	if log != nil && known && (p.scope == "" || log.Follows(p.scope)) {
		return o.record(log, p, r, forward)
	}
	response, err := forward()
	if log = o.current(); err == nil && log != nil { // a long poll may have begun before this record
		o.queued(log, r, response)
	}
	return response, err
}

func (o *Observer) current() *drills.Log {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log
}

// record lets a request pass, or does to it what a script wants.
func (o *Observer) record(log *drills.Log, p passing, r *faultproxy.Request, forward faultproxy.Forward) (*faultproxy.Response, error) {
	deaths := o.deathsOf(r.Caller)
	sent := p.sent(log)
	land := func() (*faultproxy.Response, error) {
		if p.stored == nil {
			return forward()
		}
		o.landing.Lock()
		defer o.landing.Unlock()
		response, err := forward()
		if err == nil && response.Status == http.StatusOK {
			p.stored(log, sent, response)
		}
		return response, err
	}
	response, fate, err := o.decide(p, r, land)
	if o.deathsOf(r.Caller) == deaths { // a dead process has seen no answer
		e := end{response: response, fate: fate}
		if err != nil {
			e.response, e.fate = nil, drills.Unheard
		}
		p.done(log, sent, e)
	}
	return response, err
}

// decide forwards the request, unless a script has asked for it.
func (o *Observer) decide(p passing, r *faultproxy.Request, land faultproxy.Forward) (*faultproxy.Response, drills.Fate, error) {
	do := o.caught(roleOf(r.Caller), p)
	if do == nil {
		response, err := land()
		return response, drills.Answered, err
	}
	var mu sync.Mutex
	var last *faultproxy.Response
	lastErr := faultproxy.ErrCut
	fate := do(drills.Passing{Process: r.Caller, Op: p.op, Gone: r.Gone(), Forward: func() bool {
		response, err := land()
		mu.Lock()
		defer mu.Unlock()
		last, lastErr = response, err
		return err == nil && response.Status == http.StatusOK
	}})
	mu.Lock()
	defer mu.Unlock()
	switch fate {
	case drills.Answered:
		return last, fate, lastErr
	case drills.Unavailable:
		return refusal(r, faultproxy.Throttle(), fate)
	case drills.Conflicting:
		return conflict(), fate, nil
	case drills.Unheard:
	}
	return nil, drills.Unheard, faultproxy.ErrCut
}

func refusal(r *faultproxy.Request, do faultproxy.Action, fate drills.Fate) (*faultproxy.Response, drills.Fate, error) {
	response, err := do(r, nil)
	return response, fate, err
}

// conflict is how DynamoDB cancels a transaction that met another one:
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
func conflict() *faultproxy.Response {
	const body = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",` +
		`"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict, None, None]",` +
		`"CancellationReasons":[{"Code":"TransactionConflict"},{"Code":"None"},{"Code":"None"}]}`
	return &faultproxy.Response{
		Status: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: []byte(body),
	}
}

func roleOf(caller string) drills.Role {
	name, _, _ := strings.Cut(caller, "-")
	return drills.Role(name)
}

// outcome is what the sender of a write knows.
func (e end) outcome() history.Outcome {
	switch {
	case e.fate == drills.Unavailable:
		return history.Unavailable
	case e.fate == drills.Conflicting, e.response == nil:
		return history.Lost
	case e.response.Status == http.StatusOK:
		return history.Landed
	case e.is("ConditionalCheckFailed"):
		return history.RefusedBy
	case e.is("TransactionConflict"), e.is("TransactionInProgress"), e.response.Status >= http.StatusInternalServerError:
		return history.Lost
	}
	return history.Failed
}

func (e end) is(code string) bool { return bytes.Contains(e.response.Body, []byte(code)) }
