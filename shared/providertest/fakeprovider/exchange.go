package fakeprovider

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// exchange is one request on its way through the fake.
type exchange struct {
	server  *Server
	writer  http.ResponseWriter
	request *http.Request
	place   int
	id      string
}

func (x *exchange) note(change func(*Request)) { x.server.log.update(x.place, change) }

func (x *exchange) end(outcome Outcome) {
	x.note(func(logged *Request) { logged.Outcome = outcome })
}

func (x *exchange) sent(whole bool) {
	if whole {
		x.end(Delivered)
	} else {
		x.end(Lost)
	}
}

// notify logs that the step has begun and calls its hook.
func (x *exchange) notify(step Step) {
	x.note(func(logged *Request) { logged.Generated = step.generates() })
	if step.OnRequest != nil {
		step.OnRequest()
	}
}

func (x *exchange) play(step Step, asked Asked) {
	x.notify(step)
	for name, values := range step.Header {
		x.writer.Header()[http.CanonicalHeaderKey(name)] = values
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
		contentType, frames := x.server.dialect.Stream(x.answer(step, asked))
		x.cutAfter(contentType, cutFrames(frames, step.Frames))
	case CutWhole:
		contentType, body := x.server.dialect.Whole(x.answer(step, asked))
		x.cutAfter(contentType, body[:len(body)/2])
	case CutBeforeAnswer, CutBeforeBody:
		x.reset()
	case Never:
		x.waitForClient()
	}
}

// partOfStream sends the first frames and what the step has in place of the rest.
func (x *exchange) partOfStream(step Step, asked Asked) {
	contentType, frames := x.server.dialect.Stream(x.answer(step, asked))
	frames = frames[:min(step.Frames, len(frames))]
	if step.Action == FailInStream {
		frames = append(frames, x.server.dialect.StreamError(step.Failure, x.id))
	}
	sent := x.stream(contentType, frames)
	if step.Action != HangStream || !sent {
		x.sent(sent)
		return
	}
	if step.OnHang != nil {
		step.OnHang()
	}
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
		x.sent(x.stream(x.server.dialect.Stream(answer)))
		return
	}
	contentType, body := x.server.dialect.Whole(answer)
	x.writer.Header().Set("Content-Type", contentType)
	x.send(http.StatusOK, body)
}

func (x *exchange) fail(f Failure) {
	header, body := x.server.dialect.Error(f, x.id)
	for name, values := range header {
		x.writer.Header()[name] = values
	}
	x.send(f.Status, body)
}

// send writes a whole response.
func (x *exchange) send(status int, body []byte) {
	x.writer.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.writer.WriteHeader(status)
	_, err := x.writer.Write(body)
	x.sent(err == nil)
}

// stream writes frames one by one, as a model makes them, and reports whether the
// connection took them all.
func (x *exchange) stream(contentType string, frames [][]byte) bool {
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

// waitForClient ends when the client has given up.
func (x *exchange) waitForClient() {
	select {
	case <-x.request.Context().Done():
		x.end(ClientGone)
	case <-x.server.closing.Done():
	}
}

// reset closes the connection so that the client sees an error.
func (x *exchange) reset() {
	x.hijack(func(conn net.Conn) {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	})
}

// cutAfter sends the head of a chunked response and one chunk, and closes the
// connection in order, so that the client is sure to get these bytes and never
// the end of the body.
func (x *exchange) cutAfter(contentType string, sent []byte) {
	x.hijack(func(conn net.Conn) {
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s: %s\r\nTransfer-Encoding: chunked\r\n\r\n",
			contentType, x.server.dialect.RequestIDHeader(), x.id)
		if len(sent) > 0 { // a chunk without bytes would be the end of the body
			_, _ = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(sent), sent)
		}
	})
}

func (x *exchange) hijack(do func(net.Conn)) {
	x.end(Cut)
	conn, _, err := http.NewResponseController(x.writer).Hijack()
	if err != nil {
		// Not a connection of HTTP/1: aborting is the nearest thing there is.
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	do(conn)
}
