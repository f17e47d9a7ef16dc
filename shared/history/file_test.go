package history_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
)

// sample has every payload once.
func sample() history.History {
	now := time.Date(2026, 11, 29, 14, 0, 0, 123456789, time.UTC)
	r := history.NewRecorder(func() time.Time { return now }, history.Header{Name: "sample", Seed: 7, Limits: history.Limits{LeaseMS: 30000}})
	worker := r.Actor("worker-1")
	ref := history.Ref("acme/C#1/T1")
	item := history.Item{Status: "running", Deadline: history.MillisOf(now), Result: history.Saved{SHA256: "ab", Bytes: 1}}
	worker.Start()
	sent := worker.Record(history.Event{Kind: history.WriteSent, Task: ref, Write: &history.Write{Transition: history.Claim, AssignmentID: "a"}})
	r.Record(history.Event{Actor: "store", Kind: history.Stored, Op: sent, Task: ref, Write: &history.Write{Transition: history.Claim}, Before: &item, After: &item})
	worker.Record(history.Event{Kind: history.WriteDone, Op: sent, Task: ref, Outcome: history.Lost, Detail: "cut"})
	worker.Record(history.Event{Kind: history.IndexRead, Outcome: history.Landed, Due: []history.Due{{Task: ref, At: 5}}})
	created := r.Record(history.Event{Actor: "api", Kind: history.CreateSent, Task: ref, Creation: &history.Creation{What: history.CreatesTask, Item: &item}})
	r.Record(history.Event{Actor: "api", Kind: history.CreateDone, Op: created, Outcome: history.Landed})
	asked := r.Record(history.Event{Actor: "alice", Kind: history.RequestSent, Request: &history.Request{Operation: history.OperationRead}})
	r.Record(history.Event{Actor: "alice", Kind: history.RequestAnswered, Op: asked, Answer: &history.Answer{Status: 200, View: &history.View{Status: "running"}}})
	worker.StepClock(-120_000)
	worker.Kill()
	worker.Start() // not recorded
	r.Record(history.Event{Actor: "driver", Kind: history.Drained})
	return r.History()
}

func TestHistorySurvivesItsFile(t *testing.T) {
	t.Parallel()
	want := sample()
	if err := want.Check(); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := want.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	got, err := history.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v\nwrote\n%+v", got, want)
	}
}

func TestStreamEqualsFile(t *testing.T) {
	t.Parallel()
	var stream, file bytes.Buffer
	r := history.NewRecorder(func() time.Time { return time.UnixMilli(1) }, history.Header{Name: "stream"})
	r.StreamTo(&stream)
	r.Actor("worker-1").Start()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.History().WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if stream.String() != file.String() {
		t.Errorf("stream\n%s\nfile\n%s", stream.String(), file.String())
	}
}

func TestReadRefusesWhatIsNoHistory(t *testing.T) {
	t.Parallel()
	const header = `{"schema":1,"limits":{"lease_ms":1,"margin_ms":1,"dispatch_ms":1}}` + "\n"
	const start = `{"seq":1,"at":"2026-11-29T14:00:00Z","actor":"w","kind":"process_started"}` + "\n"
	cases := map[string]string{
		"empty":            "",
		"unknown schema":   strings.Replace(header, `"schema":1`, `"schema":2`, 1),
		"unknown member":   header + strings.Replace(start, `"actor"`, `"x":1,"actor"`, 1),
		"member twice":     header + strings.Replace(start, `"actor"`, `"seq":1,"actor"`, 1),
		"unknown kind":     header + strings.Replace(start, "started", "exploded", 1),
		"gap":              header + strings.Replace(start, `"seq":1`, `"seq":2`, 1),
		"no payload":       header + strings.Replace(start, "process_started", "clock_stepped", 1),
		"no task":          header + strings.Replace(start, "process_started", "read_sent", 1),
		"end of nothing":   header + strings.Replace(start, `"kind":"process_started"`, `"kind":"sweep_done","sweep":{"seen":0,"published":0,"ended":0,"deferred":0,"failed":0,"complete":true}`, 1),
		"end of a start":   header + start + `{"seq":2,"at":"2026-11-29T14:00:00Z","actor":"w","kind":"read_done","op":1,"task":"a","outcome":"landed"}`,
		"unknown outcome":  header + start + `{"seq":2,"at":"2026-11-29T14:00:00Z","actor":"w","kind":"index_read","outcome":"maybe"}`,
		"time of day only": header + strings.Replace(start, "2026-11-29T", "", 1),
		"no json":          header + "seq 1",
		"long line":        header + `{"seq":1,"actor":"` + strings.Repeat("x", 1<<20) + `"}`,
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := history.Read(strings.NewReader(text)); !errors.Is(err, history.ErrFormat) {
				t.Errorf("Read error = %v, want ErrFormat", err)
			}
		})
	}
	if _, err := history.Read(strings.NewReader(header + start)); err != nil {
		t.Errorf("the sound one is refused: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	var file bytes.Buffer
	if _, err := sample().WriteTo(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte("{\"schema\":1}\n{}"))
	f.Add([]byte(`{"schema":1,"limits":{"lease_ms":1e99}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := history.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		if err := h.Check(); err != nil {
			t.Fatalf("read, but %v", err)
		}
		var out bytes.Buffer
		if _, err := h.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		again, err := history.Read(&out)
		if err != nil || len(again.Events) != len(h.Events) {
			t.Fatalf("written and read again: %v", err)
		}
	})
}
