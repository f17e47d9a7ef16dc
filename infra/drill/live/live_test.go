package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/drill/live"
	"github.com/replyonce/replyonce/infra/drill/report"
	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/worktask"
)

// quick are the timers "short" at a tenth: outside of a bubble, the virtual world
// lives in real time.
func quick() worktask.Timers {
	t := worktask.ShortTimers()
	for _, d := range []*time.Duration{
		&t.Lease, &t.RenewEvery, &t.SkewMargin, &t.LeaseReserve, &t.CallLimit, &t.WorkerLimit, &t.WorkerReserve, &t.HandoffGrace, &t.Visibility,
		&t.DispatchEvery, &t.BackoffBase, &t.BackoffLimit,
	} {
		*d /= 4
	}
	return t
}

// serve is a handler over worlds in this process.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
	h := live.New(live.Config{
		Breaks: []live.Break{{Name: "careless-save", What: "A reply is saved whatever the task is."}},
		Prepare: func(_ context.Context, _ string, progress func(string)) error {
			progress("nothing to build")
			return nil
		},
		Start: func(_ context.Context, kind drills.Kind, name string) (suite.World, error) {
			var broken func(worktask.Transition) worktask.Transition
			if name != "" {
				broken = carelessSave
			}
			return virtual.New(virtual.Options{Kind: kind, Timers: quick(), Store: memstore.New(memstore.Options{}), Now: time.Now, Transition: broken})
		},
		Can: func(n drills.Need) bool { return n != drills.Virtual },
	})
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
	return server
}

// ask sends a request and reads the answer.
func ask(t *testing.T, method, url, body string, want int, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != want {
		t.Fatalf("%s %s: %d, want %d", method, url, response.StatusCode, want)
	}
	if into != nil {
		if err := json.NewDecoder(response.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
}

// watch polls until the run is over and returns its last state, and how many
// different timelines it saw grow.
func watch(t *testing.T, url string) (last live.View, grown int) {
	t.Helper()
	version, points := int64(-1), 0
	for {
		ask(t, http.MethodGet, fmt.Sprintf("%s?after=%d", url, version), "", http.StatusOK, &last)
		if last.Playing != nil && len(last.Playing.Timeline.Points) > points {
			points = len(last.Playing.Timeline.Points)
			grown++
		}
		switch last.State {
		case live.Done, live.Stopped, live.Failed:
			return last, grown
		case live.Starting, live.Playing:
		}
		if last.Version <= version {
			t.Fatalf("version %d after %d", last.Version, version)
		}
		version = last.Version
	}
}

func TestARunIsWatched(t *testing.T) {
	t.Parallel()
	base := serve(t).URL + live.Path
	var list struct {
		Drills []struct {
			ID       string `json:"id"`
			Playable bool   `json:"playable"`
			WhyNot   string `json:"why_not"`
		} `json:"drills"`
		Run string `json:"run"`
	}
	ask(t, http.MethodGet, base, "", http.StatusOK, &list)
	for _, d := range list.Drills {
		if d.Playable == (d.ID == "D25") || d.Playable == (d.WhyNot != "") {
			t.Errorf("%s is playable: %t %s", d.ID, d.Playable, d.WhyNot)
		}
	}
	if len(list.Drills) < 30 || list.Run != "" {
		t.Errorf("%d drills, run %q", len(list.Drills), list.Run)
	}
	var begun struct {
		Run string `json:"run"`
	}
	ask(t, http.MethodPost, base+"/runs", `{"drills":["D07","D09"]}`, http.StatusAccepted, &begun)
	ask(t, http.MethodPost, base+"/runs", `{}`, http.StatusConflict, nil)
	last, grown := watch(t, base+"/runs/"+begun.Run)
	if last.State != live.Done || len(last.Drills) != 2 || last.Drills[0].Status != report.Passed || last.Drills[1].Status != report.Passed {
		t.Errorf("the run ended as %+v", last)
	}
	if grown < 2 {
		t.Errorf("the timeline was seen to grow %d times", grown)
	}
	var whole report.Drill
	ask(t, http.MethodGet, base+"/runs/"+begun.Run+"/drills/D07", "", http.StatusOK, &whole)
	if len(whole.Acts) != 1 || len(whole.Acts[0].Timeline.Points) < 5 || len(whole.Acts[0].Timeline.Bars) == 0 || len(whole.Acts[0].Promises) == 0 {
		t.Errorf("D07 is %+v", whole)
	}
}

// careless is a write whose condition asks for nothing.
type careless struct{ worktask.Transition }

var _ history.Imitation = careless{}

func (c careless) Original() worktask.Transition { return c.Transition }
func (c careless) Permitted(worktask.Task) error { return nil }

func carelessSave(tr worktask.Transition) worktask.Transition {
	if tr.Name() == history.Complete {
		return careless{tr}
	}
	return tr
}

func TestABrokenServiceIsShown(t *testing.T) {
	t.Parallel()
	base := serve(t).URL + live.Path
	var list struct{ Breaks []live.Break }
	ask(t, http.MethodGet, base, "", http.StatusOK, &list)
	if len(list.Breaks) != 1 || list.Breaks[0].Name != "careless-save" || list.Breaks[0].What == "" {
		t.Fatalf("breaks: %+v", list.Breaks)
	}
	ask(t, http.MethodPost, base+"/runs", `{"drills":["D11"],"broken":"careless-save"}`, http.StatusAccepted, nil)
	last, _ := watch(t, base+"/runs/1")
	if last.Broken != "careless-save" {
		t.Errorf("the run was played with %q", last.Broken)
	}
	if last.State != live.Done || len(last.Drills) != 1 || last.Drills[0].Status != report.Failed {
		t.Fatalf("the run ended as %+v", last)
	}
	act := last.Drills[0].Acts[0]
	if act.Passed || len(act.Deviations) == 0 || len(act.Findings) == 0 {
		t.Errorf("the act is %+v", act)
	}
}

func TestARunCanBeStopped(t *testing.T) {
	t.Parallel()
	base := serve(t).URL + live.Path
	ask(t, http.MethodPost, base+"/runs", `{"drills":["D20"]}`, http.StatusAccepted, nil)
	ask(t, http.MethodDelete, base+"/runs/1", "", http.StatusAccepted, nil)
	if last, _ := watch(t, base+"/runs/1"); last.State != live.Stopped {
		t.Errorf("the run ended as %+v", last)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	base := serve(t).URL + live.Path
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{http.MethodPost, "/runs", `{"drills":["D99"]}`, http.StatusBadRequest},
		{http.MethodPost, "/runs", `{"drills":["D25"]}`, http.StatusBadRequest},
		{http.MethodPost, "/runs", `{"drill":"D01"}`, http.StatusBadRequest},
		{http.MethodPost, "/runs", `{"drills":["D11"],"broken":"everything"}`, http.StatusBadRequest},
		{http.MethodGet, "/runs/7", "", http.StatusNotFound},
		{http.MethodDelete, "/runs/7", "", http.StatusNotFound},
		{http.MethodGet, "/runs/7/drills/D01", "", http.StatusNotFound},
		{http.MethodGet, "/elsewhere", "", http.StatusNotFound},
	} {
		ask(t, c.method, base+c.path, c.body, c.want, nil)
	}
}
