package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/replyonce/replyonce/infra/local/binaries"
)

// printMutants plays the broken variants in the simulation, which runs as a test
// because only tests have virtual time, and passes its table on.
func printMutants(ctx context.Context, out, errOut io.Writer) error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find working directory: %w", err)
	}
	root, err := binaries.FindRoot(dir)
	if err != nil {
		return fmt.Errorf("find the simulation's source: %w", err)
	}
	test := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "-run", "^TestMutants$", "./shared/simulation", "-args", "-mutants")
	test.Dir, test.Stderr = root, errOut
	output, err := test.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run the simulation: %w", err)
	}
	if err := test.Start(); err != nil {
		return fmt.Errorf("run the simulation: %w", err)
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if line := lines.Text(); !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") {
			fmt.Fprintln(out, line)
		}
	}
	if err := test.Wait(); err != nil {
		return fmt.Errorf("not every broken variant was found: %w", err)
	}
	return nil
}
