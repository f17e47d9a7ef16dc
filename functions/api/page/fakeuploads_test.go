package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The fake's uploads: the part of the contract that announces and completes them,
// and an object storage of another origin.

type fakeUpload struct {
	id, document, title, fileName, mediaType, sha256 string
	bytes                                            int
	signed                                           int // requests so far
	made                                             *document
	version                                          int
}

// fakeBucket takes what was signed, once per object, as object storage does that
// checks length, hash and "only if nothing is there".
type fakeBucket struct {
	*httptest.Server

	mu      sync.Mutex
	objects map[string][]byte
	puts    int
	faults  []bucketFault   // of the next requests, in order
	expired map[string]bool // signatures
}

// bucketFault answers a request in its own way; serve does what is right.
type bucketFault func(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter))

func newFakeBucket(t *testing.T) *fakeBucket {
	t.Helper()
	b := &fakeBucket{objects: map[string][]byte{}, expired: map[string]bool{}}
	b.Server = httptest.NewServer(b)
	t.Cleanup(func() {
		b.CloseClientConnections()
		b.Close()
	})
	return b
}

func (b *fakeBucket) fail(faults ...bucketFault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, faults...)
}

func (b *fakeBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	if r.Method == http.MethodOptions {
		w.Header().Set("Access-Control-Allow-Methods", "PUT")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		return
	}
	b.mu.Lock()
	b.puts++
	var fault bucketFault
	if len(b.faults) > 0 {
		fault, b.faults = b.faults[0], b.faults[1:]
	}
	b.mu.Unlock()
	serve := func(w http.ResponseWriter) { b.put(w, r) }
	if fault != nil {
		fault(w, r, serve)
		return
	}
	serve(w)
}

func (b *fakeBucket) put(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	sum := sha256.Sum256(body)
	b.mu.Lock()
	defer b.mu.Unlock()
	_, there := b.objects[r.URL.Path]
	switch {
	case b.expired[r.URL.Query().Get("signature")]:
		w.WriteHeader(http.StatusForbidden)
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case r.Header.Get("X-Amz-Checksum-Sha256") != base64.StdEncoding.EncodeToString(sum[:]), r.Header.Get("Content-Type") != r.URL.Query().Get("type"):
		w.WriteHeader(http.StatusBadRequest)
	case there && r.Header.Get("If-None-Match") == "*":
		w.WriteHeader(http.StatusPreconditionFailed)
	default:
		b.objects[r.URL.Path] = body
	}
}

// lostAnswer takes the file and hangs up.
func lostAnswer(w http.ResponseWriter, _ *http.Request, serve func(http.ResponseWriter)) {
	serve(httptest.NewRecorder())
	hangUp(w)
}

// expire lets the time of a request be over, for ever.
func (b *fakeBucket) expire(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter)) {
	b.mu.Lock()
	b.expired[r.URL.Query().Get("signature")] = true
	b.mu.Unlock()
	serve(w)
}

// inPart reads some of the file, tells so, and goes on when the other channel is
// closed.
func inPart(read int64, reached chan<- struct{}, until <-chan struct{}) bucketFault {
	return func(w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter)) {
		var head bytes.Buffer
		_, _ = io.CopyN(&head, r.Body, read)
		close(reached)
		select {
		case <-until:
		case <-r.Context().Done():
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(&head, r.Body), r.Body}
		serve(w)
	}
}

