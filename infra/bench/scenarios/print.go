package scenarios

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/replyonce/replyonce/infra/bench/units"
)

// Print writes the requests of every scenario, and then a table of all.
func Print(w io.Writer, results []Result) error {
	fmt.Fprintf(w, "Units and requests by AWS's size rules (ids of %d characters, caller and key of %d, a question of %d bytes, a reply of %d, a document of %d KiB)\n",
		len(workspace), len(callerID), questionBytes, replyBytes, documentBytes>>10)
	for _, r := range results {
		if err := r.print(w); err != nil {
			return err
		}
	}
	return printSummary(w, results)
}

func (r Result) print(w io.Writer) error {
	fmt.Fprintf(w, "\n%s: %s\n", r.Name, r.About)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  step\trequest\titem\teffect\t%6s\t%6s\t%6s\n", "bytes", "write", "read")
	for _, q := range r.Requests {
		step, operation := q.Step, q.Operation
		if len(q.Entries) == 0 {
			fmt.Fprintf(table, "  %s\t%s\t\t\t%6s\t%6s\t%6s\n", step, q.Service+" "+operation, "", "", "")
		}
		for _, e := range q.Entries {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%6d\t%6s\t%6s\n", step, operation, e.Item, effectOf(q, e), e.Bytes, count(float64(e.Write)), count(e.Read))
			step, operation = "", ""
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print scenario %s: %w", r.Name, err)
	}
	fmt.Fprintf(w, "  besides the prompt: %s\n", describe(r.Other))
	if r.Prompt.DynamoDB > 0 {
		fmt.Fprintf(w, "  reading the prompt: %s\n", describe(r.Prompt))
	}
	return nil
}

func effectOf(q units.Request, e units.Entry) string {
	if q.Consistent {
		return e.Effect + " strong"
	}
	return e.Effect
}

func count(n float64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%g", n)
}

func describe(t units.Totals) string {
	return fmt.Sprintf("%d write units, %g read units, %d DynamoDB requests, %d SQS requests", t.Write, t.Read, t.DynamoDB, t.SQS)
}

func printSummary(w io.Writer, results []Result) error {
	fmt.Fprintf(w, "\nPrice in US dollars for a million of each, at list prices of us-east-1 in %s (write unit %g, read unit %g, SQS request %g per million).\n"+
		"One message makes its own poll here; batches share one, and idle polls come on top.\n\n",
		units.PriceDate, units.WritePrice, units.ReadPrice, units.RequestPrice)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "scenario\twrite units\tread units\tprompt read units\tDynamoDB requests\tSQS requests\tprovider calls\tUSD per million\t\n")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%d\t%g\t%g\t%d\t%d\t%d\t%.2f\t\n", r.Name, r.Other.Write, r.Other.Read, r.Prompt.Read,
			r.Other.DynamoDB+r.Prompt.DynamoDB, r.Other.SQS, r.ProviderCalls, r.PricePerMillion)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print summary: %w", err)
	}
	return nil
}
