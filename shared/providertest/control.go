package providertest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// The control API, for tests and demonstrations in another process:
//
//	POST   /control/scripts        add a script; 201 with its id
//	GET    /control/scripts        list them
//	DELETE /control/scripts        remove them and open all gates
//	POST   /control/gates/{name}   open a gate
//	GET    /control/log            events, calls and totals; ?after=<seq> gives only
//	                               later events, ?wait=5s waits for the first of them
const (
	pathScripts = "/control/scripts"
	pathGate    = "/control/gates/{name}"
	pathLog     = "/control/log"
)

const (
	maxControlBytes = 1 << 20
	maxLogWait      = time.Minute
)

// LogDocument is the body of GET /control/log.
type LogDocument struct {
	Events []Event `json:"events"`
	Calls  []Call  `json:"calls"`
	Totals Totals  `json:"totals"`
}

type controlError struct {
	Error string `json:"error"`
}

func (s *Server) routeControl() {
	s.mux.HandleFunc("POST "+pathScripts, s.addScript)
	s.mux.HandleFunc("GET "+pathScripts, func(w http.ResponseWriter, _ *http.Request) {
		writeControl(w, http.StatusOK, s.scripts.list())
	})
	s.mux.HandleFunc("DELETE "+pathScripts, func(w http.ResponseWriter, _ *http.Request) {
		s.Reset()
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("POST "+pathGate, func(w http.ResponseWriter, r *http.Request) {
		s.Release(r.PathValue("name"))
		w.WriteHeader(http.StatusNoContent)
	})
	s.mux.HandleFunc("GET "+pathLog, s.readLog)
}

func (s *Server) addScript(w http.ResponseWriter, r *http.Request) {
	script, err := decodeScript(io.LimitReader(r.Body, maxControlBytes))
	if err == nil {
		script, err = s.Script(script)
	}
	if err != nil {
		writeControl(w, http.StatusBadRequest, controlError{err.Error()})
		return
	}
	writeControl(w, http.StatusCreated, script)
}

func decodeScript(body io.Reader) (Script, error) {
	var script Script
	if err := json.UnmarshalRead(body, &script, json.RejectUnknownMembers(true)); err != nil {
		return Script{}, fmt.Errorf("decode script: %w", err)
	}
	return script, nil
}

// LoadScripts adds the scripts of a JSON array, all or none.
func (s *Server) LoadScripts(source io.Reader) error {
	var scripts []Script
	if err := json.UnmarshalRead(source, &scripts, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("decode scripts: %w", err)
	}
	for i, script := range scripts {
		if err := script.validate(s.options.Lookup); err != nil {
			return fmt.Errorf("script %d: %w", i+1, err)
		}
	}
	for _, script := range scripts {
		s.scripts.add(script)
	}
	return nil
}

func (s *Server) readLog(w http.ResponseWriter, r *http.Request) {
	after, wait, err := logQuery(r)
	if err != nil {
		writeControl(w, http.StatusBadRequest, controlError{err.Error()})
		return
	}
	if wait > 0 {
		ctx, cancel := context.WithTimeout(r.Context(), wait)
		defer cancel()
		defer context.AfterFunc(s.closing, cancel)()
		_, _ = s.log.wait(ctx, after) // time over: answer with what there is
	}
	events, _ := s.log.after(after)
	calls, totals := s.log.summary()
	writeControl(w, http.StatusOK, LogDocument{Events: events, Calls: calls, Totals: totals})
}

func logQuery(r *http.Request) (after int, wait time.Duration, err error) {
	query := r.URL.Query()
	if value := query.Get("after"); value != "" {
		if after, err = strconv.Atoi(value); err != nil {
			return 0, 0, fmt.Errorf("after: %w", err)
		}
	}
	if value := query.Get("wait"); value != "" {
		if wait, err = time.ParseDuration(value); err != nil {
			return 0, 0, fmt.Errorf("wait: %w", err)
		}
	}
	return after, min(wait, maxLogWait), nil
}

func writeControl(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(fakewire.Encode(document))
}
