package fakeopenai

import (
	"net/http"
	"time"
)

// Kind is what a request was for.
type Kind string

// The kinds of requests.
const (
	KindResponse Kind = "response" // POST /responses: may start a generation
	KindChat     Kind = "chat"     // POST /chat/completions: may start a generation
	KindRead     Kind = "read"     // GET /responses/{id}
	KindCancel   Kind = "cancel"   // POST /responses/{id}/cancel
	KindOther    Kind = "other"    // nothing that this server offers
)

// Outcome is how a request ended.
type Outcome string

// The outcomes.
const (
	Open     Outcome = ""         // not ended
	Answered Outcome = "answered" // the whole answer was handed to an open connection
	Broken   Outcome = "broken"   // the server closed the connection on purpose
	Gone     Outcome = "gone"     // the client had closed the connection
)

// Request is one request as it arrived and as it ended. The key is not in it, and
// Question is the end of the last turn.
type Request struct {
	Number     int         `json:"number"`
	ID         string      `json:"id"` // as sent in the header of the answer
	At         time.Time   `json:"at"`
	EndedAt    time.Time   `json:"ended_at,omitzero"`
	Connection int64       `json:"connection"` // requests with the same number share one
	Kind       Kind        `json:"kind"`
	Method     string      `json:"method"`
	Path       string      `json:"path"`
	Header     http.Header `json:"header"`
	Body       []byte      `json:"-"`
	BodySHA256 string      `json:"body_sha256,omitzero"`
	Model      string      `json:"model,omitzero"`
	Question   string      `json:"question,omitzero"`
	Operation  string      `json:"operation,omitzero"`
	Violations []string    `json:"violations,omitzero"`
	Generation bool        `json:"generation"`
	Status     int         `json:"status,omitzero"`
	Outcome    Outcome     `json:"outcome,omitzero"`
}

// Starts reports whether the request was one that can start a generation.
func (r Request) Starts() bool { return r.Kind == KindResponse || r.Kind == KindChat }

// Totals counts the log.
type Totals struct {
	Requests    int `json:"requests"` // that can start a generation
	Generations int `json:"generations"`
	Reads       int `json:"reads"`
	Cancels     int `json:"cancels"`
	Others      int `json:"others"`
	Violations  int `json:"violations"`
}

// Totals counts the log.
func (s *Server) Totals() Totals {
	var totals Totals
	for _, r := range s.Requests() {
		switch r.Kind {
		case KindResponse, KindChat:
			totals.Requests++
		case KindRead:
			totals.Reads++
		case KindCancel:
			totals.Cancels++
		case KindOther:
			totals.Others++
		}
		if r.Generation {
			totals.Generations++
		}
		totals.Violations += len(r.Violations)
	}
	return totals
}

// LogDocument is the answer of GET /control/log.
func (s *Server) LogDocument() any { return LogDocument{s.Totals(), s.Requests()} }

// LogDocument is the log as the control API tells it.
type LogDocument struct {
	Totals   Totals    `json:"totals"`
	Requests []Request `json:"requests"`
}
