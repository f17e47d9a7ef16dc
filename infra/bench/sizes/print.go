package sizes

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Print writes sizes and starts as tables.
func Print(w io.Writer, zips []Zip, starts []Start) error {
	fmt.Fprintf(w, "Deployment packages, arm64, stripped\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "program\tzip MB\tat most MB\tunzipped MB\t\n")
	for _, z := range zips {
		fmt.Fprintf(table, "%s\t%.2f\t%.1f\t%.2f\t\n", z.Program, float64(z.Zipped)/1e6, float64(Limit(z.Program))/1e6, float64(z.Unzipped)/1e6)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print sizes: %w", err)
	}
	fmt.Fprintf(w, "\nStart under the runtime interface emulator, built for this machine (medians)\n\n")
	fmt.Fprintf(table, "program\tinit\tfirst answer\truns\t\n")
	for _, s := range starts {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t\n", s.Program, s.Init.Round(100*time.Microsecond), s.Answer.Round(100*time.Microsecond), s.Runs)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print starts: %w", err)
	}
	return nil
}
