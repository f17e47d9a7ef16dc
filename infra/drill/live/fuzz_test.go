package live_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/drill/live"
	"github.com/replyonce/replyonce/shared/drills"
)

// FuzzRequests sends bodies to the beginning of a run, and addresses: no answer is
// one of the server's own faults.
func FuzzRequests(f *testing.F) {
	f.Add("/runs", `{"drills":["D11"]}`)
	f.Fuzz(func(t *testing.T, path, body string) {
		h := live.New(live.Config{
			Prepare: func(context.Context, string, func(string)) error { return errors.New("nothing is played here") },
			Can:     func(drills.Need) bool { return true },
		})
		defer h.Close()
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+live.Path+path, strings.NewReader(body))
			if err != nil {
				return
			}
			r.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			if answer.Code >= http.StatusInternalServerError || answer.Code == http.StatusAccepted && method == http.MethodGet {
				t.Errorf("%s %q %q: %d", method, path, body, answer.Code)
			}
		}
	})
}
