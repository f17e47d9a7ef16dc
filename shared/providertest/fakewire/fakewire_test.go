package fakewire_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

func TestGatesStayOpen(t *testing.T) {
	t.Parallel()
	var gates fakewire.Gates
	waiting := gates.Wait("a")
	if fakewire.IsOpen(waiting) || !fakewire.IsOpen(gates.Wait("")) {
		t.Error("a gate is closed until it is opened, and no gate is open")
	}
	gates.Open("a")
	gates.Open("a")
	if !fakewire.IsOpen(waiting) || !fakewire.IsOpen(gates.Wait("a")) {
		t.Error("an opened gate is closed")
	}
	other := gates.Wait("b")
	gates.OpenAll()
	if !fakewire.IsOpen(other) || fakewire.IsOpen(gates.Wait("a")) {
		t.Error("opening all lets everybody through and forgets the gates")
	}
}

func TestScriptsAreTakenInOrder(t *testing.T) {
	t.Parallel()
	var scripts fakewire.Scripts[string]
	scripts.Add("first", false, []string{"one", "two"})
	scripts.Add("q", true, []string{"three", "again"})
	for _, want := range []struct{ question, step string }{
		{"first q", "one"}, {"a q", "three"}, {"first q", "two"}, {"first q", "again"}, {"a q", "again"}, {"nothing", ""},
	} {
		if got := scripts.Take(want.question); got != want.step {
			t.Errorf("%s: %q, want %q", want.question, got, want.step)
		}
	}
	early := func(step string) bool { return step == "early" }
	if _, found := scripts.TakeEarly(early); found {
		t.Error("a step that is not there")
	}
	scripts.Add("", false, []string{"early", "late"})
	if _, found := scripts.TakeEarly(early); !found {
		t.Error("the early step is missing")
	}
	if _, found := scripts.TakeEarly(early); found {
		t.Error("the next step is not early")
	}
	scripts.Clear()
	if got := scripts.Take("q"); got != "" {
		t.Errorf("%q is left", got)
	}
}

func TestLogCanBeWaitedFor(t *testing.T) {
	t.Parallel()
	var log fakewire.Log[string]
	place := log.Add("begun")
	go log.Update(place, func(r *string) { *r = "ended" })
	if err := log.Wait(t.Context(), func(all []string) bool { return all[0] == "ended" }); err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if err := log.Wait(ctx, func([]string) bool { return false }); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
}

func TestHeaderValue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	for value, want := range map[string]string{"7": "7", "date:soon": "date:soon", "date:+90s": "Sun, 29 Nov 2026 14:01:30 GMT"} {
		if got := fakewire.HeaderValue(value, now); got != want {
			t.Errorf("%s: %q", value, got)
		}
	}
}

func FuzzPieces(f *testing.F) {
	f.Add("ok 👍🏽 café", 3)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, text string, n int) {
		text, n = strings.ToValidUTF8(text, "?"), min(n, 1000)
		pieces := fakewire.Pieces(text, n)
		if strings.Join(pieces, "") != text || len(pieces) > max(n, 1) {
			t.Fatalf("%d pieces of %q: %q", n, text, pieces)
		}
		for _, piece := range pieces {
			if piece == "" || !utf8.ValidString(piece) {
				t.Fatalf("the piece %q", piece)
			}
		}
	})
}

func FuzzDecodeScript(f *testing.F) {
	type step struct {
		Action string `json:"action"`
	}
	f.Add(`{"match":"m","repeat":true,"steps":[{"action":"answer"}]}`)
	f.Add(`{"steps":[{"action":"a","action":"b"}]}`)
	f.Add(`{"stpes":[]}`)
	f.Fuzz(func(t *testing.T, body string) {
		document, err := fakewire.DecodeScript[step](strings.NewReader(body))
		if err != nil && (document.Match != "" || document.Steps != nil) {
			t.Fatalf("%q is refused and has %+v", body, document)
		}
	})
}
