package page_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
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
		more                                                       object // members beside those of every task
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
		states    map[int]object // members of versions that are not simply ready
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
	deleted       map[string]bool
	uploads       []*fakeUpload
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

func newFakeStore() fakeStore {
	return fakeStore{records: map[string]record{}, deleted: map[string]bool{}}
}

// newID counts upwards in ULID shape, so that ids sort by time.
func (s *fakeStore) newID() string {
	s.counter++
	return fmt.Sprintf("01JDZ%021d", s.counter)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (d *document) render(full bool) object {
	o := object{
		"id": d.id, "title": d.title, "latest_version": len(d.texts), "current_version": d.current(),
		"created_at": stamp(d.createdAt), "updated_at": stamp(d.createdAt),
	}
	if full {
		var versions []object
		for i, text := range d.texts {
			sum := sha256.Sum256([]byte(text))
			version := object{"version": i + 1, "state": "ready", "bytes": len(text), "sha256": hex.EncodeToString(sum[:]), "created_at": stamp(d.createdAt)}
			maps.Copy(version, d.states[i+1])
			versions = append(versions, version)
		}
		o["versions"] = versions
	}
	return o
}

// part is the text of a version; one with pages comes in two parts.
func (d *document) part(version int, from string) object {
	text := d.texts[version-1]
	o := object{"document": d.id, "title": d.title, "version": version, "bytes": len(text), "sha256": "00", "created_at": stamp(d.createdAt), "text": text}
	starts, paged := d.states[version]["page_starts"].([]int)
	if !paged {
		return o
	}
	o["page_starts"] = starts
	if half := starts[len(starts)/2]; from == "" {
		o["text"], o["next_from"] = text[:half], half
	} else {
		o["text"], o["from"] = text[half:], half
	}
	return o
}

// current is the newest version that is ready, or 0.
func (d *document) current() int {
	for n := len(d.texts); n > 0; n-- {
		if state, ok := d.states[n]["state"]; !ok || state == "ready" {
			return n
		}
	}
	return 0
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
	maps.Copy(o, k.more)
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

// setVersion changes the newest version of the newest document.
func (a *fakeAPI) setVersion(members object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.store.documents[len(a.store.documents)-1]
	d.setState(len(d.texts), members)
}

func (d *document) setState(version int, members object) {
	if d.states == nil {
		d.states = map[int]object{}
	}
	d.states[version] = members
}

// setTask changes the newest task.
func (a *fakeAPI) setTask(edit func(*task)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.store.tasks); n > 0 {
		edit(a.store.tasks[n-1])
	}
}
