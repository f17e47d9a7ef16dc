package fakeopenai

import (
	"net/http"
	"sync"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

func (s *Server) serveResponse(w http.ResponseWriter, r *http.Request) {
	x := s.begin(w, r, KindResponse)
	x.serveWork(readResponseRequest, func(j job, number int, step Step) {
		made := s.reply(j, step, number)
		switch {
		case j.background:
			x.takeOn(j, made, step)
		case j.stream:
			x.perform(step, answer{mediaStream, responseStream(made, j)})
		default:
			x.perform(step, jsonAnswer(made.ended(j)))
		}
	})
}

// takeOn lets the work go on without the connection. The step's gate holds the
// work, not the answer to this request.
func (x *exchange) takeOn(j job, made reply, step Step) {
	object := made.running(j, stateQueued)
	o := &operation{job: j, reply: made, reads: step.Reads, gate: x.server.Gates.Wait(step.Hold), never: step.action() == Hang}
	if !step.Forget {
		x.server.operations.add(object.ID, o)
	}
	x.update(func(r *Request) { r.Operation = object.ID })
	step.Hold = ""
	if step.action() == Hang {
		step.Action = Answer
	}
	x.perform(step, jsonAnswer(object))
}

// operation is work in the background.
type operation struct {
	job   job
	reply reply
	gate  <-chan struct{}
	never bool

	mu        sync.Mutex
	reads     []Read
	cancelled bool
}

func (o *operation) object() response {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.cancelled:
		return o.reply.running(o.job, stateCancelled)
	case !o.never && fakewire.IsOpen(o.gate):
		return o.reply.ended(o.job)
	}
	return o.reply.running(o.job, stateInProgress)
}

// cancel ends the work if it has not ended; it may be asked for again.
func (o *operation) cancel() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.never || !fakewire.IsOpen(o.gate) {
		o.cancelled = true
	}
}

// nextRead is what the next look-up meets in place of the object.
func (o *operation) nextRead() (Read, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.reads) == 0 {
		return Read{}, false
	}
	read := o.reads[0]
	o.reads = o.reads[1:]
	return read, true
}

// operationBook holds the stored responses.
type operationBook struct {
	mu    sync.Mutex
	known map[string]*operation
}

func (b *operationBook) add(id string, o *operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		b.known = make(map[string]*operation)
	}
	b.known[id] = o
}

func (b *operationBook) get(id string) *operation {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known[id]
}

func (b *operationBook) forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.known, id)
}

func (s *Server) serveRead(w http.ResponseWriter, r *http.Request) {
	s.begin(w, r, KindRead).serveStored(func(*operation) {})
}

func (s *Server) serveCancel(w http.ResponseWriter, r *http.Request) {
	s.begin(w, r, KindCancel).serveStored((*operation).cancel)
}

func (x *exchange) serveStored(do func(*operation)) {
	if !x.admit(false) {
		return
	}
	if x.request.URL.RawQuery != "" && !x.permit([]string{"a query that nobody needs: " + x.request.URL.RawQuery}) {
		return
	}
	defer x.watch()()
	o := x.server.operations.get(x.request.PathValue("id"))
	if o == nil {
		x.refuse(http.StatusNotFound, Failure{Type: "invalid_request_error", Message: "no such response"})
		return
	}
	if read, scripted := o.nextRead(); scripted {
		x.scriptedRead(read)
		return
	}
	do(o)
	x.write(http.StatusOK, jsonAnswer(o.object()))
}

func (x *exchange) scriptedRead(read Read) {
	switch {
	case read.Status == 0:
		x.reset()
	case read.Status == http.StatusOK && read.Body != nil:
		x.write(http.StatusOK, answer{mediaJSON, []byte(*read.Body)})
	default:
		x.refuseAs(read.Status, read.Failure, read.Body, read.Header)
	}
}
