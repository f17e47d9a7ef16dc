package providertest

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// streamPieces is in how many pieces a streamed answer is sent.
const streamPieces = 3

func (x *exchange) deliver(answer scripted.AnswerDocument, step Step) {
	switch step.Action {
	case CutBeforeAnswer:
		x.cut()
	case CutInAnswer:
		x.cutInAnswer(answer)
	case Duplicate:
		x.answerTwice(answer)
	default:
		x.writeAnswer(answer, step)
	}
}

func (x *exchange) writeAnswer(answer scripted.AnswerDocument, step Step) {
	delivered := false
	if step.Stream {
		delivered = x.write(http.StatusOK, scripted.MediaTypeStream, streamOf(answer))
	} else {
		delivered = x.writeJSON(http.StatusOK, answer)
	}
	if delivered {
		x.answered()
	}
}

func (x *exchange) answered() {
	if hook := x.server.options.OnAnswered; hook != nil {
		hook(x.server.log.call(x.id))
	}
}

func streamOf(answer scripted.AnswerDocument) []byte {
	var lines []scripted.StreamLine
	if answer.Text != nil {
		for _, piece := range fakewire.Pieces(*answer.Text, streamPieces) {
			lines = append(lines, scripted.StreamLine{Line: scripted.LinePiece, Text: piece})
		}
	}
	lines = append(lines, scripted.StreamLine{
		Line: scripted.LineEnd, ID: answer.ID, Model: answer.Model, StopReason: answer.StopReason, Usage: answer.Usage,
	})
	return encodeLines(lines)
}

func encodeLines(lines []scripted.StreamLine) []byte {
	var b bytes.Buffer
	for _, line := range lines {
		b.Write(fakewire.Encode(line))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func (x *exchange) writeJSON(status int, document any) bool {
	return x.write(status, scripted.MediaTypeDocument, fakewire.Encode(document))
}

// write sends a whole response and logs whether the connection took it.
func (x *exchange) write(status int, mediaType string, body []byte) bool {
	if err := x.request.Context().Err(); err != nil {
		x.log(Event{Kind: EventLost, Detail: "client gone before the response"})
		return false
	}
	x.answering.Store(true)
	header := x.writer.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.writer.WriteHeader(status)
	_, err := x.writer.Write(body)
	if err == nil {
		err = http.NewResponseController(x.writer).Flush()
	}
	if err != nil {
		x.log(Event{Kind: EventLost, Status: status, Detail: err.Error()})
		return false
	}
	x.log(Event{Kind: EventDelivered, Status: status})
	return true
}

func (x *exchange) failStatus(step Step) {
	for _, value := range step.RetryAfter {
		x.writer.Header().Add("Retry-After", fakewire.HeaderValue(value, x.server.options.Now()))
	}
	x.refuse(step.Status, step.errorType())
}

func (x *exchange) refuse(status int, errorType string) {
	x.log(Event{Kind: EventRefused, Status: status, Detail: errorType})
	x.writeError(status, errorType)
}

func (x *exchange) writeError(status int, errorType string) {
	x.writeJSON(status, scripted.ErrorDocument{Error: errorDetail(errorType)})
}

func errorDetail(errorType string) scripted.ErrorDetail {
	return scripted.ErrorDetail{Type: errorType, Message: "as the script says"}
}

func (x *exchange) failInBody(step Step) {
	x.log(Event{Kind: EventRefused, Status: http.StatusOK, Detail: step.ErrorType})
	detail := errorDetail(step.ErrorType)
	x.writeJSON(http.StatusOK, scripted.AnswerDocument{Error: &detail})
}

func (x *exchange) failInStream(step Step) {
	x.log(Event{Kind: EventRefused, Status: http.StatusOK, Detail: step.ErrorType})
	var lines []scripted.StreamLine
	for i := range step.Pieces {
		lines = append(lines, scripted.StreamLine{Line: scripted.LinePiece, Text: fmt.Sprintf("piece %d ", i+1)})
	}
	detail := errorDetail(step.ErrorType)
	lines = append(lines, scripted.StreamLine{Line: scripted.LineError, Error: &detail})
	x.write(http.StatusOK, scripted.MediaTypeStream, encodeLines(lines))
}

// cut resets the connection: the client sees an error and no end of stream.
func (x *exchange) cut() {
	x.hijack(fakewire.Reset)
}

// cutInAnswer closes the connection in order, in the middle of the body, so that
// the first half is sure to arrive.
func (x *exchange) cutInAnswer(answer scripted.AnswerDocument) {
	response := x.rawResponse(answer)
	x.hijack(func(conn net.Conn) { _, _ = conn.Write(response[:len(response)-len(fakewire.Encode(answer))/2-1]) })
}

// answerTwice writes the whole response and then the same again, unasked.
func (x *exchange) answerTwice(answer scripted.AnswerDocument) {
	response := x.rawResponse(answer)
	x.answering.Store(true)
	fakewire.Hijack(x.writer, func(conn net.Conn) {
		if _, err := conn.Write(append(response, response...)); err != nil {
			x.log(Event{Kind: EventLost, Status: http.StatusOK, Detail: err.Error()})
			return
		}
		x.log(Event{Kind: EventDelivered, Status: http.StatusOK})
		x.answered()
	})
}

func (x *exchange) rawResponse(answer scripted.AnswerDocument) []byte {
	body := fakewire.Encode(answer)
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s: %s\r\n\r\n",
		scripted.MediaTypeDocument, len(body), scripted.HeaderRequestID, x.id)
	return append([]byte(head), body...)
}

// hijack takes the connection over, lets do have it and closes it.
func (x *exchange) hijack(do func(net.Conn)) {
	x.answering.Store(true)
	x.log(Event{Kind: EventCut})
	fakewire.Hijack(x.writer, do)
}
