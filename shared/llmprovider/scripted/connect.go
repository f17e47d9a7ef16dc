package scripted

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

const maxCapabilityBytes = 16 << 10

// Connect returns a Provider for the server at options.BaseURL with the
// capability that the server states. A caller that knows the capability, or must
// not depend on the server being up, uses New.
func Connect(ctx context.Context, options Options) (*Provider, error) {
	if options.Client == nil {
		options.Client = llmprovider.NewClient()
	}
	capability, err := readCapability(ctx, options.Client, options.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read capability of scripted provider: %w", err)
	}
	options.Capability = capability
	return New(options)
}

func readCapability(ctx context.Context, client *http.Client, baseURL string) (llmprovider.Capability, error) {
	address := strings.TrimRight(baseURL, "/") + PathCapability
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return llmprovider.Capability{}, fmt.Errorf("prepare request: %w", err)
	}
	response, err := llmprovider.Send(client, request, maxCapabilityBytes)
	if err != nil {
		return llmprovider.Capability{}, err
	}
	if response.Status != http.StatusOK {
		return llmprovider.Capability{}, fmt.Errorf("%s answered with status %d", address, response.Status)
	}
	var document CapabilityDocument
	if err := json.Unmarshal(response.Body, &document); err != nil {
		return llmprovider.Capability{}, fmt.Errorf("decode capability: %w", err)
	}
	return document.capability(), nil
}

// capability states the documented facts. Nothing here is kept for a promised
// time: the server forgets everything when it stops.
func (d CapabilityDocument) capability() llmprovider.Capability {
	return llmprovider.Capability{
		Endpoint:           "POST " + PathAnswers,
		IdempotencyKey:     d.IdempotencyKey,
		KeyPayloadRule:     d.KeyPayloadRule,
		KeyConcurrencyRule: d.KeyConcurrencyRule,
		Lookup:             d.Lookup,
		RetryRule:          "overloaded and rate_limited are refused, again after Retry-After; internal, timeout, unavailable and lost connections leave it open",
		Source:             "GET " + PathCapability + " of the scripted provider",
		CheckedOn:          "2026-11-29",
	}
}
