package prices_test

import (
	"math"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/prices"
)

func TestParse(t *testing.T) {
	t.Parallel()
	table, err := prices.Parse(`{"gpt":{"input_per_million":2500000,"output_per_million":10000000},"*":{"input_per_million":0,"output_per_million":1}}`)
	if err != nil {
		t.Fatal(err)
	}
	if p, found := table.Of("gpt"); !found || p != (prices.Price{InputPerMillion: 2_500_000, OutputPerMillion: 10_000_000}) {
		t.Errorf("%+v, %t", p, found)
	}
	if p, found := table.Of("another"); !found || p.OutputPerMillion != 1 {
		t.Errorf("%+v, %t", p, found)
	}
	if none, err := prices.Parse(""); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	for _, text := range []string{
		"{", "[]", `{"m":{}}`, `{"m":{"input_per_million":1}}`, `{"":{"input_per_million":1,"output_per_million":1}}`,
		`{"m":{"input_per_million":-1,"output_per_million":1}}`, `{"m":{"input_per_million":1.5,"output_per_million":1}}`,
		`{"m":{"input_per_million":1,"output_per_million":1,"x":1}}`, `{"m":{"input_per_million":1,"output_per_million":9000000000000000}}`,
		`{"m":{"input_per_million":1,"output_per_million":1},"m":{"input_per_million":2,"output_per_million":1}}`,
	} {
		if table, err := prices.Parse(text); err == nil {
			t.Errorf("%s: read as %v", text, table)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	p := prices.Price{InputPerMillion: 2_500_000, OutputPerMillion: 10_000_000}
	for _, c := range []struct{ in, out, want int64 }{
		{0, 0, 0},
		{1, 0, 3},
		{2, 0, 5},
		{0, 1, 10},
		{1_000_000, 1_000_000, 12_500_000},
		{-5, -5, 0},
		{math.MaxInt64, 0, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		if got := p.Cost(c.in, c.out); got != c.want {
			t.Errorf("%d in, %d out cost %d, want %d", c.in, c.out, got, c.want)
		}
	}
}

// A price is never below zero, and more tokens never cost less.
func FuzzCost(f *testing.F) {
	f.Add(`{"m":{"input_per_million":3,"output_per_million":15}}`, int64(10), int64(7))
	f.Add(`{"*":{"input_per_million":1000000000000,"output_per_million":1}}`, int64(math.MaxInt64), int64(1))
	f.Fuzz(func(t *testing.T, text string, in, out int64) {
		table, err := prices.Parse(text)
		if err != nil {
			if !strings.Contains(err.Error(), "read prices") {
				t.Errorf("error %v", err)
			}
			return
		}
		p, _ := table.Of("m")
		cost := p.Cost(in, out)
		if cost < 0 || (in < math.MaxInt64 && p.Cost(in+1, out) < cost) {
			t.Errorf("%+v: %d in, %d out cost %d", p, in, out, cost)
		}
	})
}
