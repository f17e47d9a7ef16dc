package timeline_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/infra/demo/timeline"
)

// output is a writer that may be read while it is written.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestEventsArePrintedInOrderOfTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &output{}
		story := timeline.New(out, time.Now)
		story.Section("1 one")
		begun := time.Now()
		story.Add(begun.Add(30*time.Millisecond), "worker-1", "second")
		story.Add(begun.Add(10*time.Millisecond), "browser", "first")
		time.Sleep(100 * time.Millisecond)
		if strings.Contains(out.String(), "first") {
			t.Errorf("printed before it could have settled:\n%s", out)
		}
		time.Sleep(time.Second)
		want := "\n── 1 one\n    0.01 s  browser       first\n    0.03 s  worker-1      second\n"
		if out.String() != want {
			t.Errorf("got\n%q, want\n%q", out, want)
		}
		story.Close()
	})
}

func TestASectionEndsWithAllItsEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &output{}
		story := timeline.New(out, time.Now)
		story.Section("1 one")
		story.Add(time.Now(), "you", "something")
		time.Sleep(time.Millisecond)
		story.Section("2 two")
		story.Add(time.Now().Add(-time.Hour), "api-1", "from before the section")
		story.Print("end\n")
		story.Close()
		want := "\n── 1 one\n    0.00 s  you           something\n\n── 2 two\n    0.00 s  api-1         from before the section\nend\n"
		if out.String() != want {
			t.Errorf("got\n%q, want\n%q", out, want)
		}
	})
}
