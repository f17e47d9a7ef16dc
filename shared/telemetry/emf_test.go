package telemetry_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/telemetry"
)

// emitAll uses every metric once, as it is meant to be used.
func emitAll(m telemetry.Metrics) {
	m.Count(telemetry.Accepted, 1)
	m.Count(telemetry.Replayed, 49)
	m.Count(telemetry.Claims, 1)
	m.Count(telemetry.Takeovers, 0)
	m.Count(telemetry.RefusedWrites, 1, telemetry.Kind("complete"), telemetry.Cause(telemetry.RefusedStale))
	m.Count(telemetry.UnknownOutcomes, 1)
	m.Count(telemetry.Retries, 1)
	m.Count(telemetry.Failures, 1, telemetry.Reason("deadline"))
	m.Count(telemetry.InputTokens, 1200)
	m.Count(telemetry.OutputTokens, 340)
	m.Count(telemetry.HandoffsRepublished, 3)
	m.Gauge(telemetry.OldestDueHandoffAge, 12.5)
	m.Gauge(telemetry.OpenDeadLetters, 2)
}

func TestMetricsGolden(t *testing.T) {
	t.Parallel()
	_, metrics, out := newTelemetry(t)
	emitAll(metrics)
	golden(t, "metrics.golden", out.Bytes())
}

// document is an embedded metric format document as CloudWatch reads it.
type document struct {
	AWS *struct {
		Timestamp         *int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	} `json:"_aws"`
}

// Every line keeps the rules of the specification of the format: metadata,
// targets at the root, their types, and the limits of names and values.
func TestMetricsKeepTheSpecification(t *testing.T) {
	t.Parallel()
	_, metrics, out := newTelemetry(t)
	emitAll(metrics)
	lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
	if len(lines) != 13 {
		t.Fatalf("%d lines for 13 metrics", len(lines))
	}
	for _, line := range lines {
		checkDocument(t, line)
	}
}

func checkDocument(t *testing.T, line []byte) {
	t.Helper()
	var doc document
	var root map[string]any
	if err := json.Unmarshal(line, &doc); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if err := json.Unmarshal(line, &root); err != nil {
		t.Fatal(err)
	}
	if doc.AWS == nil || doc.AWS.Timestamp == nil || *doc.AWS.Timestamp != options().Now().UnixMilli() || len(doc.AWS.CloudWatchMetrics) != 1 {
		t.Fatalf("metadata of %s", line)
	}
	directive := doc.AWS.CloudWatchMetrics[0]
	if directive.Namespace != telemetry.DefaultNamespace || len(directive.Dimensions) == 0 || len(directive.Metrics) == 0 {
		t.Errorf("directive of %s", line)
	}
	for _, set := range directive.Dimensions {
		for _, name := range set {
			value, isString := root[name].(string)
			if !isString || value == "" || len(value) > 1024 || len(name) > 255 {
				t.Errorf("dimension %s = %v", name, root[name])
			}
		}
	}
	for _, metric := range directive.Metrics {
		if _, isNumber := root[metric.Name].(float64); !isNumber || len(metric.Name) > 255 {
			t.Errorf("metric %s = %v", metric.Name, root[metric.Name])
		}
		if metric.Unit != "Count" && metric.Unit != "Seconds" {
			t.Errorf("unit of %s = %s", metric.Name, metric.Unit)
		}
	}
}

func TestNamespaceIsConfigurable(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := options()
	o.Namespace = "Staging"
	_, metrics := telemetry.New(&out, o)
	metrics.Count(telemetry.Accepted, 1)
	if !strings.Contains(out.String(), `"Namespace":"Staging"`) {
		t.Errorf("emitted %s", &out)
	}
}

