package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
)

// save writes a history of one task that ends as told, or does not end.
func save(t *testing.T, name string, events ...history.Event) string {
	t.Helper()
	r := history.NewRecorder(func() time.Time { return time.UnixMilli(1000) }, history.Header{Name: name, Seed: 42})
	for _, e := range events {
		r.Record(e)
	}
	path := filepath.Join(t.TempDir(), name+".jsonl")
	if err := r.History().Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExitCodeIsTheWorstOfAllFiles(t *testing.T) {
	t.Parallel()
	ref := history.Ref("acme/C#1/T1")
	created := history.Event{Actor: "store", Kind: history.Created, Task: ref, Creation: &history.Creation{
		What: history.CreatesTask, Record: history.Record{Workspace: "acme", Caller: "alice", Key: "r-1"},
		Item: &history.Item{Status: "pending", Caller: "alice", HandoffDueAt: 1, Deadline: 2000},
	}}
	good := save(t, "good", history.Event{Actor: "worker-1", Kind: history.ProcessStarted})
	undecided := save(t, "open", created)
	broken := save(t, "broken", created, history.Event{Actor: "driver", Kind: history.Drained})
	for _, c := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{good}, 0, "good, 1 events, seed 42"},
		{[]string{undecided, good}, exitUndecided, "open at the end of the record"},
		{[]string{broken, undecided}, exitBroken, "the task has not ended (#1 #2)"},
		{[]string{"-only", "P1", broken}, 0, "not seen  P1"},
		{[]string{filepath.Join(t.TempDir(), "none"), broken}, exitFailed, "no such file"},
		{[]string{"-only", "P13", broken}, exitFailed, "usage:"},
		{nil, exitFailed, "usage:"},
	} {
		var out bytes.Buffer
		if got := run(c.args, &out, &out); got != c.want || !strings.Contains(out.String(), c.says) {
			t.Errorf("%q: exit code %d, want %d and %q:\n%s", c.args, got, c.want, c.says, out.String())
		}
	}
}
