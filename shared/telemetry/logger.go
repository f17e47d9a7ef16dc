package telemetry

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Options are the fixed parts of a function's telemetry.
type Options struct {
	Function  string     // name of the function, on every line
	Version   string     // version of the build, on every line
	Level     slog.Level // lowest level that is written
	Namespace string     // of the metrics; default DefaultNamespace
	// Now is the clock of log lines and metrics. It is required.
	Now func() time.Time
}

// New returns a logger and an emitter of metrics that share w, usually
// standard output. Lines never interleave, and one line is one Write. Log
// lines pass the guard described at [Private].
func New(w io.Writer, o Options) (*slog.Logger, *Emitter) {
	shared := &lineWriter{w: w}
	handler := slog.NewJSONHandler(shared, &slog.HandlerOptions{Level: o.Level, ReplaceAttr: guard})
	logger := slog.New(clockHandler{handler, o.Now}).With(KeyFunction, o.Function, KeyVersion, o.Version)
	if o.Namespace == "" {
		o.Namespace = DefaultNamespace
	}
	return logger, &Emitter{w: shared, options: o, log: logger}
}

// lineWriter lets the logger and the emitter share a writer.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(line) //nolint:wrapcheck // the logger's own writer
}

// clockHandler stamps records by the injected clock.
type clockHandler struct {
	slog.Handler
	now func() time.Time
}

func (h clockHandler) Handle(ctx context.Context, record slog.Record) error {
	record.Time = h.now().UTC()
	return h.Handler.Handle(ctx, record) //nolint:wrapcheck // a decorator adds nothing to the error
}

func (h clockHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return clockHandler{h.Handler.WithAttrs(attrs), h.now}
}

func (h clockHandler) WithGroup(name string) slog.Handler {
	return clockHandler{h.Handler.WithGroup(name), h.now}
}
