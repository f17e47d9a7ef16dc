package documents

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/retrieval"
	"github.com/replyonce/replyonce/shared/retrieval/check"
	"github.com/replyonce/replyonce/shared/textextract/pdfengine"
	"github.com/replyonce/replyonce/shared/textextract/realdocs"
)

func TestMain(m *testing.M) {
	pdfengine.RunIfAsked()
	os.Exit(m.Run())
}

func TestMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("the PDF engine is left out of short runs: compiling it takes seconds")
	}
	t.Parallel()
	realdocs.Read(t, "policy.pdf")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	data, err := realdocs.FindDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Measure(t.Context(), "../../..", data)
	if err != nil {
		t.Fatal(err)
	}
	if broken := r.Broken(); len(broken) > 0 {
		t.Errorf("broken: %q", broken)
	}
	for _, x := range r.Indexed {
		if x.TextBytes < 400_000 || x.Passages < 500 || x.WriteUnits < x.PartBytes/1024 || x.WriteUnits > x.PartBytes/1024+2*x.Parts {
			t.Errorf("indexed %+v", x)
		}
	}
}

func TestPrintedAndBroken(t *testing.T) {
	t.Parallel()
	r := Report{
		ColdStart: 2 * time.Second, Indexed: []Indexed{{Name: "a.pdf", TextBytes: 200_000, WriteUnits: 280}},
		Sets: []Set{{Name: "q", Least: 0.9, Result: check.Result{
			Questions: 4, Found: 3, MostRead: retrieval.MaxReadBytes + 1,
			Misses: []check.Question{{Document: "a", Question: "Why?"}},
		}}},
	}
	var b strings.Builder
	if err := Print(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"only: 2s", "140", "✗ Finding passages, q (at least 0.9)", "recall at 5: 0.750", "missed: a: Why?"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
	if broken := r.Broken(); len(broken) != 2 {
		t.Errorf("broken: %q", broken)
	}
}

func TestAnAimThatIsNotReachedIsShownAndBreaksNothing(t *testing.T) {
	t.Parallel()
	for found, want := range map[int]string{3: "✗ Finding passages, q (aim: 0.8)\nrecall at 5: 0.750", 4: "✓ Finding passages, q (aim: 0.8)\nrecall at 5: 1.000"} {
		r := Report{Sets: []Set{{Name: "q", Least: 0.8, Aim: true, Result: check.Result{Questions: 4, Found: found}}}}
		var b strings.Builder
		if err := Print(&b, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
		if broken := r.Broken(); len(broken) > 0 {
			t.Errorf("broken: %q", broken)
		}
	}
}
