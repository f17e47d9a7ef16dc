package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/guarantees"
)

// The fake's routes.

// route answers a request that no fault took. The caller holds the lock.
func (a *fakeAPI) route(w *httptest.ResponseRecorder, r *http.Request, path string, body []byte) {
	switch path {
	case "/config.json":
		limits := object{"message_bytes": 65536, "document_bytes": 1048576, "history": 8}
		if !a.texts {
			limits["upload_bytes"] = 50 << 20
		}
		writeJSON(w, r, http.StatusOK, object{
			"sign_in": a.signIn, "local": a.signIn["kind"] == "local", "limits": limits,
			"on_unknown": object{"default": "retry", "allowed": []string{"retry", "stop"}},
		})
		return
	case "/about.json":
		writeJSON(w, r, http.StatusOK, object{"version": "97a1a2b0c1d2", "providers": json.RawMessage(guarantees.Document())})
		return
	case "/local/sign-in":
		var who struct {
			User      string `json:"user"`
			Workspace string `json:"workspace"`
		}
		_ = json.Unmarshal(body, &who)
		writeJSON(w, r, http.StatusOK, object{"token": a.newToken(object{"sub": who.User, "workspace": who.Workspace})})
		return
	}
	if !a.authorized(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		writeProblem(w, http.StatusUnauthorized, "unauthorized", "Sign in again.", nil)
		return
	}
	var in object
	if len(body) > 0 {
		if err := json.Unmarshal(body, &in); err != nil {
			writeProblem(w, http.StatusBadRequest, "body_malformed", err.Error(), nil)
			return
		}
	}
	parts := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")
	shape := r.Method + " " + parts[0] + strings.Repeat("/*", len(parts)-1)
	if len(parts) > 2 {
		shape = fmt.Sprintf("%s %s/*/%s%s", r.Method, parts[0], parts[2], strings.Repeat("/*", len(parts)-3))
	}
	if !a.routeFiles(w, r, shape, parts, in) {
		a.routeV1(w, r, shape, parts, in)
	}
}

func (a *fakeAPI) newToken(claims object) string {
	a.tokens++
	a.revoked = false
	claims["n"] = a.tokens
	raw, _ := json.Marshal(claims)
	return "h." + base64.RawURLEncoding.EncodeToString(raw) + "." + strconv.Itoa(a.tokens)
}

func (a *fakeAPI) authorized(r *http.Request) bool {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token != "" && (!a.revoked && strings.HasSuffix(token, "."+strconv.Itoa(a.tokens)))
}

func (a *fakeAPI) routeV1(w *httptest.ResponseRecorder, r *http.Request, shape string, parts []string, in object) {
	s := &a.store
	now := time.Now()
	missing := func() { writeProblem(w, http.StatusNotFound, "not_found", "It does not exist.", nil) }
	switch shape {
	case "GET conversations/*/spend":
		writeJSON(w, r, http.StatusOK, object{
			"conversation": parts[1], "tasks": 2, "calls": 3, "calls_known": 2, "calls_unknown": 1, "input_tokens": 5120, "output_tokens": 911,
			"money": object{"currency": "EUR", "spent_micros": nil, "limit": object{"taken_micros": 38210, "limit_micros": 150000}}, "complete": false,
		})
	case "GET documents":
		var cards []object
		for _, d := range slices.Backward(s.documents) {
			cards = append(cards, d.render(false))
		}
		cards, next := listPage(r, cards)
		writeJSON(w, r, http.StatusOK, object{"documents": cards, "next": next})
	case "POST documents":
		a.keyed(w, r, in, http.StatusCreated, func() func() object {
			d := &document{id: s.newID(), title: fmt.Sprint(in["title"]), texts: []string{fmt.Sprint(in["text"])}, createdAt: now}
			s.documents = append(s.documents, d)
			return func() object { return d.render(true) }
		})
	case "GET documents/*":
		if d := byID(s.documents, func(d *document) string { return d.id }, parts[1]); d != nil {
			writeJSON(w, r, http.StatusOK, d.render(true))
			return
		}
		missing()
	case "POST documents/*/versions":
		d := byID(s.documents, func(d *document) string { return d.id }, parts[1])
		if d == nil {
			missing()
			return
		}
		a.keyed(w, r, in, http.StatusCreated, func() func() object {
			d.texts = append(d.texts, fmt.Sprint(in["text"]))
			return func() object { return d.render(true) }
		})
	case "GET documents/*/versions/*":
		d := byID(s.documents, func(d *document) string { return d.id }, parts[1])
		n, _ := strconv.Atoi(parts[3])
		if d == nil || n < 1 || n > len(d.texts) {
			missing()
			return
		}
		writeJSON(w, r, http.StatusOK, d.part(n, r.URL.Query().Get("from")))
	case "GET conversations":
		var list []object
		for _, c := range slices.Backward(s.conversations) {
			list = append(list, c.render())
		}
		list, next := listPage(r, list)
		writeJSON(w, r, http.StatusOK, object{"conversations": list, "next": next})
	case "POST conversations":
		a.keyed(w, r, in, http.StatusCreated, func() func() object {
			c := &conversation{id: s.newID(), title: fmt.Sprint(in["title"]), document: fmt.Sprint(in["document"]), createdAt: now}
			s.conversations = append(s.conversations, c)
			return c.render
		})
	default:
		c := byID(s.conversations, func(c *conversation) string { return c.id }, parts[min(1, len(parts)-1)])
		if c == nil {
			missing()
			return
		}
		a.routeConversation(w, r, shape, parts, in, c)
	}
}

