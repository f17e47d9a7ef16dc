package documents

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Print writes the report.
func Print(w io.Writer, r Report) error {
	fmt.Fprintf(w, "Indexing real documents (aim: 5 s each, warm; start of the PDF engine, for the first PDF file only: %s)\n\n", r.ColdStart.Round(10*time.Millisecond))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "document\tfile kB\ttext kB\textract\tsplit and build\tpassages\tparts\tkB in parts\twrite units\tfor 100 kB\t\n")
	for _, x := range r.Indexed {
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%d\t%d\t%d\t%d\t%.0f\t\n", x.Name, x.FileBytes/1000, x.TextBytes/1000, x.Extract.Round(time.Millisecond),
			x.Index.Round(time.Millisecond), x.Passages, x.Parts, x.PartBytes/1000, x.WriteUnits, float64(x.WriteUnits)/float64(x.TextBytes)*100_000)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print documents: %w", err)
	}
	for _, s := range r.Sets {
		fmt.Fprintf(w, "\n%s Finding passages, %s (%s)\n", mark(s.Reached()), s.Name, s.bound())
		s.Result.Print(w)
	}
	return nil
}

func mark(reached bool) string {
	if reached {
		return "✓"
	}
	return "✗"
}

func (s Set) bound() string {
	if s.Aim {
		return fmt.Sprintf("aim: %.1f", s.Least)
	}
	return fmt.Sprintf("at least %.1f", s.Least)
}