// A metric used in another way than it is defined is logged, not emitted.
func TestMisuseIsDroppedAndLogged(t *testing.T) {
	t.Parallel()
	tests := map[string]func(m telemetry.Metrics){
		"unknown metric":       func(m telemetry.Metrics) { m.Count("surprises", 1) },
		"negative count":       func(m telemetry.Metrics) { m.Count(telemetry.Accepted, -1) },
		"count as gauge":       func(m telemetry.Metrics) { m.Gauge(telemetry.Accepted, 1) },
		"gauge as count":       func(m telemetry.Metrics) { m.Count(telemetry.OldestDueHandoffAge, 1) },
		"no number":            func(m telemetry.Metrics) { m.Gauge(telemetry.OldestDueHandoffAge, math.NaN()) },
		"infinite":             func(m telemetry.Metrics) { m.Gauge(telemetry.OldestDueHandoffAge, math.Inf(1)) },
		"dimension missing":    func(m telemetry.Metrics) { m.Count(telemetry.Failures, 1) },
		"dimension not wanted": func(m telemetry.Metrics) { m.Count(telemetry.Claims, 1, telemetry.Kind("a")) },
		"other dimension":      func(m telemetry.Metrics) { m.Count(telemetry.Failures, 1, telemetry.Kind("a")) },
		"dimension twice": func(m telemetry.Metrics) {
			m.Count(telemetry.Failures, 1, telemetry.Reason("a"), telemetry.Reason("b"))
		},
		"one of two dimensions": func(m telemetry.Metrics) { m.Count(telemetry.RefusedWrites, 1, telemetry.Kind("a")) },
		"dimensions swapped": func(m telemetry.Metrics) {
			m.Count(telemetry.RefusedWrites, 1, telemetry.Cause(telemetry.RefusedStale), telemetry.Kind("a"))
		},
		"empty second value": func(m telemetry.Metrics) {
			m.Count(telemetry.RefusedWrites, 1, telemetry.Kind("a"), telemetry.Cause(""))
		},
		"empty dimension value":   func(m telemetry.Metrics) { m.Count(telemetry.Failures, 1, telemetry.Reason("")) },
		"endless dimension value": func(m telemetry.Metrics) { m.Count(telemetry.Failures, 1, telemetry.Reason(strings.Repeat("a", 1025))) },
	}
	for name, use := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, metrics, out := newTelemetry(t)
			use(metrics)
			if strings.Contains(out.String(), "_aws") || !strings.Contains(out.String(), "metric dropped") {
				t.Errorf("written: %s", out)
			}
		})
	}
}

// A stream that refuses a metric does not fail the work that was measured.
func TestWriteErrorIsLogged(t *testing.T) {
	t.Parallel()
	w := &failingWriter{refuse: func(line []byte) bool { return bytes.Contains(line, []byte("_aws")) }}
	_, metrics := telemetry.New(w, options())
	metrics.Count(telemetry.Accepted, 1)
	if !strings.Contains(w.out.String(), io.ErrClosedPipe.Error()) {
		t.Errorf("written: %s", &w.out)
	}
}

func TestNoMetrics(t *testing.T) {
	t.Parallel()
	emitAll(telemetry.NoMetrics{})
}

// singleWriter fails the test if two Writes overlap, and keeps the lines.
type singleWriter struct {
	t    *testing.T
	busy sync.Mutex
	out  bytes.Buffer
}

func (s *singleWriter) Write(line []byte) (int, error) {
	if !s.busy.TryLock() {
		s.t.Error("two writes at once")
		return len(line), nil
	}
	defer s.busy.Unlock()
	return s.out.Write(line)
}

func TestLogAndMetricsFromManyGoroutines(t *testing.T) {
	t.Parallel()
	w := &singleWriter{t: t}
	log, metrics := telemetry.New(w, options())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				log.With(slog.Int("n", 1)).Info("line")
				metrics.Count(telemetry.Claims, 1)
			}
		})
	}
	group.Wait()
	lines := strings.Split(strings.TrimSuffix(w.out.String(), "\n"), "\n")
	if len(lines) != 800 {
		t.Fatalf("%d lines, want 800", len(lines))
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Fatalf("broken line %q", line)
		}
	}
}
