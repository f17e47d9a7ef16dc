package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
)

type status string

type task struct{ Question string }

func TestLogGolden(t *testing.T) {
	t.Parallel()
	log, _, out := newTelemetry(t)
	work := log.With(
		telemetry.KeyWorkspace, "acme",
		telemetry.KeyTaskID, "01KB7Q0000000000000000000T",
		telemetry.KeyAttempt, 2,
		telemetry.KeyAssignmentVersion, int64(2),
	)
	work.Info("claimed", telemetry.KeyTaskStatus, status("running"), telemetry.KeyDuration, 1500*time.Microsecond)
	work.Warn("completion refused",
		telemetry.KeyReason, "taken_over",
		telemetry.KeyIdempotencyKey, "r-1",
		telemetry.KeyGatewayRequestID, "g-1",
		telemetry.KeyProviderRequestID, "p-1",
		telemetry.KeyError, fmt.Errorf("complete task: %w", errors.New("stale assignment")),
	)
	work.Debug("not written at this level")
	work.WithGroup("call").Error("call failed", slog.Group("limits", "left", 3), "at", time.Date(2026, 11, 29, 14, 0, 1, 0, time.UTC))
	golden(t, "log.golden", out.Bytes())
}

const token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl"

// Nothing of what people wrote, and no token, gets past the logger.
func TestGuardKeepsPrivateValuesOut(t *testing.T) {
	t.Parallel()
	const private = "who-earns-what"
	tests := []struct {
		name string
		log  func(log *slog.Logger)
	}{
		{"telling name", func(log *slog.Logger) { log.Info("x", "text", private, "Body", private, "TITLE", private) }}, //nolint:sloglint // other spellings of the names
		{"telling name in With", func(log *slog.Logger) { log.With("prompt", private).Info("x") }},
		{"telling name in a group", func(log *slog.Logger) { log.Info("x", slog.Group("request", "question", private)) }},
		{"telling name, other type", func(log *slog.Logger) { log.Info("x", "body", []byte(private), "answer", errors.New(private)) }},
		{"structure", func(log *slog.Logger) { log.Info("x", "task", task{private}, "pointer", &task{private}) }},
		{"map", func(log *slog.Logger) { log.Info("x", "request", map[string]string{"q": private}) }},
		{"bytes", func(log *slog.Logger) { log.Info("x", "payload", []byte(private)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			log, _, out := newTelemetry(t)
			tt.log(log)
			if out.Len() == 0 || strings.Contains(out.String(), private) {
				t.Errorf("logged %s", out)
			}
		})
	}
}

func TestGuardCutsTokensOutOfTexts(t *testing.T) {
	t.Parallel()
	log, _, out := newTelemetry(t)
	log.Info("got Bearer "+token, "header", "bearer abc.def", "value", "see "+token+" there",
		"values", []string{token}, "named", status(token), telemetry.KeyError, fmt.Errorf("parse %q", token))
	if strings.Contains(out.String(), "eyJ") || strings.Contains(out.String(), "abc.def") {
		t.Errorf("logged %s", out)
	}
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line["value"] != "see [redacted] there" {
		t.Errorf("value = %v", line["value"])
	}
}

func TestGuardCutsLongTexts(t *testing.T) {
	t.Parallel()
	log, _, out := newTelemetry(t)
	log.Info("x", "value", strings.Repeat("é", telemetry.MaxValueBytes), "odd", "a"+strings.Repeat("é", telemetry.MaxValueBytes))
	if out.Len() > 2*telemetry.MaxValueBytes+500 {
		t.Errorf("line has %d bytes", out.Len())
	}
	if strings.Contains(out.String(), "\ufffd") {
		t.Error("a character was cut in two")
	}
	if !strings.Contains(out.String(), "(8192 bytes)") || !strings.Contains(out.String(), "(8193 bytes)") {
		t.Error("the length of the whole text is missing")
	}
}

func TestGuardLetsPlainValuesThrough(t *testing.T) {
	t.Parallel()
	type count int
	type size uint8
	type share float32
	type flag bool
	log, _, out := newTelemetry(t)
	log.Info("x", "a", count(1), "b", size(2), "c", share(0.5), "d", flag(true), "e", nil, "f", []string{"g"})
	const want = `"a":1,"b":2,"c":0.5,"d":true,"e":null,"f":["g"]`
	if !strings.Contains(out.String(), want) {
		t.Errorf("logged %s, want %s", out, want)
	}
}

func TestLoggerHonoursTheLevel(t *testing.T) {
	t.Parallel()
	log, _, _ := newTelemetry(t)
	if log.Enabled(context.Background(), slog.LevelDebug) || !log.Enabled(context.Background(), slog.LevelInfo) {
		t.Error("level is not info")
	}
}
