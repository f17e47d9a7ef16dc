// Command replyonce-costs prints what a month of a deployment costs, as the table
// of the README.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/replyonce/replyonce/infra/costs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "costs:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func run(ctx context.Context) error {
	counted, err := costs.Count(ctx)
	if err != nil {
		return err
	}
	return costs.Print(os.Stdout, counted)
}
