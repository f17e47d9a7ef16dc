package page_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// fakeDrills serves the drills' API with a run that a test moves on. What it
// serves was recorded from the real one: testdata/drills has the list and drill
// D11, played as it is and without the rule that it is about.
type fakeDrills struct {
	list    object
	details map[string]object // by id

	mu      sync.Mutex
	changed chan struct{}
	run     object // nil: none yet
	version int
	runs    int
	busy    bool // another tab's run: a POST is refused
	down    bool // nobody answers
	started []object
	stopped int
	polls   int // that have come in
}

func newFakeDrills(t *testing.T) *fakeDrills {
	t.Helper()
	return &fakeDrills{
		list: recorded(t, "list.json"), changed: make(chan struct{}),
		details: map[string]object{"D11": recorded(t, "D11.json")},
	}
}

func recorded(t *testing.T, name string) object {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "drills", name))
	if err != nil {
		t.Fatal(err)
	}
	var value object
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

var drillRoute = regexp.MustCompile(`^/local/drills(?:/runs(?:/(\d+)(?:/drills/(D\d+))?)?)?$`)

func (d *fakeDrills) serve(w http.ResponseWriter, r *http.Request, path string) {
	d.mu.Lock()
	down := d.down
	d.mu.Unlock()
	match := drillRoute.FindStringSubmatch(path)
	switch {
	case down:
		hangUp(w)
	case match == nil:
		writeProblem(w, http.StatusNotFound, "not_found", "There is no such drill or run here.", nil)
	case r.Method == http.MethodPost:
		d.begin(w, r)
	case match[1] == "":
		d.mu.Lock()
		defer d.mu.Unlock()
		d.list["run"] = ""
		if d.run != nil {
			d.list["run"] = d.run["run"]
		}
		writeJSONBody(w, http.StatusOK, d.list)
	case match[2] != "":
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.run == nil || d.run["run"] != match[1] || d.details[match[2]] == nil {
			writeProblem(w, http.StatusNotFound, "not_found", "There is no such drill or run here.", nil)
			return
		}
		writeJSONBody(w, http.StatusOK, d.details[match[2]])
	case r.Method == http.MethodDelete:
		d.mu.Lock()
		defer d.mu.Unlock()
		d.stopped++
		writeJSONBody(w, http.StatusAccepted, object{"run": match[1]})
	default:
		d.poll(w, r, match[1])
	}
}

func (d *fakeDrills) begin(w http.ResponseWriter, r *http.Request) {
	var wanted object
	_ = json.NewDecoder(r.Body).Decode(&wanted)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.started = append(d.started, wanted)
	if d.busy {
		writeProblem(w, http.StatusConflict, "in_progress", "Wait for the end of the run, or stop it.", nil)
		return
	}
	d.newRun(wanted)
	writeJSONBody(w, http.StatusAccepted, object{"run": d.run["run"]})
}

// newRun makes a run that is starting. The caller holds the lock.
func (d *fakeDrills) newRun(wanted object) {
	d.runs++
	ids, _ := wanted["drills"].([]any)
	if len(ids) == 0 {
		for _, drill := range d.list["drills"].([]any) {
			if drill := drill.(object); drill["playable"] == true {
				ids = append(ids, drill["id"])
			}
		}
	}
	broken, _ := wanted["broken"].(string)
	d.run = object{
		"run": strconv.Itoa(d.runs), "state": "starting", "progress": "building api, authorizer, worker, dispatcher, emulator",
		"error": "", "broken": broken, "wanted": ids, "playing": nil, "drills": []any{},
	}
	d.news()
}

// news wakes the polls up. The caller holds the lock.
func (d *fakeDrills) news() {
	d.version++
	d.run["version"] = d.version
	close(d.changed)
	d.changed = make(chan struct{})
}

// set changes the run.
func (d *fakeDrills) set(change object) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, value := range change {
		d.run[name] = value
	}
	d.news()
}

func (d *fakeDrills) poll(w http.ResponseWriter, r *http.Request, id string) {
	after, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil {
		after = -1
	}
	d.mu.Lock()
	d.polls++
	d.mu.Unlock()
	limit := time.After(5 * time.Second)
	for {
		d.mu.Lock()
		if d.run == nil || d.run["run"] != id {
			d.mu.Unlock()
			writeProblem(w, http.StatusNotFound, "not_found", "There is no such drill or run here.", nil)
			return
		}
		if d.version > after || !slices.Contains([]any{"starting", "playing"}, d.run["state"]) {
			break
		}
		changed := d.changed
		d.mu.Unlock()
		select {
		case <-changed:
			continue
		case <-limit:
		case <-r.Context().Done():
			return
		}
		d.mu.Lock()
		break
	}
	defer d.mu.Unlock()
	writeJSONBody(w, http.StatusOK, d.run)
}

func (d *fakeDrills) pollCount() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.polls
}

func writeJSONBody(w http.ResponseWriter, status int, body object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// playing is D11 up to an instant.
func playing(whole object, until float64) object {
	act := whole["acts"].([]any)[0].(object)
	timeline := act["timeline"].(object)
	var points, bars []any
	for _, p := range timeline["points"].([]any) {
		if p.(object)["at_ms"].(float64) <= until {
			points = append(points, p)
		}
	}
	for _, b := range timeline["bars"].([]any) {
		bar := b.(object)
		if bar["from_ms"].(float64) <= until {
			bars = append(bars, object{
				"from_ms": bar["from_ms"], "to_ms": min(bar["to_ms"].(float64), until), "lane": bar["lane"], "text": bar["text"], "kind": bar["kind"],
			})
		}
	}
	return object{"drill": whole["id"], "act": "", "timeline": object{
		"begun": timeline["begun"], "ends_ms": until, "lanes": timeline["lanes"], "points": points, "bars": bars,
	}}
}

// ended is a drill without timelines, as a run has it.
func ended(whole object) object {
	copied := object{"skipped": []any{}}
	for _, name := range []string{"id", "name", "status", "seconds"} {
		copied[name] = whole[name]
	}
	var acts []any
	for _, a := range whole["acts"].([]any) {
		short := object{}
		for name, value := range a.(object) {
			if name != "timeline" && name != "promises" && name != "seen" {
				short[name] = value
			}
		}
		acts = append(acts, short)
	}
	copied["acts"] = acts
	return copied
}
