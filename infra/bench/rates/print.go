package rates

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// PrintRatios writes the comparison as a table.
func PrintRatios(w io.Writer, ratios []Ratio) error {
	fmt.Fprintf(w, "Time of use cases beside the bare SDK requests that they contain, on one endpoint, alternating (aim: at most %g times)\n\n", Aim)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "use case\trequests\tmedian\tbare median\tratio\tblocks from\tto\trounds\t\n")
	for _, r := range ratios {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%.2f\t%.2f\t%.2f\t%d\t\n", r.UseCase, r.Requests,
			r.Took.Round(time.Microsecond), r.Bare.Round(time.Microsecond), r.Ratio, r.Lowest, r.Highest, r.Rounds)
	}
	return flush(table)
}

// PrintDrains writes the drain rates as a table.
func PrintDrains(w io.Writer, drains []Drain) error {
	fmt.Fprintf(w, "Drain of %d queued tasks on the one-machine stack with a provider that answers at once\n", Tasks)
	fmt.Fprintf(w, "Bare: the same DynamoDB requests alone, as many at a time, on the same table. The emulator walks the whole table\n"+
		"for a query, and a prompt needs one; that bounds both. Writes: small conditional updates, the emulator's own ceiling.\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "workers\ttook\ttasks/s\tbare tasks/s\tbare writes/s\t\n")
	for _, d := range drains {
		fmt.Fprintf(table, "%d\t%.1f s\t%.0f\t%.0f\t%.0f\t\n", d.Workers, d.Took.Seconds(), d.PerSecond, d.Bare, d.Writes)
	}
	return flush(table)
}

func flush(table *tabwriter.Writer) error {
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print rates: %w", err)
	}
	return nil
}
