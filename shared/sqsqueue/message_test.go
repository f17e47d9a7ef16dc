package sqsqueue_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

var ref = worktask.Ref{Workspace: "acme", Scope: "C#01JDZZZZZZZZZZZZZZZZZZZZZZ", ID: "01JDYYYYYYYYYYYYYYYYYYYYYY"}

func TestEncodeGolden(t *testing.T) {
	t.Parallel()
	body, err := sqsqueue.Encode(ref)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"workspace":"acme","scope":"C#01JDZZZZZZZZZZZZZZZZZZZZZZ","task":"01JDYYYYYYYYYYYYYYYYYYYYYY"}`
	if body != want {
		t.Errorf("body\n got %s\nwant %s", body, want)
	}
	got, err := sqsqueue.Decode(body)
	if err != nil || got != ref {
		t.Errorf("Decode = %v, %v", got, err)
	}
}

func TestDecodeRefusesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	good, _ := sqsqueue.Encode(ref)
	cases := map[string]string{
		"empty":              "",
		"cut":                `{"task":`,
		"no object":          `"x"`,
		"unknown schema":     strings.Replace(good, `"schema":1`, `"schema":2`, 1),
		"schema beyond 2^53": strings.Replace(good, `"schema":1`, `"schema":9007199254740993`, 1),
		"fraction":           strings.Replace(good, `"schema":1`, `"schema":1.5`, 1),
		"unknown member":     strings.Replace(good, `{`, `{"version":3,`, 1),
		"member twice":       strings.Replace(good, `{`, `{"schema":1,`, 1),
		"missing task":       `{"schema":1,"workspace":"acme","scope":"C#01JDZZZZZZZZZZZZZZZZZZZZZZ"}`,
		"foreign id shape":   strings.Replace(good, "01JDY", "01jdy", 1),
		"separator in name":  strings.Replace(good, "acme", "ac#me", 1),
		"bad utf-8":          strings.Replace(good, "acme", "ac\xffme", 1),
		"lone surrogate":     strings.Replace(good, "acme", `\ud800`, 1),
		"trailing data":      good + "{}",
		"too large":          good + strings.Repeat(" ", 4096),
	}
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sqsqueue.Decode(body)
			if _, ok := errors.AsType[*sqsqueue.MessageError](err); !ok {
				t.Errorf("Decode(%q) error = %v, want *MessageError", body, err)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	good, _ := sqsqueue.Encode(ref)
	f.Add(good)
	f.Add(`{"task":`)
	f.Fuzz(func(t *testing.T, body string) {
		got, err := sqsqueue.Decode(body)
		if err != nil {
			return
		}
		again, err := sqsqueue.Encode(got)
		if err != nil {
			t.Fatalf("Encode(%v): %v", got, err)
		}
		if back, err := sqsqueue.Decode(again); err != nil || back != got {
			t.Errorf("round trip of %v gave %v, %v", got, back, err)
		}
	})
}

func TestSecondsRoundsUpWithinBounds(t *testing.T) {
	t.Parallel()
	cases := []struct {
		in   time.Duration
		want int32
	}{{-time.Second, 0}, {0, 0}, {time.Millisecond, 1}, {time.Second, 1}, {32*time.Second + 1, 33}, {54524 * time.Second, 900}}
	for _, c := range cases {
		if got := sqsqueue.Seconds(c.in); got != c.want {
			t.Errorf("Seconds(%s) = %d, want %d", c.in, got, c.want)
		}
	}
}
