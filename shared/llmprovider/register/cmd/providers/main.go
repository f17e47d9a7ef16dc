// Command providers prints the register of guarantees: what each model provider
// documents about a call whose end nobody saw.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/replyonce/replyonce/shared/llmprovider/register"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "providers:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	entries, err := register.Entries()
	if err != nil {
		return err
	}
	return register.Print(out, entries)
}
