package telemetry_test

import (
	"bytes"
	"flag"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// options are those of a worker whose clock stands still.
func options() telemetry.Options {
	now := time.Date(2026, 11, 29, 15, 0, 0, 123_456_789, time.FixedZone("elsewhere", 3600))
	return telemetry.Options{
		Function: "worker",
		Version:  "1.2.3",
		Level:    slog.LevelInfo,
		Now:      func() time.Time { return now },
	}
}

func newTelemetry(t *testing.T) (*slog.Logger, *telemetry.Emitter, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	log, metrics := telemetry.New(&out, options())
	return log, metrics, &out
}

// golden compares what was written with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update rewrites it)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// failingWriter refuses lines that are not log lines about a dropped metric.
type failingWriter struct {
	refuse func(line []byte) bool
	out    bytes.Buffer
}

func (f *failingWriter) Write(line []byte) (int, error) {
	if f.refuse(line) {
		return 0, io.ErrClosedPipe
	}
	return f.out.Write(line)
}
