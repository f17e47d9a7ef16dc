package lambdahandler_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/upload"
)

// bucket is object storage that knows sizes alone, as one emulator does.
type bucket struct {
	mu     sync.Mutex
	sizes  map[string]int64
	signed int
}

func (b *bucket) SignPut(_ context.Context, put upload.Put) (upload.SignedPut, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.signed++
	return upload.SignedPut{URL: fmt.Sprintf("https://bucket/%s?n=%d", put.Key, b.signed), Headers: map[string]string{
		"Content-Type": put.MediaType, "If-None-Match": "*", "X-Amz-Checksum-Sha256": put.SHA256,
	}}, nil
}

func (b *bucket) StatObject(_ context.Context, key string) (upload.Object, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	size, found := b.sizes[key]
	if !found {
		return upload.Object{}, storeerror.ErrNotFound
	}
	return upload.Object{Bytes: size}, nil
}

// newUploads is a harness whose API takes files.
func newUploads(t *testing.T) (*harness, *bucket) {
	t.Helper()
	h, b := newHarness(t), &bucket{sizes: map[string]int64{}}
	documents := h.api.Documents
	documents.Index = &document.IndexTasks{
		Pipeline: "0a1b2c3d", Timers: h.timers, Tasks: h.store, Queue: h.queue, Log: slog.New(slog.DiscardHandler), Metrics: telemetry.NoMetrics{},
	}
	h.api.Documents = documents
	h.api.Uploads = &upload.Service{
		Store: h.store, Objects: b, Documents: documents, Creator: documents.Creator,
		NewID: newid.NewSource(h.clock.Now, rand.New(rand.NewSource(2))).Next, Now: h.clock.Now,
	}
	return h, b
}

func announcement(more string) string {
	return `{"file_name":"policy.pdf","media_type":"application/pdf","bytes":918244,"sha256":"` + strings.Repeat("ab", 32) + `"` + more + `}`
}

func (h *harness) announce(t *testing.T, key, more string) (id string, res result) {
	t.Helper()
	res = h.do(t, call{method: post, path: "/v1/uploads", key: key, body: announcement(more)})
	announced, _ := res.json()["upload"].(map[string]any)
	id, _ = announced["id"].(string)
	return id, res
}

func TestUploadFromAnnouncementToVersion(t *testing.T) {
	t.Parallel()
	h, b := newUploads(t)
	id, res := h.announce(t, "u-1", "")
	res.want(201, "").wantReplayed("u-1", "false")
	if res.headers["Location"] != "/prod/v1/uploads/"+id {
		t.Errorf("location %q", res.headers["Location"])
	}
	again, repeat := h.announce(t, "u-1", "")
	repeat.want(200, "").wantReplayed("u-1", "true")
	if again != id || repeat.body == res.body {
		t.Errorf("announced %s, then %s: %s", id, again, repeat.body)
	}
	complete := call{method: post, path: "/v1/uploads/" + id + "/complete"}
	h.do(t, complete).want(409, "upload_incomplete")
	b.sizes["uploads/acme/"+id] = 918243
	h.do(t, complete).want(409, "upload_mismatch")
	b.sizes["uploads/acme/"+id] = 918244
	h.clock.add(time.Hour) // the request has expired, the file is there
	made := h.do(t, complete).want(201, "")
	version, _ := made.json()["versions"].([]any)[0].(map[string]any)
	if made.text("title") != "policy.pdf" || version["state"] != "indexing" || version["file_name"] != "policy.pdf" ||
		made.headers["Location"] != "/prod/v1/documents/"+made.text("id") {
		t.Errorf("made %s at %s", made.body, made.headers["Location"])
	}
	clear(b.sizes)
	if repeat := h.do(t, complete).want(200, ""); repeat.body != made.body || h.queue.count() != 1 {
		t.Errorf("completed again: %s, %d tasks", repeat.body, h.queue.count())
	}
	next, _ := h.announce(t, "u-2", `,"document":"`+made.text("id")+`"`)
	b.sizes["uploads/acme/"+next] = 918244
	second := h.do(t, call{method: post, path: "/v1/uploads/" + next + "/complete", body: "{}"}).want(201, "")
	if second.headers["Location"] != "/prod/v1/documents/"+made.text("id")+"/versions/2" || second.json()["latest_version"] != float64(2) {
		t.Errorf("second version %s at %s", second.body, second.headers["Location"])
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	h, _ := newUploads(t)
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
		field  string
	}{
		"no name":          {`{"bytes":1,"sha256":"a"}`, 400, "field_missing", "file_name"},
		"no size":          {`{"file_name":"a","sha256":"a"}`, 400, "field_missing", "bytes"},
		"no hash":          {`{"file_name":"a","bytes":1}`, 400, "field_missing", "sha256"},
		"a fraction":       {`{"file_name":"a","bytes":1.5,"sha256":"a"}`, 400, "field_invalid", "bytes"},
		"another field":    {announcement(`,"url":"https://example.com"`), 400, "field_unknown", "url"},
		"too large":        {strings.Replace(announcement(""), "918244", "52428801", 1), 413, "file_too_large", "bytes"},
		"unknown document": {announcement(`,"document":"` + someID + `"`), 404, "not_found", "document"},
		"nothing":          {"", 400, "body_missing", ""},
	} {
		res := h.do(t, call{method: post, path: "/v1/uploads", key: "r-" + strings.ReplaceAll(name, " ", "-"), body: c.body}).want(c.status, c.code)
		if field, _ := res.json()["field"].(string); field != c.field {
			t.Errorf("%s: field %q, want %q", name, field, c.field)
		}
	}
	h.do(t, call{method: post, path: "/v1/uploads", body: announcement("")}).want(400, "idempotency_key_missing")
	id, _ := h.announce(t, "u-1", "")
	h.do(t, call{method: post, path: "/v1/uploads", key: "u-1", body: announcement(`,"title":"T"`)}).want(422, "idempotency_key_reused")
	complete := call{method: post, path: "/v1/uploads/" + id + "/complete"}
	for name, change := range map[string]func(*call){
		"another caller":    func(c *call) { c.caller = "bob" },
		"another workspace": func(c *call) { c.workspace = "globex" },
		"another upload":    func(c *call) { c.path = "/v1/uploads/" + someID + "/complete" },
	} {
		c := complete
		change(&c)
		if res := h.do(t, c); res.status != 404 {
			t.Errorf("%s: %d", name, res.status)
		}
	}
	complete.body = `{"text":"x"}`
	h.do(t, complete).want(400, "field_unknown")
}

// Where versions are read whole there is nobody who could read a file.
func TestNoUploadsWithoutIndex(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.do(t, call{method: post, path: "/v1/uploads", key: "u-1", body: announcement("")}).want(404, "not_found")
	h.do(t, call{method: post, path: "/v1/uploads/" + someID + "/complete"}).want(404, "not_found")
}

func TestConfigurationTellsHowLargeFilesMayBe(t *testing.T) {
	t.Parallel()
	h, _ := newUploads(t)
	body := h.do(t, call{method: get, path: "/config.json"}).want(200, "").body
	if !strings.Contains(body, `"upload_bytes":52428800`) {
		t.Errorf("configuration: %s", body)
	}
}
