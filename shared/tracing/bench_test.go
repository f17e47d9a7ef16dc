package tracing_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/worktask"
)

// nowhere is a queue that takes no time.
type nowhere struct{}

func (nowhere) Publish(context.Context, worktask.Ref) error { return nil }

// BenchmarkSpan is what one span costs by where it goes. A reply has eight.
func BenchmarkSpan(b *testing.B) {
	sink := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(sink.Close)
	log, _ := telemetry.New(io.Discard, telemetry.Options{Function: "bench", Now: time.Now})
	ref := worktask.Ref{Workspace: "acme", Scope: "C#01JDC000000000000000000000", ID: "01JDT000000000000000000000"}
	for _, config := range []tracing.Config{
		{Exporter: tracing.ToNobody},
		{Exporter: tracing.ToLog, Ratio: 0},
		{Exporter: tracing.ToLog, Ratio: 1},
		{Exporter: tracing.ToOTLP, Endpoint: sink.URL, Timeout: time.Second, Ratio: 1},
	} {
		name := string(config.Exporter)
		if config.Exporter == tracing.ToLog && config.Ratio == 0 {
			name = "not_sampled"
		}
		b.Run(name, func(b *testing.B) {
			traces := tracing.New(tracing.Options{Function: "bench", Config: config, Log: log, Now: time.Now})
			queue := traces.Queue(nowhere{})
			for i := 0; b.Loop(); i++ {
				if err := queue.Publish(b.Context(), ref); err != nil {
					b.Fatal(err)
				}
				if i%8 == 7 {
					traces.Flush(b.Context())
				}
			}
		})
	}
}
