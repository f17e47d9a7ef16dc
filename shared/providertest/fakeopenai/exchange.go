package fakeopenai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// maxRequestBytes limits a body: the longest document and history with every
// character escaped stay below it.
const maxRequestBytes = 32 << 20

// exchange is one request on its way through the server.
type exchange struct {
	server  *Server
	writer  http.ResponseWriter
	request *http.Request
	place   int
	// answering is set before the first byte of an answer: a connection that closes
	// later was closed by a client that may have read everything.
	answering atomic.Bool
}

func (s *Server) begin(w http.ResponseWriter, r *http.Request, kind Kind) *exchange {
	x := &exchange{server: s, writer: w, request: r}
	header := r.Header.Clone()
	header.Del("Authorization")
	x.place = s.Log.Add(Request{
		At: s.options.Now().UTC(), Connection: fakewire.Connection(r.Context()), Kind: kind,
		Method: r.Method, Path: r.URL.EscapedPath(), Header: header, Operation: r.PathValue("id"),
	})
	x.update(func(r *Request) { r.Number, r.ID = x.place+1, x.id() })
	w.Header().Set("X-Request-Id", x.id())
	return x
}

func (x *exchange) id() string { return fmt.Sprintf("req_%06d", x.place+1) }

func (x *exchange) update(change func(*Request)) { x.server.Log.Update(x.place, change) }

func (x *exchange) end(outcome Outcome, status int) {
	x.update(func(r *Request) {
		if r.Outcome == Open {
			r.Outcome, r.Status, r.EndedAt = outcome, status, x.server.options.Now().UTC()
		}
	})
}

// admit checks key and headers; false means that the request was answered.
func (x *exchange) admit(withBody bool) bool {
	if !x.hasKey() {
		// A server that quotes the key in its error is the worst case for logs.
		x.refuse(http.StatusUnauthorized, Failure{
			Type: "invalid_request_error", Code: "invalid_api_key",
			Message: "Incorrect API key provided: " + x.request.Header.Get("Authorization"),
		})
		return false
	}
	return x.permit(checkHeaders(x.request, withBody, x.server.options.IgnoreKeys))
}

func (x *exchange) hasKey() bool {
	authorization, keys := x.request.Header.Get("Authorization"), x.server.options.Keys
	if len(keys) == 0 {
		return authorization == ""
	}
	for _, key := range keys {
		if authorization == "Bearer "+key {
			return true
		}
	}
	return false
}

// permit answers with what is wrong; false means that something is.
func (x *exchange) permit(wrong []string) bool {
	if len(wrong) == 0 {
		return true
	}
	x.update(func(r *Request) { r.Violations = append(r.Violations, wrong...) })
	x.refuse(http.StatusBadRequest, Failure{Type: "invalid_request_error", Message: strings.Join(wrong, "; ")})
	return false
}

// read takes the body in and logs it, whether or not it makes sense.
func (x *exchange) read() ([]byte, bool) {
	body, err := io.ReadAll(io.LimitReader(x.request.Body, maxRequestBytes+1))
	sum := sha256.Sum256(body)
	x.update(func(r *Request) { r.Body, r.BodySHA256 = body, hex.EncodeToString(sum[:]) })
	switch {
	case err != nil:
		x.end(Gone, 0)
		return nil, false
	case len(body) > maxRequestBytes:
		x.refuse(http.StatusRequestEntityTooLarge, Failure{Type: "invalid_request_error"})
		return nil, false
	}
	return body, true
}

// understood logs what was asked; false means that the model is not known.
func (x *exchange) understood(asked Asked) bool {
	x.update(func(r *Request) { r.Model, r.Question = asked.Model, fakewire.Tail(asked.Question(), maxLogged) })
	for _, model := range x.server.options.Models {
		if model == asked.Model {
			return true
		}
	}
	if len(x.server.options.Models) == 0 {
		return true
	}
	x.refuse(http.StatusNotFound, Failure{Type: "invalid_request_error", Code: "model_not_found"})
	return false
}

// maxLogged is how much of the last turn is kept for the log: a turn may have a
// whole document before its question.
const maxLogged = 500

// watch notes when the client goes away without an answer.
func (x *exchange) watch() (stop func() bool) {
	return context.AfterFunc(x.request.Context(), func() {
		if !x.answering.Load() {
			x.end(Gone, 0)
		}
	})
}
