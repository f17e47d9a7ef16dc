package providertest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// maxRequestBytes limits the body of a request: the longest document and history
// with every character escaped stay below it.
const maxRequestBytes = 32 << 20

// exchange is one request for an answer on its way through the server.
type exchange struct {
	server  *Server
	writer  http.ResponseWriter
	request *http.Request

	id         string
	key        string
	bodyHash   string
	promptHash string
	prompt     llmprovider.Prompt
	body       scripted.AnswerRequest

	// answering is set before the first byte of a response. A connection that
	// closes later was closed by a client that may have read everything.
	answering atomic.Bool
}

func (s *Server) serveAnswer(w http.ResponseWriter, r *http.Request) {
	x := &exchange{server: s, writer: w, request: r, id: s.ids.next(), key: r.Header.Get(scripted.HeaderKey)}
	w.Header().Set(scripted.HeaderRequestID, x.id)
	if step, ok := s.scripts.takeBeforeBody(); ok {
		x.log(Event{Kind: EventReceived, Key: x.key, Connection: fakewire.Connection(x.request.Context())})
		x.logStep(step)
		x.cut()
		return
	}
	if err := x.read(); err != nil {
		x.log(Event{Kind: EventMalformed, Status: http.StatusBadRequest, Detail: err.Error()})
		x.writeError(http.StatusBadRequest, scripted.TypeInvalidRequest)
		return
	}
	stop := context.AfterFunc(r.Context(), x.clientGone)
	defer stop()
	if hook := s.options.OnRequest; hook != nil {
		hook(s.log.call(x.id))
	}
	if s.options.IdempotencyKeys && x.key != "" {
		x.serveKeyed()
		return
	}
	x.serveStep(nil)
}

// read takes the body in and logs the request, whether or not it makes sense.
func (x *exchange) read() error {
	raw, readErr := io.ReadAll(io.LimitReader(x.request.Body, maxRequestBytes+1))
	x.bodyHash = hash(raw)
	decodeErr := json.Unmarshal(raw, &x.body, json.RejectUnknownMembers(true))
	if decodeErr == nil {
		decodeErr = json.Unmarshal(x.body.Prompt, &x.prompt)
	}
	x.promptHash = hash(x.body.Prompt)
	x.log(Event{
		Kind: EventReceived, Key: x.key, BodySHA256: x.bodyHash, PromptSHA256: x.promptHash,
		Question: x.prompt.Question, Model: x.body.Model, Connection: fakewire.Connection(x.request.Context()),
	})
	switch {
	case readErr != nil:
		return fmt.Errorf("read body: %w", readErr)
	case len(raw) > maxRequestBytes:
		return fmt.Errorf("body is longer than %d bytes", maxRequestBytes)
	case decodeErr != nil:
		return fmt.Errorf("decode body: %w", decodeErr)
	}
	return nil
}

// serveKeyed honours the idempotency key: one generation for a key and its bytes.
func (x *exchange) serveKeyed() {
	for {
		verdict, outcome, ended := x.server.keys.begin(x.key, x.bodyHash)
		switch verdict {
		case keyFirst:
			x.serveFirst()
			return
		case keyOther:
			x.refuse(http.StatusUnprocessableEntity, scripted.TypeKeyReused)
			return
		case keyDone:
			x.log(Event{Kind: EventReplayed, Operation: outcome.operation})
			x.replay(outcome)
			return
		case keyRunning:
			if x.server.options.RefuseConcurrentKeys {
				x.writer.Header().Set("Retry-After", "1")
				x.refuse(http.StatusConflict, scripted.TypeKeyInProgress)
				return
			}
			if !x.wait(ended) {
				return
			}
		}
	}
}

// serveFirst makes sure that the key is settled on every way out.
func (x *exchange) serveFirst() {
	var outcome *keyOutcome
	defer func() { x.server.keys.finish(x.key, outcome) }()
	x.serveStep(func(o keyOutcome) {
		outcome = &o
		x.server.keys.finish(x.key, outcome)
	})
}

func (x *exchange) replay(outcome keyOutcome) {
	if outcome.answer != nil {
		x.writeAnswer(*outcome.answer, Step{Action: Answer})
		return
	}
	operation := scripted.Operation{ID: outcome.operation, Status: scripted.OperationRunning}
	x.writeJSON(http.StatusAccepted, operation)
}

// serveStep takes the next step and does it. settle, when not nil, is told the
// outcome of a generation before any of it is sent.
func (x *exchange) serveStep(settle func(keyOutcome)) {
	step := x.server.scripts.take(x.prompt.Question, x.promptHash)
	x.logStep(step)
	if !x.hold(step.step.HoldRequest) {
		return
	}
	if settle == nil {
		settle = func(keyOutcome) {}
	}
	if step.step.Background {
		x.serveBackground(step.step, settle)
		return
	}
	x.perform(step.step, settle)
}

func (x *exchange) perform(step Step, settle func(keyOutcome)) {
	if step.generates() {
		x.log(Event{Kind: EventStarted})
	}
	if step.Action == Never {
		x.waitForClient()
		return
	}
	if !x.pause(step.Delay) {
		return
	}
	switch step.Action {
	case Fail:
		x.failStatus(step)
		return
	case FailInBody:
		x.failInBody(step)
		return
	case FailInStream:
		x.failInStream(step)
		return
	case CutBeforeBody:
		x.cut()
		return
	case Answer, NoAnswer, Duplicate, CutInAnswer, CutBeforeAnswer, LoseOperation, Never:
	}
	answer := x.generate(step)
	settle(keyOutcome{answer: &answer})
	if x.hold(step.HoldAnswer) {
		x.deliver(answer, step)
	}
}

// generate makes the answer; the generation is over with it.
func (x *exchange) generate(step Step) scripted.AnswerDocument {
	answer := answerFor(step, x.body, x.prompt, x.server.log.call(x.id).Generation)
	x.log(Event{Kind: EventGenerated})
	if hook := x.server.options.OnGenerated; hook != nil {
		hook(x.server.log.call(x.id))
	}
	return answer
}

func (x *exchange) log(event Event) {
	event.RequestID = x.id
	x.server.log.add(event)
}

func (x *exchange) logStep(step taken) {
	x.log(Event{Kind: EventStep, Script: step.script, Step: step.number, Action: step.step.Action})
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
