package llmprovider_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

func TestStatusError(t *testing.T) {
	t.Parallel()
	type want struct {
		kind   llmprovider.Kind
		reason string
	}
	refused := want{llmprovider.Permanent, llmprovider.ReasonProviderRefused}
	misconfigured := want{llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured}
	rejected := want{kind: llmprovider.Rejected}
	ambiguous := want{kind: llmprovider.Ambiguous}
	tests := map[int]want{
		204: ambiguous, 206: ambiguous,
		301: misconfigured, 307: misconfigured, 308: misconfigured,
		400: refused, 422: refused, 451: refused,
		401: misconfigured, 403: misconfigured, 404: misconfigured, 405: misconfigured, 407: misconfigured,
		402: {llmprovider.Permanent, llmprovider.ReasonProviderQuota},
		413: {llmprovider.Permanent, llmprovider.ReasonInputTooLarge},
		408: ambiguous, 409: ambiguous, 418: ambiguous, 499: ambiguous,
		425: rejected, 429: rejected, 529: rejected,
		500: ambiguous, 502: ambiguous, 503: ambiguous, 504: ambiguous, 520: ambiguous, 599: ambiguous,
	}
	for status, expected := range tests {
		response := llmprovider.Response{Status: status, Header: http.Header{"Retry-After": {"7"}}}
		got := llmprovider.StatusError(response, noon)
		if got.Kind != expected.kind || got.Reason != expected.reason {
			t.Errorf("status %d: %s (%s), want %s (%s)", status, got.Kind, got.Reason, expected.kind, expected.reason)
		}
		if got.RetryAfter != 7*time.Second {
			t.Errorf("status %d: retry after %s", status, got.RetryAfter)
		}
	}
}
