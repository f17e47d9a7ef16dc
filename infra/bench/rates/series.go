package rates

import (
	"slices"
	"time"
)

// series collects pairs of times, in blocks.
type series struct {
	took, bare           []time.Duration // all
	blockTook, blockBare []time.Duration // of the present block
	ratios               []float64       // of the blocks
}

// measure times both sides once, in the order asked for.
func (s *series) measure(useCaseFirst bool, useCase, bare func() error) error {
	sides := []struct {
		run   func() error
		times *[]time.Duration
	}{{useCase, &s.blockTook}, {bare, &s.blockBare}}
	if !useCaseFirst {
		slices.Reverse(sides)
	}
	for _, side := range sides {
		begun := time.Now()
		err := side.run()
		*side.times = append(*side.times, time.Since(begun))
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *series) endBlock() {
	s.ratios = append(s.ratios, float64(median(s.blockTook))/float64(median(s.blockBare)))
	s.took, s.bare = append(s.took, s.blockTook...), append(s.bare, s.blockBare...)
	s.blockTook, s.blockBare = nil, nil
}

func (s *series) ratio(useCase string, requests int) Ratio {
	took, bare := median(s.took), median(s.bare)
	return Ratio{
		UseCase: useCase, Requests: requests, Took: took, Bare: bare, Ratio: float64(took) / float64(bare),
		Lowest: slices.Min(s.ratios), Highest: slices.Max(s.ratios), Rounds: len(s.took),
	}
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
