package sdkcall_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

func TestOdditiesAreLoggedOnce(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	oddities := sdkcall.NewOddities(slog.New(slog.NewJSONHandler(&written, nil)), "p")
	for range 3 {
		oddities.Note(t.Context(), "stop_reason", "new", "r-1")
	}
	oddities.Note(t.Context(), "error_type", "new", "r-2")
	oddities.Note(t.Context(), "error_type", strings.Repeat("é", 1000), "r-3")
	lines := strings.Split(strings.TrimSpace(written.String()), "\n")
	if len(lines) != 3 || len(lines[2]) > 400 {
		t.Errorf("logged %q", lines)
	}
	if !strings.Contains(lines[0], `"provider":"p","field":"stop_reason","value":"new","provider_request_id":"r-1"`) {
		t.Errorf("logged %s", lines[0])
	}
}

func TestOdditiesDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	oddities := sdkcall.NewOddities(slog.New(slog.NewJSONHandler(&written, nil)), "p")
	for i := range 1000 {
		oddities.Note(t.Context(), "stop_reason", fmt.Sprint(i), "")
	}
	if lines := strings.Count(written.String(), "\n"); lines != 100 {
		t.Errorf("%d lines", lines)
	}
	sdkcall.NewOddities(nil, "p").Note(t.Context(), "stop_reason", "no log", "")
}

func TestKeySource(t *testing.T) {
	t.Parallel()
	source := func(key string, err error) sdkcall.KeySource {
		return func(context.Context) (string, error) { return key, err }
	}
	for given, want := range map[string]string{"sk-1": "sk-1", " sk-1\n": "sk-1"} {
		if got, err := source(given, nil).Read(t.Context()); err != nil || got != want {
			t.Errorf("%q: got %q, %v", given, got, err)
		}
	}
	for _, given := range []string{"", " \n", "sk\n1", "sk-é", "sk 1"} {
		_, err := source(given, nil).Read(t.Context())
		failure := llmprovider.AsError(err)
		if failure == nil || failure.Kind != llmprovider.Permanent || failure.Reason != llmprovider.ReasonProviderMisconfigured {
			t.Errorf("%q: got %v", given, err)
		} else if given != "" && strings.TrimSpace(given) != "" && strings.Contains(err.Error(), given) {
			t.Errorf("the error shows the key: %v", err)
		}
	}
	broken := errors.New("secret store is down")
	_, err := source("", broken).Read(t.Context())
	if llmprovider.AsError(err).Kind != llmprovider.Rejected || !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := source("", ctx.Err()).Read(ctx); !errors.Is(err, stopped) {
		t.Errorf("the cause is missing in %v", err)
	}
}
