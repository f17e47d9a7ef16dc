package fakeprovider

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// exchange is one request on its way through the fake.
type exchange struct {
	server  *Server
	writer  http.ResponseWriter
	request *http.Request
	place   int
	id      string
	// answering is set before the first byte of a response: a connection that closes
	// later was closed by a client that may have read everything.
	answering atomic.Bool
	// generation is the number of what the model makes for this request.
	generation int64
}

func (x *exchange) note(change func(*Request)) { x.server.Log.Update(x.place, change) }

func (x *exchange) end(outcome Outcome) {
	x.note(func(logged *Request) {
		if logged.Outcome == "" {
			logged.Outcome, logged.EndedAt = outcome, x.server.options.Now().UTC()
		}
	})
}

func (x *exchange) sent(whole bool) {
	switch {
	case whole:
		x.end(Delivered)
	case x.request.Context().Err() != nil:
		x.end(ClientGone)
	default:
		x.end(Lost)
	}
}

// begin logs that the step has begun and may cost from here on.
func (x *exchange) begin(step Step) {
	if step.generates() {
		x.generation = x.server.generations.Add(1)
	}
	x.note(func(logged *Request) { logged.Generated = step.generates() })
}

func (x *exchange) play(step Step, asked Asked) {
	x.begin(step)
	for name, values := range step.Header {
		for _, value := range values {
			x.writer.Header().Add(name, fakewire.HeaderValue(value, x.server.options.Now()))
		}
	}
	defer x.watch()()
	if !x.server.Hold(x.server.Gates.Wait(step.Hold)) {
		return
	}
	switch step.Action {
	case Reply:
		x.reply(x.answer(step, asked), asked.Stream)
	case Fail:
		x.fail(step.Failure)
	case Raw:
		x.send(step.Status, []byte(step.Body))
	case FailInStream, EndStream, HangStream:
		x.partOfStream(step, asked)
	case CutStream:
		contentType, frames := x.server.options.Dialect.Stream(x.answer(step, asked))
		x.cutAfter(contentType, cutFrames(frames, step.Frames))
	case CutWhole:
		contentType, body := x.server.options.Dialect.Whole(x.answer(step, asked))
		x.cutAfter(contentType, body[:len(body)/2])
	case CutBeforeAnswer, CutBeforeBody:
		x.reset()
	case Never:
		x.waitForClient()
	}
}

// partOfStream sends the first frames and what the step has in place of the rest.
func (x *exchange) partOfStream(step Step, asked Asked) {
	contentType, frames := x.server.options.Dialect.Stream(x.answer(step, asked))
	frames = frames[:min(step.Frames, len(frames))]
	if step.Action == FailInStream {
		frames = append(frames, x.server.options.Dialect.StreamError(step.Failure, x.id))
	}
	sent := x.stream(contentType, frames)
	if step.Action != HangStream || !sent {
		x.sent(sent)
		return
	}
	x.note(func(logged *Request) { logged.Hangs = true })
	x.waitForClient()
}

// cutFrames is whole frames and half of the next, or all frames where there are
// no more.
func cutFrames(frames [][]byte, whole int) []byte {
	cut := bytes.Join(frames[:min(whole, len(frames))], nil)
	if whole < len(frames) {
		cut = append(cut, frames[whole][:len(frames[whole])/2]...)
	}
	return cut
}

func (x *exchange) reply(answer Answer, streamed bool) {
	if streamed {
		x.sent(x.stream(x.server.options.Dialect.Stream(answer)))
		return
	}
	contentType, body := x.server.options.Dialect.Whole(answer)
	x.writer.Header().Set("Content-Type", contentType)
	x.send(http.StatusOK, body)
}

func (x *exchange) fail(f Failure) {
	header, body := x.server.options.Dialect.Error(f, x.id)
	for name, values := range header {
		x.writer.Header()[name] = values
	}
	x.send(f.Status, body)
}

// send writes a whole response.
func (x *exchange) send(status int, body []byte) {
	if x.request.Context().Err() != nil {
		x.end(ClientGone)
		return
	}
	x.answering.Store(true)
	x.writer.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.writer.WriteHeader(status)
	_, err := x.writer.Write(body)
	x.sent(err == nil)
}

// stream writes frames one by one, as a model makes them, and reports whether the
// connection took them all.
func (x *exchange) stream(contentType string, frames [][]byte) bool {
	if x.request.Context().Err() != nil {
		return false
	}
	x.answering.Store(true)
	x.writer.Header().Set("Content-Type", contentType)
	x.writer.WriteHeader(http.StatusOK)
	flusher := http.NewResponseController(x.writer)
	for _, frame := range frames {
		if _, err := x.writer.Write(frame); err != nil || flusher.Flush() != nil {
			return false
		}
	}
	return flusher.Flush() == nil
}

// watch notes when the client goes away without an answer.
func (x *exchange) watch() (stop func() bool) {
	return context.AfterFunc(x.request.Context(), func() {
		if !x.answering.Load() {
			x.end(ClientGone)
		}
	})
}

// waitForClient ends when the client has given up.
func (x *exchange) waitForClient() {
	if x.server.Hold(x.request.Context().Done()) {
		x.end(ClientGone)
	}
}

// reset closes the connection so that the client sees an error.
func (x *exchange) reset() {
	x.hijack(fakewire.Reset)
}

// cutAfter sends the head of a chunked response and one chunk, and closes the
// connection in order, so that the client is sure to get these bytes and never
// the end of the body.
func (x *exchange) cutAfter(contentType string, sent []byte) {
	x.hijack(func(conn net.Conn) {
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s: %s\r\nTransfer-Encoding: chunked\r\n\r\n",
			contentType, x.server.options.Dialect.RequestIDHeader(), x.id)
		if len(sent) > 0 { // a chunk without bytes would be the end of the body
			_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(sent), sent)
		}
	})
}

func (x *exchange) hijack(do func(net.Conn)) {
	x.answering.Store(true)
	x.end(Cut)
	fakewire.Hijack(x.writer, do)
}
