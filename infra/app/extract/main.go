// Command extract writes the part of a synthesised template that the stack on one
// machine is made from: extract <template> <file>.
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/replyonce/replyonce/infra/stack/extract"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: extract <template> <file>")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(template, file string) error {
	text, err := os.ReadFile(template) //nolint:gosec // given on the command line
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	e, err := extract.FromTemplate(text)
	if err != nil {
		return fmt.Errorf("extract %s: %w", template, err)
	}
	encoded, err := extract.Encode(e)
	if err != nil {
		return fmt.Errorf("extract %s: %w", template, err)
	}
	before, err := os.ReadFile(file) //nolint:gosec // given on the command line
	if err == nil && bytes.Equal(before, encoded) {
		return nil
	}
	if err := os.WriteFile(file, encoded, 0o644); err != nil { //nolint:gosec // checked in for everybody
		return fmt.Errorf("extract %s: %w", template, err)
	}
	fmt.Println("wrote", file)
	return nil
}
