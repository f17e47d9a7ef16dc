package probe

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Print writes a report for people.
func Print(w io.Writer, r Report) error {
	fmt.Fprintf(w, "%s, %s: one request twice, with the same key in %s\n\n", r.Provider, r.Endpoint, headerKey)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tstatus\tanswer's id\trequest's id\ttext\ttokens in, out\theaders\toutcome")
	for i, e := range r.Sent {
		fmt.Fprintf(table, "%d.\t%d\t%s\t%s\t%s\t%d, %d\t%s\t%s\n", i+1, e.Status, orNone(e.ID), orNone(e.RequestID), e.text(),
			e.InputTokens, e.OutputTokens, orNone(strings.Join(e.Headers, "; ")), e.outcome())
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print probe: %w", err)
	}
	documented := "no key is documented, so nothing may rest on this"
	if r.Documented {
		documented = "a key is documented"
	}
	if _, err := fmt.Fprintf(w, "\n%s (%s)\n", r.Verdict(), documented); err != nil {
		return fmt.Errorf("print probe: %w", err)
	}
	return nil
}

// text names a text by the beginning of its hash.
func (e Exchange) text() string {
	if e.TextSHA256 == "" {
		return orNone("")
	}
	return fmt.Sprintf("%d bytes, %s…", e.TextBytes, e.TextSHA256[:8])
}

func (e Exchange) outcome() string {
	if e.Outcome == "" {
		return "answered"
	}
	return e.Outcome
}

func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
