package tracing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/worktask"
)

// lines is a log that a test reads.
type lines struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.String()
}

func (l *lines) logger(now func() time.Time) *slog.Logger {
	log, _ := telemetry.New(l, telemetry.Options{Function: "test", Now: now})
	return log
}

// Without a collector a span is a line of the log, as any other: the names are
// those of logs, and nobody is waited for.
func TestWithoutCollectorSpansAreLogLines(t *testing.T) {
	t.Parallel()
	var out lines
	w := newWorld(t, tracing.Config{Exporter: tracing.ToLog, Ratio: 1})
	w.log = out.logger(w.now)
	_, task := w.submit(w.api(w.tracer("api")), "g-1", "k-1", question)
	w.deliver(w.worker(w.tracer("worker")))
	names := map[string]bool{}
	snake := regexp.MustCompile(`^[a-z0-9_]+$`)
	for line := range strings.Lines(out.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if fields["msg"] != tracing.MessageSpan {
			continue
		}
		name, _ := fields["span"].(string)
		names[name] = true
		if fields["trace_id"] != tracing.TraceID(task).String() || fields["task_id"] != task || fields["workspace"] != "acme" {
			t.Errorf("%s", line)
		}
		if _, ok := fields["duration_ms"].(float64); !ok || fields["start"] == "" || fields["span_id"] == "" {
			t.Errorf("%s", line)
		}
		if _, hasParent := fields["parent_span_id"]; hasParent == (name == "accept") {
			t.Errorf("the parent of %s: %s", name, line)
		}
		for key := range fields {
			if !snake.MatchString(key) {
				t.Errorf("the key %q is not one of a log", key)
			}
		}
	}
	for _, name := range []string{"accept", "accept_write", "handoff", "attempt", "claim", "prepare", "call", "complete"} {
		if !names[name] {
			t.Errorf("no line has the span %s", name)
		}
	}
	wantNoMarker(t, out.String())
}

// Whatever the collector does, an invocation waits for it no longer than the
// time that was set, its work is done, and the collector is then left alone.
func TestCollectorThatIsDownCostsBoundedTime(t *testing.T) {
	t.Parallel()
	refused := httptest.NewServer(nil)
	refused.Close()
	release := make(chan struct{})
	asked := map[string]*atomic.Int64{"hangs": {}, "fails": {}, "redirects": {}}
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked["hangs"].Add(1); <-release }))
	fails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked["fails"].Add(1)
		http.Error(w, "ERROR-MARKER", http.StatusServiceUnavailable)
	}))
	redirects := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked["redirects"].Add(1)
		http.Redirect(w, r, fails.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(func() { close(release); hangs.Close(); fails.Close(); redirects.Close() })
	for name, url := range map[string]string{
		"nobody listens": refused.URL, "hangs": hangs.URL, "fails": fails.URL, "redirects": redirects.URL,
		"no such host": "http://collector.invalid:4318",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out lines
			w := newWorld(t, tracing.Config{
				Exporter: tracing.ToOTLP, Endpoint: url, Timeout: 100 * time.Millisecond, Ratio: 1, Headers: map[string]string{"X-Key": "SECRET-MARKER"},
			})
			w.log = out.logger(w.now)
			api := w.api(w.tracer("api"))
			begun := time.Now()
			status, task := w.submit(api, "g-1", "k-1", question)
			if took := time.Since(begun); took > 3*time.Second {
				t.Errorf("the first request took %s", took)
			}
			if status != http.StatusAccepted || w.task(task).Status != worktask.Pending {
				t.Fatalf("status %d", status)
			}
			begun = time.Now()
			for i := range 20 {
				w.submit(api, "g", string(rune('a'+i)), question)
			}
			if took := time.Since(begun); took > 2*time.Second { // 20 waits would be more
				t.Errorf("20 requests more took %s", took)
			}
			if n := strings.Count(out.String(), "spans not exported"); n != 1 {
				t.Errorf("it was reported %d times:\n%s", n, &out)
			}
			if strings.Contains(out.String(), "MARKER") {
				t.Errorf("a key or an answer is in the log:\n%s", &out)
			}
			if counter, counted := asked[name]; counted && counter.Load() != 1 {
				t.Errorf("asked %d times", counter.Load())
			}
			w.advance(31 * time.Second)
			w.submit(api, "g", "later", question)
			if n := strings.Count(out.String(), "spans not exported"); n != 2 {
				t.Errorf("after the pause it was tried again %d times", n-1)
			}
			if !strings.Contains(out.String(), "spans dropped") {
				t.Errorf("what was dropped is not told:\n%s", &out)
			}
		})
	}
}

// silence is a collector that never answers.
type silence struct{}

