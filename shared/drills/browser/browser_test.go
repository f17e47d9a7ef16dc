package browser_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/drills/browser"
)

// api answers as the stack does, as far as a browser looks at it.
func api(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, body string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
	mux.HandleFunc("POST /local/sign-in", func(w http.ResponseWriter, r *http.Request) {
		var who struct{ User, Workspace string }
		if json.NewDecoder(r.Body).Decode(&who) != nil || r.Header.Get("Content-Type") != "application/json" {
			answer(w, http.StatusBadRequest, `{}`)
			return
		}
		answer(w, http.StatusOK, `{"token":"token of `+who.User+`"}`)
	})
	mux.HandleFunc("POST /v1/conversations/C/messages", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer token of ada" || r.Header.Get("Idempotency-Key") != "K" {
			answer(w, http.StatusUnauthorized, `{"code":"unauthorized"}`)
			return
		}
		w.Header().Set("Idempotency-Replayed", "true")
		answer(w, http.StatusOK, `{"id":"T","status":"completed","assignment_version":2,"reply":{"text":"yes"},"spend":{"calls":2}}`)
	})
	mux.HandleFunc("POST /v1/conversations/C/tasks/T/cancel", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusConflict, `{"status":409,"code":"task_ended","task":{"id":"T","status":"completed","assignment_version":2}}`)
	})
	mux.HandleFunc("GET /v1/conversations/C", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusBadGateway, "not JSON") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestAnswersAreReadAndRecorded(t *testing.T) {
	t.Parallel()
	var recorded []browser.Answer
	ada, err := browser.SignIn(t.Context(), api(t).URL, "ada", "acme", time.Now, func(a browser.Answer) { recorded = append(recorded, a) })
	if err != nil {
		t.Fatal(err)
	}
	defer ada.Close()
	body, err := browser.Question("why?", "D", 1)
	if err != nil {
		t.Fatal(err)
	}

	sent := ada.Submit(t.Context(), "C", "K", body)
	if !sent.OK() || !sent.Replayed || sent.Task == nil || sent.Task.ID != "T" || sent.Task.AssignmentVersion != 2 || !sent.Task.Ended() ||
		sent.Task.Reply.Text != "yes" || sent.Task.Spend.Calls != 2 || sent.Sent != string(body) {
		t.Errorf("submit: %+v", sent)
	}
	stopped := ada.Stop(t.Context(), "C", "T")
	if stopped.Want(http.StatusConflict) != nil || stopped.Code != "task_ended" || stopped.Task == nil || stopped.Task.AssignmentVersion != 2 {
		t.Errorf("stop: %+v", stopped)
	}
	broken := ada.Read(t.Context(), browser.ConversationPath("C"), "")
	if broken.OK() || broken.Task != nil || broken.Want(http.StatusOK) == nil {
		t.Errorf("read: %+v", broken)
	}
	if len(recorded) != 3 {
		t.Errorf("%d answers recorded, want 3: the sign-in is none", len(recorded))
	}
}

func TestALostConnectionIsAnAnswerToo(t *testing.T) {
	t.Parallel()
	server := api(t)
	var recorded []browser.Answer
	ada, err := browser.SignIn(t.Context(), server.URL, "ada", "acme", time.Now, func(a browser.Answer) { recorded = append(recorded, a) })
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	lost := ada.Submit(t.Context(), "C", "K", []byte("{}"))
	if lost.Err == nil || lost.OK() || !strings.Contains(lost.Want(200).Error(), "/v1/conversations/C/messages") || len(recorded) != 1 {
		t.Errorf("%+v, %d recorded", lost, len(recorded))
	}
}
