package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/infra/bench/units"
)

// Result is what one scenario cost.
type Result struct {
	Name     string          `json:"name"`
	About    string          `json:"about"`
	Requests []units.Request `json:"requests"`
	// Prompt is the part that reads what the prompt is made of, Other all else.
	Prompt units.Totals `json:"prompt"`
	Other  units.Totals `json:"other"`
	// PricePerMillion is in US dollars for a million of them, the prompt included.
	PricePerMillion float64 `json:"price_per_million_usd"`
	ProviderCalls   int64   `json:"provider_calls"`
	maxWrite        int
}

// Run plays every scenario against an endpoint that is an emulator: nothing is
// cleaned up. prefix begins the names of the tables and queues that it makes,
// one for each scenario.
func Run(ctx context.Context, cfg aws.Config, prefix string) ([]Result, error) {
	results := make([]Result, 0, len(all))
	for _, s := range all {
		r, err := s.run(ctx, cfg, prefix+"-"+strings.NewReplacer(" ", "-", ",", "").Replace(s.name))
		if err != nil {
			return nil, fmt.Errorf("scenario %q: %w", s.name, err)
		}
		results = append(results, r)
	}
	return results, nil
}

func (s scenario) run(ctx context.Context, cfg aws.Config, table string) (Result, error) {
	w, err := newWorld(ctx, cfg, table, s.policy)
	if err != nil {
		return Result{}, err
	}
	if err := s.play(ctx, w); err != nil {
		return Result{}, err
	}
	t, err := w.stored(ctx)
	if err != nil {
		return Result{}, err
	}
	if t.Status != s.status || w.provider.calls.Load() != s.calls {
		return Result{}, fmt.Errorf("the task is %s after %d calls of the provider, want %s after %d",
			t.Status, w.provider.calls.Load(), s.status, s.calls)
	}
	prompt := func(r units.Request) bool { return r.Step == stepPrompt }
	r := Result{
		Name: s.name, About: s.about, Requests: w.counted, ProviderCalls: w.calls, maxWrite: s.maxWrite,
		PricePerMillion: units.Sum(w.counted).PerMillion(),
		Prompt:          units.Sum(filter(w.counted, prompt)),
		Other:           units.Sum(slices.DeleteFunc(slices.Clone(w.counted), prompt)),
	}
	return r, nil
}

func filter(requests []units.Request, keep func(units.Request) bool) []units.Request {
	var kept []units.Request
	for _, r := range requests {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}