func (a *fakeAPI) routeConversation(w *httptest.ResponseRecorder, r *http.Request, shape string, parts []string, in object, c *conversation) {
	s := &a.store
	var found *task
	if len(parts) >= 4 && parts[2] == "tasks" {
		found = byID(s.tasks, func(k *task) string { return k.id }, parts[3])
	}
	switch shape {
	case "GET conversations/*":
		a.writePage(w, r, c)
	case "POST conversations/*/messages":
		a.keyed(w, r, in, http.StatusAccepted, func() func() object {
			m := &message{id: s.newID(), conversation: c.id, text: fmt.Sprint(in["text"]), document: fmt.Sprint(in["document"]), createdAt: time.Now(), history: []string{}}
			m.version = int(in["version"].(float64))
			for _, id := range in["history"].([]any) {
				m.history = append(m.history, id.(string))
			}
			s.messages = append(s.messages, m)
			return a.accept(c.id, m.id).render
		})
	case "POST conversations/*/messages/*/*":
		a.keyed(w, r, in, http.StatusAccepted, func() func() object { return a.accept(c.id, parts[3]).render })
	case "GET conversations/*/tasks/*":
		if found == nil {
			writeProblem(w, http.StatusNotFound, "not_found", "It does not exist.", nil)
			return
		}
		if !found.ended() {
			w.Header().Set("Retry-After", "1")
		}
		writeJSON(w, r, http.StatusOK, found.render())
	case "POST conversations/*/tasks/*/*":
		if found.ended() && found.status != "cancelled" {
			writeProblem(w, http.StatusConflict, "task_ended", "It has ended.", object{"task": found.render()})
			return
		}
		found.status, found.version, found.endedAt = "cancelled", found.version+1, time.Now()
		writeJSON(w, r, http.StatusOK, found.render())
	default:
		writeProblem(w, http.StatusNotFound, "not_found", shape, nil)
	}
}

func (a *fakeAPI) accept(conversation, message string) *task {
	k := &task{id: a.store.newID(), conversation: conversation, message: message, status: "pending", createdAt: time.Now()}
	if a.onAccept != nil {
		a.onAccept(k)
	}
	a.store.tasks = append(a.store.tasks, k)
	return k
}

// keyed runs make once per idempotency key and answers repeats from the record.
func (a *fakeAPI) keyed(w *httptest.ResponseRecorder, r *http.Request, in object, created int, make func() func() object) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		writeProblem(w, http.StatusBadRequest, "idempotency_key_missing", "Send one.", nil)
		return
	}
	raw, _ := json.Marshal(in)
	fingerprint := r.URL.Path + string(raw)
	known, replayed := a.store.records[key]
	if replayed && known.fingerprint != fingerprint {
		writeProblem(w, http.StatusUnprocessableEntity, "idempotency_key_reused", "Use a new key.", nil)
		return
	}
	status := http.StatusOK
	if !replayed {
		known = record{fingerprint: fingerprint, render: make()}
		a.store.records[key] = known
		status = created
	}
	w.Header().Set("Idempotency-Key", key)
	w.Header().Set("Idempotency-Replayed", strconv.FormatBool(replayed))
	writeJSON(w, r, status, known.render())
}

// writePage answers with one page of the log of messages and tasks.
func (a *fakeAPI) writePage(w *httptest.ResponseRecorder, r *http.Request, c *conversation) {
	type entry struct {
		id     string
		isTask bool
		body   object
	}
	var log []entry
	for _, m := range a.store.messages {
		if m.conversation == c.id {
			log = append(log, entry{m.id, false, m.render()})
		}
	}
	for _, k := range a.store.tasks {
		if k.conversation == c.id {
			log = append(log, entry{k.id, true, k.render()})
		}
	}
	slices.SortFunc(log, func(x, y entry) int { return strings.Compare(x.id, y.id) })
	if before := r.URL.Query().Get("before"); before != "" {
		log = slices.DeleteFunc(log, func(e entry) bool { return e.id >= before })
	}
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	var next any
	if len(log) > limit {
		log = log[len(log)-limit:]
		next = log[0].id
	}
	messages, tasks := []object{}, []object{}
	for _, e := range log {
		if e.isTask {
			tasks = append(tasks, e.body)
		} else {
			messages = append(messages, e.body)
		}
	}
	writeJSON(w, r, http.StatusOK, object{"conversation": c.render(), "messages": messages, "tasks": tasks, "next": next})
}

func writeJSON(w http.ResponseWriter, r *http.Request, status int, body any) {
	raw, _ := json.Marshal(body)
	if r.Method == http.MethodGet {
		sum := sha256.Sum256(raw)
		etag := `"` + hex.EncodeToString(sum[:8]) + `"`
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}
