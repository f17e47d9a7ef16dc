package main

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/infra/bench/documents"
	"github.com/replyonce/replyonce/shared/textextract/realdocs"
)

// index measures indexing and finding on the real documents, where they are.
func index(ctx context.Context, b *bench) error {
	data, err := realdocs.FindDir(b.root)
	if err != nil {
		fmt.Fprintf(b.out, "Indexing real documents: left out, for they lie outside the project (%v)\n", err)
		return nil
	}
	report, err := documents.Measure(ctx, b.root, data)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	b.report.Documents = &report
	b.report.Broken = append(b.report.Broken, report.Broken()...)
	return documents.Print(b.out, report)
}
