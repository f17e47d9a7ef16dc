package fakeopenai

import (
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
)

// The control API, for demonstrations and drills in another process:
//
//	POST   /control/scripts       {"match":"…","repeat":false,"steps":[…]}
//	DELETE /control/scripts       remove all scripts and open all gates
//	POST   /control/gates/{name}  open a gate
//	GET    /control/log           totals and requests
const maxControlBytes = 1 << 20

// ScriptDocument is the body of POST /control/scripts.
type ScriptDocument struct {
	Match  string `json:"match,omitzero"`
	Repeat bool   `json:"repeat,omitzero"` // the last step happens again and again
	Steps  []Step `json:"steps"`
}

// LogDocument is the body of GET /control/log.
type LogDocument struct {
	Totals   Totals    `json:"totals"`
	Requests []Request `json:"requests"`
}

func (s *Server) routeControl() {
	s.mux.HandleFunc("POST /control/scripts", s.serveScript)
	s.mux.HandleFunc("DELETE /control/scripts", func(w http.ResponseWriter, _ *http.Request) {
		s.Reset()
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("POST /control/gates/{name}", func(w http.ResponseWriter, r *http.Request) {
		s.Release(r.PathValue("name"))
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("GET /control/log", func(w http.ResponseWriter, _ *http.Request) {
		writeControl(w, http.StatusOK, LogDocument{s.Totals(), s.Requests()})
	})
}

func (s *Server) serveScript(w http.ResponseWriter, r *http.Request) {
	document, err := decodeScript(io.LimitReader(r.Body, maxControlBytes))
	if err == nil {
		err = s.addScript(document.Match, document.Repeat, document.Steps)
	}
	if err != nil {
		writeControl(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func decodeScript(body io.Reader) (ScriptDocument, error) {
	var document ScriptDocument
	if err := json.UnmarshalRead(body, &document, json.RejectUnknownMembers(true)); err != nil {
		return ScriptDocument{}, fmt.Errorf("decode script: %w", err)
	}
	return document, nil
}

func writeControl(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", mediaJSON)
	w.WriteHeader(status)
	_, _ = w.Write(encode(document))
}
