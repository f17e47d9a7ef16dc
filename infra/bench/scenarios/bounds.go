package scenarios

import (
	"fmt"
	"slices"
)

// noQuery are the steps that address every item by its key.
var noQuery = []string{stepSubmit, "claim", "claim_lookup", "begin", "renew", "complete"}

// Broken lists the bounds that the results exceed, in words.
func Broken(results []Result) []string {
	var broken []string
	for _, r := range results {
		broken = append(broken, r.broken()...)
	}
	return broken
}

func (r Result) broken() []string {
	var broken []string
	report := func(format string, args ...any) {
		broken = append(broken, fmt.Sprintf("%s: ", r.Name)+fmt.Sprintf(format, args...))
	}
	if n := r.Other.Write + r.Prompt.Write; n > r.maxWrite {
		report("%d write units, at most %d are allowed", n, r.maxWrite)
	}
	for _, q := range r.Requests {
		switch {
		case q.Operation == "Scan":
			report("%s scans the table", q.Step)
		case q.Operation == "Query" && slices.Contains(noQuery, q.Step):
			report("%s makes a query", q.Step)
		}
	}
	if reads := r.submitReads(); r.Name == all[0].name && reads > maxSubmitReads {
		report("submit reads %d items strongly consistently, at most %d are allowed", reads, maxSubmitReads)
	}
	return broken
}

// submitReads is how many items submit reads strongly consistently.
func (r Result) submitReads() int {
	n := 0
	for _, q := range r.Requests {
		if q.Step == stepSubmit && q.Consistent {
			n += len(q.Entries)
		}
	}
	return n
}
