package fakeprovider

import (
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// Outcome is how a request ended for the fake.
type Outcome string

// The outcomes. A request without one is still under way.
const (
	Delivered  Outcome = "delivered"   // the whole response was handed to an open connection
	Lost       Outcome = "lost"        // the response could not be handed over
	Cut        Outcome = "cut"         // the fake closed the connection on purpose
	ClientGone Outcome = "client_gone" // the client closed the connection before an answer
)

// Request is one request as the fake saw it.
type Request struct {
	// ID is the fake's name for it, as sent in the response's header.
	ID string    `json:"id"`
	At time.Time `json:"at"`
	// EndedAt is when its outcome was known.
	EndedAt time.Time `json:"ended_at,omitzero"`
	// Connection is the same for requests on one connection.
	Connection int64  `json:"connection"`
	Method     string `json:"method"`
	Path       string `json:"path"`
	// Header has the key or the signature in it, so the control API does not tell it.
	Header http.Header `json:"-"`
	// Body is empty if the connection was cut before it was read.
	Body []byte `json:"-"`
	// Asked is what the request asks for, if it was valid.
	Asked Asked `json:"asked"`
	// Problem says what is against the API's description.
	Problem string `json:"problem,omitzero"`
	// Generated says that a real provider might charge for it.
	Generated bool `json:"generated"`
	// Hangs says that a part of the answer was sent, and no more will be.
	Hangs   bool    `json:"hangs,omitzero"`
	Outcome Outcome `json:"outcome,omitzero"`
}

// Totals counts the log.
type Totals struct {
	Requests    int `json:"requests"`
	Generations int `json:"generations"`
	Problems    int `json:"problems"`
}

// Totals counts the log: generations are what a real provider might charge for.
func (s *Server) Totals() Totals {
	var totals Totals
	for _, r := range s.Requests() {
		totals.Requests++
		if r.Generated {
			totals.Generations++
		}
		if r.Problem != "" {
			totals.Problems++
		}
	}
	return totals
}

// LogDocument is the log as the control API tells it.
type LogDocument struct {
	Totals   Totals          `json:"totals"`
	Requests []LoggedRequest `json:"requests"`
}

// LoggedRequest is a request with the end of its question.
type LoggedRequest struct {
	Request  `json:",inline"`
	Question string `json:"question,omitzero"`
}

// maxLogged is how much of a question the control API tells: a turn may have a whole
// document before its question.
const maxLogged = 500

// LogDocument is the answer of GET /control/log.
func (s *Server) LogDocument() any {
	document := LogDocument{Totals: s.Totals()}
	for _, r := range s.Requests() {
		document.Requests = append(document.Requests, LoggedRequest{r, fakewire.Tail(r.Asked.Question(), maxLogged)})
	}
	return document
}
