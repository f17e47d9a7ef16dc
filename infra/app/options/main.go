// Command options prints the options of a deployment as the table of the README.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/replyonce/replyonce/infra/stack"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(w io.Writer) error {
	var table strings.Builder
	table.WriteString("| option | default | meaning |\n|---|---|---|\n")
	for _, s := range stack.Settings() {
		value := "–"
		if s.Default != "" {
			value = "`" + s.Default + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", s.Name, value, s.Meaning)
	}
	if _, err := io.WriteString(w, table.String()); err != nil {
		return fmt.Errorf("print options: %w", err)
	}
	return nil
}