func (silence) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// The exporter's time bounds a flush, and the invocation's own end where that
// comes first.
func TestFlushLeavesTheInvocationItsTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ timeout, invocation, want time.Duration }{
		"the exporter's time":   {300 * time.Millisecond, 20 * time.Second, 300 * time.Millisecond},
		"the invocation's time": {2 * time.Second, time.Second, 800 * time.Millisecond},
		"no time is left":       {2 * time.Second, 100 * time.Millisecond, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			traces := tracing.New(tracing.Options{
				Config: tracing.Config{Exporter: tracing.ToOTLP, Endpoint: "http://collector", Timeout: c.timeout, Ratio: 1},
				Log:    slog.New(slog.DiscardHandler), Now: time.Now, Client: &http.Client{Transport: silence{}},
			})
			ref := worktask.Ref{Workspace: "acme", Scope: "C#x", ID: "01JDT000000000000000000000"}
			if err := traces.Queue(&queue{}).Publish(t.Context(), ref); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), c.invocation)
			defer cancel()
			begun := time.Now()
			traces.Flush(ctx)
			if took := time.Since(begun); took != c.want {
				t.Errorf("%s: the flush took %s, want %s", name, took, c.want)
			}
		})
	}
}

func TestHeadersGoWithTheExport(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	config := to(c)
	config.Headers = map[string]string{"Authorization": "Api-Key 1"}
	w := newWorld(t, config)
	w.submit(w.api(w.tracer("api")), "g-1", "k-1", question)
	if got := c.headers.Get("Authorization"); got != "Api-Key 1" {
		t.Errorf("header %q", got)
	}
}

// A nil tracer, which is what none gives, is not in the way.
func TestNoTracerLeavesEverythingAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracing.Config{Exporter: tracing.ToNobody})
	none := w.tracer("api")
	if none != nil {
		t.Fatal("there is a tracer")
	}
	if none.Tasks(w.store) != w.store || none.Queue(w.queue) != w.queue || none.Conversations(w.store) != w.store ||
		none.Records(w.store) != w.store || none.Kind(kind{w}) != (kind{w}) || none.Runner(nil) != nil || none.Requests(nil) != nil {
		t.Error("something is wrapped")
	}
	none.Flush(t.Context())
	if _, task := w.submit(w.api(none), "g-1", "k-1", question); w.task(task).Status != worktask.Pending {
		t.Error("nothing was accepted")
	}
	w.deliver(w.worker(none))
}

// A task is traced by all functions or by none.
func TestSamplingDecidesByTheTask(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	config := to(c)
	config.Ratio = 0.5
	w := newWorld(t, config)
	api, worker := w.api(w.tracer("api")), w.worker(w.tracer("worker"))
	const tasks = 60
	for i := range tasks {
		w.advance(time.Millisecond) // ids of one process and one millisecond are neighbours
		w.submit(api, "g", "k-"+string(rune('0'+i)), question)
		w.deliver(worker)
	}
	spans := map[string]int{}
	for _, s := range c.spans {
		spans[s.traceID]++
	}
	for trace, n := range spans {
		if n != 8 {
			t.Errorf("trace %s has %d spans", trace, n)
		}
	}
	if len(spans) < 8 || len(spans) > 52 {
		t.Errorf("%d of %d tasks are traced", len(spans), tasks)
	}
}

// The name of a task's trace can be told from its id by anybody.
func TestTraceIDIsTheTaskID(t *testing.T) {
	t.Parallel()
	if got := tracing.TraceID("01ARZ3NDEKTSV4RRFFQ69G5FAV").String(); got != "01563e3ab5d3d6764c61efb99302bd5b" {
		t.Errorf("trace %s", got)
	}
	for _, id := range []string{"", "t", "00000000000000000000000000", "01ARZ3NDEKTSV4RRFFQ69G5FA!"} {
		if tracing.TraceID(id).IsValid() {
			t.Errorf("%q names a trace", id)
		}
	}
}

// An id that names no trace, and a queue that fails, change nothing of the work.
func TestOddTasksAreWorkedOn(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, to(c))
	traces := w.tracer("api")
	ref := worktask.Ref{Workspace: "acme", Scope: "C#x", ID: "odd"}
	if err := traces.Queue(w.queue).Publish(t.Context(), ref); err != nil || len(w.queue.take()) != 1 {
		t.Error(err)
	}
	if _, err := traces.Tasks(w.store).Apply(t.Context(), ref, worktask.Cancel{Now: w.now()}); err == nil {
		t.Error("a task that is not there was cancelled")
	}
	traces.Flush(t.Context())
	if len(c.spans) != 0 {
		t.Errorf("%+v", c.spans)
	}
}

// One process, many records at a time, one flush among them: no span is lost or
// sent twice.
func TestSpansOfParallelWork(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, to(c))
	traces := w.tracer("worker")
	queue := traces.Queue(w.queue)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 25 {
				if err := queue.Publish(t.Context(), worktask.Ref{Workspace: "acme", Scope: "C#x", ID: w.ids()}); err != nil {
					t.Error(err)
				}
			}
			traces.Flush(t.Context())
		})
	}
	group.Wait()
	traces.Flush(t.Context())
	if got := len(c.named("handoff")); got != 200 {
		t.Errorf("%d spans", got)
	}
}
