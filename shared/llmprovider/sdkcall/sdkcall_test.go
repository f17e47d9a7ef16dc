package sdkcall_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
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
		oddities.Unknown(t.Context(), "stop_reason", "new", "r-1")
		oddities.Refused(t.Context(), &llmprovider.Error{
			Kind: llmprovider.Permanent, Reason: llmprovider.ReasonProviderQuota, Err: errors.New("billing"), ProviderRequestID: "r-2",
		})
		oddities.Refused(t.Context(), &llmprovider.Error{Kind: llmprovider.Permanent, Reason: llmprovider.ReasonInputTooLarge})
		oddities.Refused(t.Context(), &llmprovider.Error{Kind: llmprovider.Ambiguous})
	}
	oddities.Unknown(t.Context(), "error_type", "new", "r-3")
	oddities.Unknown(t.Context(), "error_type", "sk-ant-123 said the user", "r-4")
	lines := strings.Split(strings.TrimSpace(written.String()), "\n")
	want := []string{
		`"provider":"p","field":"stop_reason","value":"new","provider_request_id":"r-1"`,
		`"level":"ERROR","msg":"provider refuses calls until an operator acts","provider":"p","reason":"provider_quota","error":"billing","provider_request_id":"r-2"`,
		`"field":"error_type","value":"new"`,
		`"field":"error_type","value":"(not a plain word)"`,
	}
	if len(lines) != len(want) {
		t.Fatalf("logged %q", lines)
	}
	for i, line := range lines {
		if !strings.Contains(line, want[i]) {
			t.Errorf("logged %s, want %s", line, want[i])
		}
	}
}

func TestOdditiesDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	oddities := sdkcall.NewOddities(slog.New(slog.NewJSONHandler(&written, nil)), "p")
	for i := range 1000 {
		oddities.Unknown(t.Context(), "stop_reason", fmt.Sprint(i), "")
	}
	if lines := strings.Count(written.String(), "\n"); lines != 100 {
		t.Errorf("%d lines", lines)
	}
	sdkcall.NewOddities(nil, "p").Unknown(t.Context(), "stop_reason", "no log", "")
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"https://api.example.com", "http://127.0.0.1:8080/prefix"} {
		if err := sdkcall.CheckAddress(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "127.0.0.1:8080", "file:///etc/passwd", "https://", "https://a b", "https://h/%zz",
		"https://user:hunter2@host", "https://user:hunter2@ho st", "https://host?a=b", "https://host#a",
	} {
		if err := sdkcall.CheckAddress(bad); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for count, want := range map[int64]int{0: 0, 7: 7, -1: 0, math.MinInt64: 0, math.MaxInt64: 1 << 40} {
		if got := sdkcall.Tokens(count); got != want {
			t.Errorf("%d: %d", count, got)
		}
	}
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
