package stack_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/local/supervisor"
	"github.com/replyonce/replyonce/shared/tracing"
)

// spanCollector is a collector of OTLP in JSON that wants a key.
type spanCollector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []collectedSpan
}

type collectedSpan struct {
	TraceID string `json:"traceId"`
	Name    string `json:"name"`
	service string
}

func collectSpans(t *testing.T) *spanCollector {
	t.Helper()
	c := &spanCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var export struct {
			ResourceSpans []struct {
				Resource struct {
					Attributes []struct {
						Key   string
						Value struct{ StringValue string }
					}
				}
				ScopeSpans []struct{ Spans []collectedSpan }
			}
		}
		if r.URL.Path != "/otlp/v1/traces" || r.Header.Get("Api-Key") != "key 1" {
			t.Errorf("%s with the key %q", r.URL.Path, r.Header.Get("Api-Key"))
		}
		if err := json.NewDecoder(r.Body).Decode(&export); err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, of := range export.ResourceSpans {
			service := ""
			for _, a := range of.Resource.Attributes {
				if a.Key == "service.name" {
					service = a.Value.StringValue
				}
			}
			for _, scope := range of.ScopeSpans {
				for _, span := range scope.Spans {
					span.service = service
					c.spans = append(c.spans, span)
				}
			}
		}
		w.WriteHeader(http.StatusOK)
	}))
	t.Cleanup(c.Close)
	return c
}

// of returns "service name" of every span of a trace, sorted.
func (c *spanCollector) of(trace string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, span := range c.spans {
		if span.TraceID == trace {
			names = append(names, span.service+" "+span.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// One question is one trace, although its parts run in processes that never meet:
// its id can be told from the task's.
func TestProductTracesAQuestionToACollector(t *testing.T) {
	t.Parallel()
	c := collectSpans(t)
	_, alice := product(t, stack.Options{Env: map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL + "/otlp", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=key%201",
		"OTEL_EXPORTER_OTLP_TIMEOUT": "2000",
	}})
	asked := alice.ask(t)
	if ended := alice.awaitEnd(t, asked); ended.Status != "completed" {
		t.Fatalf("task %+v", ended)
	}
	trace := tracing.TraceID(asked.ID).String()
	wanted := []string{"api accept", "api handoff", "worker claim", "worker call", "worker complete"}
	missing := func() []string {
		got := c.of(trace)
		return slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return slices.Contains(got, name) })
	}
	for deadline := time.Now().Add(10 * time.Second); len(missing()) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the trace %s has no span %s, only %s", trace, strings.Join(missing(), ", "), strings.Join(c.of(trace), ", "))
		}
	}
	t.Log(strings.Join(c.of(trace), ", "))
}

// Without a collector the same spans are lines of the log.
func TestProductTracesAQuestionToTheLog(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	spans := map[string]bool{}
	_, alice := product(t, stack.Options{Observe: observeSpans(&mu, spans)})
	asked := alice.ask(t)
	alice.awaitEnd(t, asked)
	trace := tracing.TraceID(asked.ID).String()
	for _, name := range []string{"accept", "handoff", "claim", "call", "complete"} {
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			mu.Lock()
			found := spans[trace+" "+name]
			mu.Unlock()
			if found {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("no line has the span %s of %s", name, trace)
			}
		}
	}
}

// observeSpans notes "trace name" of every span that is a line of the log.
func observeSpans(mu *sync.Mutex, spans map[string]bool) func(supervisor.Line) {
	return func(line supervisor.Line) {
		if line.Message != tracing.MessageSpan {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		spans[line.String("trace_id")+" "+line.String("span")] = true
	}
}
