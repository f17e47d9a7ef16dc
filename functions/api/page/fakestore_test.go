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
)

// The fake's data, in the shapes of the HTTP contract.

type (
	object = map[string]any
	task   struct {
		id, conversation, message, status, previous, reason, reply string
		version, attempts, calls, unknown                          int
		nextAt, createdAt, endedAt                                 time.Time
		refusedBytes                                               int
		cutShort                                                   bool
	}
	message struct {
		id, conversation, text, document string
		version                          int
		history                          []string
		createdAt                        time.Time
	}
	document struct {
		id, title string
		texts     []string
		createdAt time.Time
	}
	conversation struct {
		id, title, document string
		createdAt           time.Time
	}
)

type fakeStore struct {
	counter       int
	documents     []*document
	conversations []*conversation
	messages      []*message
	tasks         []*task
	records       map[string]record
}

// record is an idempotency record: what a key was used for and what it made.
type record struct {
	fingerprint string
	render      func() object
}

func newFakeStore() fakeStore { return fakeStore{records: map[string]record{}} }

// newID counts upwards in ULID shape, so that ids sort by time.
func (s *fakeStore) newID() string {
	s.counter++
	return fmt.Sprintf("01JDZ%021d", s.counter)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (d *document) render(full bool) object {
	o := object{
		"id": d.id, "title": d.title, "latest_version": len(d.texts),
		"created_at": stamp(d.createdAt), "updated_at": stamp(d.createdAt),
	}
	if full {
		var versions []object
		for i, text := range d.texts {
			sum := sha256.Sum256([]byte(text))
			versions = append(versions, object{"version": i + 1, "bytes": len(text), "sha256": hex.EncodeToString(sum[:]), "created_at": stamp(d.createdAt)})
		}
		o["versions"] = versions
	}
	return o
}

func (c *conversation) render() object {
	return object{"id": c.id, "title": c.title, "document": c.document, "created_at": stamp(c.createdAt)}
}

func (m *message) render() object {
	return object{"id": m.id, "text": m.text, "document": m.document, "version": m.version, "history": m.history, "created_at": stamp(m.createdAt)}
}

func (k *task) render() object {
	refused := []object{}
	if k.refusedBytes > 0 {
		refused = append(refused, object{"assignment_version": 1, "bytes": k.refusedBytes, "sha256": "00", "input_tokens": 0, "output_tokens": 0, "at": stamp(k.createdAt)})
	}
	o := object{
		"id": k.id, "conversation": k.conversation, "message": k.message, "kind": "reply", "status": k.status,
		"created_at": stamp(k.createdAt), "deadline_at": stamp(k.createdAt.Add(10 * time.Minute)),
		"assignment_version": k.version, "attempts": k.attempts, "attempts_left": 4 - k.attempts,
		"calls": k.calls, "calls_left": 8 - k.calls, "on_unknown": "retry",
		"spend": object{
			"calls": k.calls, "calls_known": k.calls - k.unknown, "calls_unknown": k.unknown,
			"input_tokens": 0, "output_tokens": 0, "refused_answers": refused,
		},
	}
	if k.previous != "" {
		o["previous_attempt"] = k.previous
	}
	if !k.nextAt.IsZero() {
		o["next_attempt_at"] = stamp(k.nextAt)
	}
	if !k.endedAt.IsZero() {
		o["ended_at"] = stamp(k.endedAt)
	}
	if k.status == "completed" {
		o["reply"] = object{"text": k.reply, "cut_short": k.cutShort, "provider": "builtin", "model": "sentences", "language_model": false}
	}
	if k.status == "failed" {
		o["failure"] = object{"reason": k.reason}
	}
	return o
}

func (k *task) ended() bool {
	return slices.Contains([]string{"completed", "failed", "cancelled"}, k.status)
}

// The states that tests bring tasks to.

func running(k *task) { k.status, k.version, k.attempts, k.calls = "running", 1, 1, 1 }

func secondAttempt(k *task) {
	k.status, k.version, k.attempts, k.calls, k.unknown, k.previous = "running", 2, 2, 2, 1, "worker_lost"
}

func completed(text string) func(*task) {
	return func(k *task) {
		k.status, k.reply, k.endedAt = "completed", text, time.Now()
		k.version, k.attempts, k.calls = max(1, k.version), max(1, k.attempts), max(1, k.calls)
	}
}

func failed(reason string) func(*task) {
	return func(k *task) {
		k.status, k.reason, k.endedAt = "failed", reason, time.Now()
		k.version, k.attempts, k.calls = max(1, k.version), max(1, k.attempts), max(1, k.calls)
	}
}

// route answers a request that no fault took. The caller holds the lock.
func (a *fakeAPI) route(w *httptest.ResponseRecorder, r *http.Request, path string, body []byte) {
	switch {
	case path == "/config.json":
		writeJSON(w, r, http.StatusOK, object{
			"sign_in": a.signIn, "local": a.signIn["kind"] == "local",
			"limits": object{"message_bytes": 65536, "document_bytes": 1048576, "history": 8},
		})
		return
	case path == "/local/sign-in":
		var who struct{ User, Workspace string }
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
	a.routeV1(w, r, shape, parts, in)
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
		text := d.texts[n-1]
		writeJSON(w, r, http.StatusOK, object{"document": d.id, "title": d.title, "version": n, "bytes": len(text), "sha256": "00", "created_at": stamp(d.createdAt), "text": text})
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

func byID[T any](list []*T, id func(*T) string, wanted string) *T {
	for _, entry := range list {
		if id(entry) == wanted {
			return entry
		}
	}
	return nil
}

// listPage cuts the page out of a list that the query asks for. Cursors are
// positions here; the page must not care what they are.
func listPage(r *http.Request, list []object) ([]object, any) {
	from, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("after"), "cursor "))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	page := append([]object{}, list[min(from, len(list)):]...)
	if len(page) <= limit {
		return page, nil
	}
	return page[:limit], fmt.Sprintf("cursor %d", from+limit)
}

// setTask changes the newest task.
func (a *fakeAPI) setTask(edit func(*task)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.store.tasks); n > 0 {
		edit(a.store.tasks[n-1])
	}
}
