package llmprovider_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

func TestErrorDescribesTheOutcome(t *testing.T) {
	t.Parallel()
	err := &llmprovider.Error{
		Kind:              llmprovider.Permanent,
		Reason:            llmprovider.ReasonProviderQuota,
		RetryAfter:        7 * time.Second,
		ProviderRequestID: "req_1",
		Err:               errors.New("status 429"),
	}
	const want = "provider call permanent (provider_quota), retry after 7s, provider request req_1: status 429"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestAsErrorFindsTheOutcomeAndIsCarefulWithoutOne(t *testing.T) {
	t.Parallel()
	if llmprovider.AsError(nil) != nil {
		t.Error("nil is no outcome")
	}
	rejected := &llmprovider.Error{Kind: llmprovider.Rejected, Err: context.Canceled}
	wrapped := fmt.Errorf("call provider for task t: %w", rejected)
	if llmprovider.AsError(wrapped) != rejected {
		t.Error("the wrapped outcome was not found")
	}
	if !errors.Is(wrapped, context.Canceled) {
		t.Error("the cause was not found")
	}
	if got := llmprovider.AsError(errors.New("panic in adapter")); got.Kind != llmprovider.Ambiguous {
		t.Errorf("an unknown error is %s, want ambiguous", got.Kind)
	}
}

func TestKindString(t *testing.T) {
	t.Parallel()
	for kind := llmprovider.Rejected; kind <= llmprovider.NotFound; kind++ {
		if name := kind.String(); name == "" || name[0] < 'a' || name[0] > 'z' || name[:4] == "kind" {
			t.Errorf("kind %d has the name %q", int(kind), name)
		}
	}
	if got := llmprovider.Kind(0).String(); got != "kind(0)" {
		t.Errorf("the zero value is %q", got)
	}
}
