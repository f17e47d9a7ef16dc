package lambdaruntime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Settings describe a function.
type Settings struct {
	Name    string        // folder, binary and function name, such as "worker"
	ARN     string        // value of Lambda-Runtime-Invoked-Function-Arn
	Timeout time.Duration // a process that needs longer for one invocation is killed
}

// Function is a queue of invocations that the environments of one function take from.
type Function struct {
	settings Settings
	server   *Server
	queue    chan *invocation // unbuffered: an invocation leaves its caller only when an environment takes it
}

// Settings returns what the function was registered with.
func (f *Function) Settings() Settings { return f.settings }

// Request is one invocation to be made.
type Request struct {
	Payload []byte
	TraceID string // X-Ray header value; made up when empty
}

// Result is the answer of an invocation.
type Result struct {
	Payload   []byte
	Process   string // name of the process that answered
	RequestID string
}

// Invoke waits for a free environment, hands it the request and waits for the answer.
//
// When ctx ends first, Invoke returns its error. A request that no environment had taken is dropped; one
// that was taken goes on, as on Lambda, and its answer is discarded. An invocation that ends without an
// answer is a [*FunctionError].
func (f *Function) Invoke(ctx context.Context, req Request) (Result, error) {
	if len(req.Payload) > MaxPayload {
		return Result{}, fmt.Errorf("invoke %s: %w", f.settings.Name, ErrPayloadTooLarge)
	}
	inv := &invocation{
		id:      uuid.NewString(),
		payload: req.Payload,
		trace:   req.TraceID,
		done:    make(chan struct{}),
	}
	if inv.trace == "" {
		inv.trace = newTraceID(time.Now())
	}
	select {
	case f.queue <- inv:
	case <-ctx.Done():
		return Result{}, fmt.Errorf("invoke %s: waiting for a process: %w", f.settings.Name, context.Cause(ctx))
	case <-f.server.closed:
		return Result{}, fmt.Errorf("invoke %s: %w", f.settings.Name, ErrClosed)
	}
	select {
	case <-inv.done:
		return inv.result, inv.err
	case <-ctx.Done():
		return Result{}, fmt.Errorf("invoke %s: waiting for the answer: %w", f.settings.Name, context.Cause(ctx))
	}
}

// invocation is one request on its way. The first end wins: an answer that arrives after the time limit
// or after the end of the process changes nothing.
type invocation struct {
	id      string
	payload []byte
	trace   string

	once   sync.Once
	done   chan struct{}
	result Result
	err    error
}

func (inv *invocation) end(result Result, err error) bool {
	first := false
	inv.once.Do(func() {
		first = true
		inv.result, inv.err = result, err
		close(inv.done)
	})
	return first
}

// newTraceID returns an X-Ray trace header value. It is never sampled: nothing collects traces here.
// Format: https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
func newTraceID(now time.Time) string {
	var random [20]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the program instead
	return fmt.Sprintf("Root=1-%08x-%s;Parent=%s;Sampled=0",
		now.Unix(), hex.EncodeToString(random[:12]), hex.EncodeToString(random[12:]))
}
