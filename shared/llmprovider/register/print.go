package register

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
)

// notDocumented stands for a promise that nobody makes.
const notDocumented = "-"

// Print writes the entries as a table, and below it what does not fit into one.
func Print(w io.Writer, entries []Entry) error {
	fmt.Fprint(w, "What is documented about a call whose end nobody saw. "+notDocumented+": not documented, so nothing is assumed.\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "provider\tasked by\tused\tkey\tlook-up\tkept\tcancel\tlost call\tchecked")
	for _, e := range entries {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Provider, e.Endpoint, yes(e.Used, "no"),
			yes(e.IdempotencyKey, notDocumented), yes(e.Lookup, notDocumented), kept(max(e.KeyRetention, e.LookupRetention)),
			yes(e.Cancel, notDocumented), e.lostCall(), e.CheckedOn)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print register of guarantees: %w", err)
	}
	for _, e := range entries {
		if err := e.printRules(w); err != nil {
			return fmt.Errorf("print register of guarantees: %w", err)
		}
	}
	if err := printOutcomes(w, entries); err != nil {
		return fmt.Errorf("print register of guarantees: %w", err)
	}
	return nil
}

// lostCall is what becomes of a call whose end nobody saw.
func (e Entry) lostCall() string {
	switch {
	case e.Lookup:
		return "looked up"
	case e.IdempotencyKey:
		return "repeated with its key"
	case !e.LanguageModel:
		return "computed again"
	default:
		return "unknown: policy"
	}
}

func (e Entry) printRules(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\n%s, %s\n", e.Provider, e.Endpoint)
	for _, rule := range []struct{ name, text string }{
		{"key with another body", e.KeyPayloadRule},
		{"key while the first runs", e.KeyConcurrencyRule},
		{"repeats", e.RetryRule},
		{"source", e.Source},
	} {
		if rule.text != "" && err == nil {
			_, err = fmt.Fprintf(w, "  %s: %s\n", rule.name, rule.text)
		}
	}
	return err //nolint:wrapcheck // the caller does
}

// printOutcomes writes what the words of each API mean, once for each provider, and
// before them what statuses mean that come without such a word.
func printOutcomes(w io.Writer, entries []Entry) error {
	fmt.Fprint(w, "\nWhat a call's end means. Any other status or error is ambiguous, any other reason to stop ends the task; each is logged once.\n")
	if err := printTable(w, "any provider, by its status", statuses()); err != nil {
		return err
	}
	printed := make(map[string]bool)
	for _, e := range entries {
		rows := e.Outcomes.Rows()
		if len(rows) == 0 || printed[e.Provider] {
			continue
		}
		printed[e.Provider] = true
		if err := printTable(w, e.Provider, rows); err != nil {
			return err
		}
	}
	return nil
}

// statuses are the classes of statuses. Where two disagree, an API's own word decides.
func statuses() []outcometable.Row {
	table := outcometable.Table{Errors: make(map[string]llmprovider.Class)}
	for status, class := range llmprovider.StatusClasses() {
		table.Errors[strconv.Itoa(status)] = class
	}
	return table.Rows()
}

func printTable(w io.Writer, title string, rows []outcometable.Row) error {
	fmt.Fprintf(w, "\n%s\n", title)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(table, "  %s\t%s\n", row.Meaning, strings.Join(row.Words, ", "))
	}
	return table.Flush() //nolint:wrapcheck // the caller does
}

func yes(value bool, otherwise string) string {
	if value {
		return "yes"
	}
	return otherwise
}

func kept(d time.Duration) string {
	switch {
	case d == 0:
		return notDocumented
	case d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
}
