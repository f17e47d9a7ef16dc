package tracing_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/worktask"
)

// vault is a keeper of secrets.
type vault struct {
	text  string
	err   error
	reads int
}

func (v *vault) read(context.Context, string) (string, error) {
	v.reads++
	return v.text, v.err
}

// guarded is a collector that wants the key.
type guarded struct {
	*httptest.Server
	key               atomic.Value
	accepted, refused atomic.Int64
}

func newGuarded(t *testing.T, key string) *guarded {
	t.Helper()
	g := &guarded{}
	g.key.Store(key)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Api-Key") != g.key.Load() || r.Header.Get("X-Team") != "ours" {
			g.refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		g.accepted.Add(1)
	}))
	t.Cleanup(g.Close)
	return g
}

// publish makes a span and hands it over.
func publish(t *testing.T, traces *tracing.Tracer) {
	t.Helper()
	ref := worktask.Ref{Workspace: "acme", Scope: "C#x", ID: "01JDT000000000000000000000"}
	if err := traces.Queue(&queue{}).Publish(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	traces.Flush(t.Context())
}

// The secret is read when the function starts, goes before the environment, and
// is read again when the collector refuses what it says.
func TestHeadersOfASecret(t *testing.T) {
	t.Parallel()
	keys, c := &vault{text: "api-key=first"}, newGuarded(t, "first")
	now, out := time.Unix(1_700_000_000, 0), &lines{}
	clock := func() time.Time { return now }
	traces := tracing.New(tracing.Options{
		Config: tracing.Config{
			Exporter: tracing.ToOTLP, Endpoint: c.URL, Timeout: tracing.MaxTimeout, Ratio: 1, HeadersSecret: "keys",
			Headers: map[string]string{"api-key": "of the environment", "x-team": "ours"},
		},
		Secrets: keys.read, Log: out.logger(clock), Now: clock,
	})
	if keys.reads != 1 {
		t.Errorf("%d readings at the start", keys.reads)
	}
	publish(t, traces)
	publish(t, traces)
	if c.accepted.Load() != 2 || keys.reads != 1 {
		t.Errorf("%d accepted after %d readings", c.accepted.Load(), keys.reads)
	}
	c.key.Store("second")
	keys.text = "api-key=second"
	publish(t, traces) // refused: the key is forgotten
	now = now.Add(time.Minute)
	publish(t, traces)
	if c.refused.Load() != 1 || c.accepted.Load() != 3 || keys.reads != 2 {
		t.Errorf("after the change %d refused, %d accepted, %d readings", c.refused.Load(), c.accepted.Load(), keys.reads)
	}
	if strings.Contains(out.String(), "first") || strings.Contains(out.String(), "second") {
		t.Errorf("a key is in the log:\n%s", out)
	}
}

// A secret that cannot be read, or is none, keeps no function from working.
func TestSecretsThatAreNoHeaders(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]*vault{
		"cannot be read": {err: errors.New("no permission")}, "is empty": {}, "is a bare key": {text: "KEY-MARKER"}, "is half a list": {text: "a=1,KEY-MARKER"},
	} {
		c, out := newGuarded(t, "first"), &lines{}
		clock := func() time.Time { return time.Unix(1_700_000_000, 0) }
		traces := tracing.New(tracing.Options{
			Config:  tracing.Config{Exporter: tracing.ToOTLP, Endpoint: c.URL, Timeout: tracing.MaxTimeout, Ratio: 1, HeadersSecret: "keys"},
			Secrets: keys.read, Log: out.logger(clock), Now: clock,
		})
		publish(t, traces)
		if c.accepted.Load()+c.refused.Load() != 0 {
			t.Errorf("%s: spans were sent without the headers", name)
		}
		if !strings.Contains(out.String(), "collector not prepared") || !strings.Contains(out.String(), "spans not exported") || strings.Contains(out.String(), "MARKER") {
			t.Errorf("%s: logged\n%s", name, out)
		}
	}
}
