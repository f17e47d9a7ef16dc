package fakewire

import (
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
)

// The control API of a fake, for demonstrations and drills in another process:
//
//	POST   /control/scripts       {"match":"…","repeat":false,"steps":[…]}
//	DELETE /control/scripts       remove all scripts and open all gates
//	POST   /control/gates/{name}  open a gate
//	GET    /control/log           totals and requests
const maxControlBytes = 1 << 20

// ScriptDocument is the body of POST /control/scripts.
type ScriptDocument[S any] struct {
	Match  string `json:"match,omitzero"`
	Repeat bool   `json:"repeat,omitzero"` // the last step happens again and again
	Steps  []S    `json:"steps"`
}

// Controlled is a fake as its control API sees it.
type Controlled[S any] interface {
	AddScript(match string, repeat bool, steps []S) error
	Reset()
	Release(gate string)
	// LogDocument is the answer of GET /control/log.
	LogDocument() any
}

// RouteControl adds the control API to a fake's routes.
func RouteControl[S any](mux *http.ServeMux, fake Controlled[S]) {
	mux.HandleFunc("POST /control/scripts", func(w http.ResponseWriter, r *http.Request) {
		document, err := DecodeScript[S](io.LimitReader(r.Body, maxControlBytes))
		if err == nil {
			err = fake.AddScript(document.Match, document.Repeat, document.Steps)
		}
		if err != nil {
			writeControl(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		w.WriteHeader(http.StatusCreated)
	})
	mux.HandleFunc("DELETE /control/scripts", func(w http.ResponseWriter, _ *http.Request) {
		fake.Reset()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /control/gates/{name}", func(w http.ResponseWriter, r *http.Request) {
		fake.Release(r.PathValue("name"))
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /control/log", func(w http.ResponseWriter, _ *http.Request) {
		writeControl(w, http.StatusOK, fake.LogDocument())
	})
}

// DecodeScript reads the body of POST /control/scripts.
func DecodeScript[S any](body io.Reader) (ScriptDocument[S], error) {
	var document ScriptDocument[S]
	if err := json.UnmarshalRead(body, &document, json.RejectUnknownMembers(true)); err != nil {
		return ScriptDocument[S]{}, fmt.Errorf("decode script: %w", err)
	}
	return document, nil
}

func writeControl(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(Encode(document))
}
