package live

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	strictjson "github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/infra/local/problem"
	"github.com/replyonce/replyonce/shared/drills"
)

// Path is where the handler is mounted.
const Path = "/local/drills"

const (
	maxBody = 4 << 10
	// pollLimit is how long a poll waits for news.
	pollLimit = 20 * time.Second
)

// Config says how drills are played.
type Config struct {
	// Breaks are the safety rules that a run can be played without.
	Breaks []Break
	// Prepare is called once per run, before the first world; nil: nothing is to
	// be prepared. It may take its time and tell of its progress. broken is the
	// name of the break that the run is played with, "" for none.
	Prepare func(ctx context.Context, broken string, progress func(string)) error
	// Start starts a world of a kind, broken in the way that was prepared.
	Start func(ctx context.Context, kind drills.Kind, broken string) (suite.World, error)
	// Can says what those worlds will be able to do.
	Can func(drills.Need) bool
}

// Break is a way in which the service can be broken on purpose.
type Break struct {
	Name string `json:"name"`
	Rule string `json:"rule"` // that is taken away, in a sentence for people
	What string `json:"what"` // what happens without it, likewise
	// Drill is the id of the drill that is about it, "" where that is open.
	Drill string `json:"drill"`
}

// Handler serves the drills. Close ends what is being played.
type Handler struct {
	*http.ServeMux
	runner *runner
}

// New returns a handler for [Path] and everything below it.
func New(c Config) *Handler {
	h := &Handler{ServeMux: http.NewServeMux(), runner: newRunner(c)}
	h.HandleFunc("GET "+Path, h.list)
	h.HandleFunc("POST "+Path+"/runs", h.begin)
	h.HandleFunc("GET "+Path+"/runs/{run}", h.state)
	h.HandleFunc("GET "+Path+"/runs/{run}/drills/{drill}", h.drill)
	h.HandleFunc("DELETE "+Path+"/runs/{run}", h.stop)
	h.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, notFound) })
	return h
}

// Close stops the run and waits for its end.
func (h *Handler) Close() { h.runner.close() }

var notFound = problem.Problem{Status: http.StatusNotFound, Code: "not_found", Title: "Not found", Detail: "There is no such drill or run here."}

// listed is a drill as the list has it.
type listed struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Happens  string   `json:"happens"`
	MustSee  string   `json:"must_see"`
	Promises []string `json:"promises"`
	Acts     []string `json:"acts"`
	Playable bool     `json:"playable"`
	WhyNot   string   `json:"why_not"`
}

func (h *Handler) list(w http.ResponseWriter, _ *http.Request) {
	list := []listed{}
	for _, d := range h.runner.catalogue() {
		l := listed{ID: d.ID, Name: d.Name, Happens: d.Happens, MustSee: d.MustSee, Promises: []string{}, Acts: []string{}}
		for _, p := range d.Promises {
			l.Promises = append(l.Promises, string(p))
		}
		for _, act := range d.Acts {
			if act.Title != "" {
				l.Acts = append(l.Acts, act.Title)
			}
		}
		l.WhyNot = h.runner.whyNot(d)
		l.Playable = l.WhyNot == ""
		list = append(list, l)
	}
	answer(w, http.StatusOK, map[string]any{"drills": list, "run": h.runner.last(), "breaks": append([]Break{}, h.runner.config.Breaks...)})
}

// begin starts a run. JSON, for which a browser asks before it sends it to
// another origin: no page elsewhere can start one.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) {
	var wanted struct {
		Drills []string `json:"drills"`
		Broken string   `json:"broken"`
	}
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		refuse(w, problem.Problem{
			Status: http.StatusUnsupportedMediaType, Code: "media_type_unsupported", Title: "The media type is not supported",
			Detail: "Send JSON with Content-Type: application/json.",
		})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = strictjson.Unmarshal(body, &wanted, strictjson.RejectUnknownMembers(true))
	}
	if err != nil {
		refuse(w, problem.Problem{
			Status: http.StatusBadRequest, Code: "body_malformed", Title: "The body cannot be read",
			Detail: `Send JSON such as {"drills":["D11"]}, or {} for all.`,
		})
		return
	}
	id, err := h.runner.begin(wanted.Drills, wanted.Broken) //nolint:contextcheck // the run outlives the request that starts it
	var unknown *unknownDrillError
	var unknownBreak *unknownBreakError
	switch {
	case errors.As(err, &unknown):
		refuse(w, problem.Problem{
			Status: http.StatusBadRequest, Code: "field_invalid", Title: "A field is invalid", Detail: err.Error(), Field: "drills",
		})
	case errors.As(err, &unknownBreak):
		refuse(w, problem.Problem{
			Status: http.StatusBadRequest, Code: "field_invalid", Title: "A field is invalid", Detail: err.Error(), Field: "broken",
		})
	case err != nil:
		refuse(w, problem.Problem{
			Status: http.StatusConflict, Code: "in_progress", Title: "Still in progress", Detail: "Wait for the end of the run, or stop it.",
			RetryAfter: time.Second,
		})
	default:
		w.Header().Set("Location", Path+"/runs/"+id)
		answer(w, http.StatusAccepted, map[string]string{"run": id})
	}
}

func (h *Handler) state(w http.ResponseWriter, r *http.Request) {
	after := int64(-1)
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.ParseInt(text, 10, 64); err != nil {
			refuse(w, problem.Problem{
				Status: http.StatusBadRequest, Code: "field_invalid", Title: "A field is invalid", Detail: "after is a version: a number.", Field: "after",
			})
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), pollLimit)
	defer cancel()
	state, found := h.runner.wait(ctx, r.PathValue("run"), after)
	if !found {
		refuse(w, notFound)
		return
	}
	answer(w, http.StatusOK, state)
}

func (h *Handler) drill(w http.ResponseWriter, r *http.Request) {
	d, found := h.runner.drill(r.PathValue("run"), r.PathValue("drill"))
	if !found {
		refuse(w, notFound)
		return
	}
	answer(w, http.StatusOK, d)
}

func (h *Handler) stop(w http.ResponseWriter, r *http.Request) {
	if !h.runner.stop(r.PathValue("run")) {
		refuse(w, notFound)
		return
	}
	answer(w, http.StatusAccepted, map[string]string{"run": r.PathValue("run")})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

func refuse(w http.ResponseWriter, p problem.Problem) { problem.Write(w, uuid.NewString(), p) }