// routeFiles answers what is about uploads and deletion; false for all else. The
// caller holds the lock.
func (a *fakeAPI) routeFiles(w *httptest.ResponseRecorder, r *http.Request, shape string, parts []string, in object) bool {
	s := &a.store
	switch shape {
	case "POST uploads":
		a.keyed(w, r, in, http.StatusCreated, func() func() object {
			u := &fakeUpload{
				id: s.newID(), document: text(in["document"]), title: text(in["title"]), fileName: text(in["file_name"]),
				mediaType: text(in["media_type"]), sha256: text(in["sha256"]), bytes: int(in["bytes"].(float64)),
			}
			s.uploads = append(s.uploads, u)
			return func() object { return a.sign(u) }
		})
	case "POST uploads/*/complete":
		u := byID(s.uploads, func(u *fakeUpload) string { return u.id }, parts[1])
		if u == nil {
			writeProblem(w, http.StatusNotFound, "not_found", "It does not exist.", nil)
			return true
		}
		a.complete(w, r, u)
	case "DELETE documents/*":
		s.documents = slices.DeleteFunc(s.documents, func(d *document) bool { return d.id == parts[1] })
		s.deleted[parts[1]] = true
		w.WriteHeader(http.StatusNoContent)
	default:
		return false
	}
	return true
}

func (a *fakeAPI) sign(u *fakeUpload) object {
	u.signed++
	sum, _ := hex.DecodeString(u.sha256)
	return object{"upload": object{
		"id": u.id, "method": "PUT", "expires_at": stamp(time.Now().Add(15 * time.Minute)),
		"url": fmt.Sprintf("%s/uploads/%s?type=%s&signature=%d", a.bucket.URL, u.id, u.mediaType, u.signed),
		"headers": object{
			"Content-Type": u.mediaType, "Content-Length": fmt.Sprint(u.bytes), "If-None-Match": "*",
			"x-amz-checksum-sha256": base64.StdEncoding.EncodeToString(sum),
		},
	}}
}

// complete makes the version of an upload, once.
func (a *fakeAPI) complete(w *httptest.ResponseRecorder, r *http.Request, u *fakeUpload) {
	if u.made == nil {
		a.bucket.mu.Lock()
		file, there := a.bucket.objects["/uploads/"+u.id]
		a.bucket.mu.Unlock()
		if !there {
			writeProblem(w, http.StatusConflict, "upload_incomplete", "Send the file, then complete again.", nil)
			return
		}
		u.made = byID(a.store.documents, func(d *document) string { return d.id }, u.document)
		if u.made == nil {
			u.made = &document{id: a.store.newID(), title: u.title, createdAt: time.Now()}
			a.store.documents = append(a.store.documents, u.made)
		}
		u.made.texts = append(u.made.texts, string(file))
		u.version = len(u.made.texts)
		u.made.setState(u.version, object{"state": "indexing", "file_name": u.fileName})
	}
	w.Header().Set("Location", fmt.Sprintf("/v1/documents/%s/versions/%d", u.made.id, u.version))
	writeJSON(w, r, http.StatusCreated, u.made.render(true))
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// oneUpload fails the test unless all that was announced was one file, which made
// one version with this content.
func (a *fakeAPI) oneUpload(t *testing.T, content string) {
	t.Helper()
	creates := a.sent(http.MethodPost, `/v1/uploads$`)
	for _, r := range creates {
		if r.key == "" || r.key != creates[0].key || r.body != creates[0].body {
			t.Errorf("announced with key %q and body %q, first with %q and %q", r.key, r.body, creates[0].key, creates[0].body)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.store.uploads) != 1 || len(a.store.documents) != 1 {
		t.Fatalf("%d uploads and %d documents of one file, want 1 and 1", len(a.store.uploads), len(a.store.documents))
	}
	sum := sha256.Sum256([]byte(content))
	if u := a.store.uploads[0]; u.sha256 != hex.EncodeToString(sum[:]) || u.bytes != len(content) {
		t.Errorf("announced %d bytes with SHA-256 %s, want %d with %x", u.bytes, u.sha256, len(content), sum)
	}
	if texts := a.store.documents[0].texts; len(texts) != 1 || texts[0] != content {
		t.Errorf("%d versions, the first with %d bytes; want one with %d", len(texts), len(strings.Join(texts[:min(1, len(texts))], "")), len(content))
	}
}
