package fakeopenai

import (
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// Media types of answers.
const (
	mediaJSON   = "application/json"
	mediaStream = "text/event-stream; charset=utf-8"
)

// answer is the body of status 200.
type answer struct {
	mediaType string
	body      []byte
}

func jsonAnswer(document any) answer { return answer{mediaJSON, fakewire.Encode(document)} }

// write sends a whole answer and logs whether the connection took it. A stream has
// no length.
func (x *exchange) write(status int, a answer) {
	if x.request.Context().Err() != nil {
		x.end(Gone, 0)
		return
	}
	x.answering.Store(true)
	x.writer.Header().Set("Content-Type", a.mediaType)
	if a.mediaType != mediaStream {
		x.writer.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	x.writer.WriteHeader(status)
	_, err := x.writer.Write(a.body)
	if err == nil {
		err = http.NewResponseController(x.writer).Flush()
	}
	if err != nil {
		x.end(Gone, status)
		return
	}
	x.end(Answered, status)
}

// errorObject is the error as the API description has it.
type errorObject struct {
	Message string  `json:"message"`
	Type    *string `json:"type"`
	Param   *string `json:"param"`
	Code    any     `json:"code"`
}

type errorDocument struct {
	Error errorObject `json:"error"`
}

func (f Failure) object(status int) errorObject {
	object := errorObject{Message: f.Message, Type: orNull(f.Type), Code: orNull(f.Code)}
	if f.NumberCode {
		object.Code = status
	}
	if object.Message == "" {
		object.Message = "as the script says"
	}
	return object
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (x *exchange) refuse(status int, f Failure) {
	x.write(status, jsonAnswer(errorDocument{f.object(status)}))
}

func (x *exchange) refuseAs(status int, f Failure, body *string, header http.Header) {
	for name, values := range header {
		for _, value := range values {
			x.writer.Header().Add(name, fakewire.HeaderValue(value, x.server.options.Now()))
		}
	}
	if body != nil {
		x.write(status, answer{"text/html", []byte(*body)})
		return
	}
	x.refuse(status, f)
}

// redirect points to an address where a second request would be seen.
func (x *exchange) redirect(status int) {
	x.writer.Header().Set("Location", BasePath+"/redirected")
	x.write(status, jsonAnswer(errorDocument{Failure{}.object(status)}))
}

// reset ends the connection so that the client sees an error and no end.
func (x *exchange) reset() {
	x.hijack(fakewire.Reset)
}

// cut closes the connection in order in the middle of the body, so that the first
// half is sure to arrive. A stream breaks off in a chunk.
func (x *exchange) cut(a answer) {
	half := a.body[:len(a.body)/2]
	head := "HTTP/1.1 200 OK\r\nContent-Type: " + a.mediaType + "\r\nX-Request-Id: " + x.id() + "\r\n"
	if a.mediaType == mediaStream {
		head += fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", len(a.body))
	} else {
		head += fmt.Sprintf("Content-Length: %d\r\n\r\n", len(a.body))
	}
	x.hijack(func(conn net.Conn) { _, _ = conn.Write(append([]byte(head), half...)) })
}

func (x *exchange) hijack(do func(net.Conn)) {
	x.answering.Store(true)
	x.end(Broken, 0)
	fakewire.Hijack(x.writer, do)
}
