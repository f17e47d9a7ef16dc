package textextract

import (
	"context"
	"strings"

	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// readPlain finds the blocks of a text and keeps the text as it is.
func readPlain(ctx context.Context, text string, limits Limits) (Document, error) {
	if ctx.Err() != nil {
		return Document{}, context.Cause(ctx)
	}
	blocks := textblocks.Read(text)
	if len(blocks) > limits.Blocks {
		return Document{}, failure(TooLarge, "the text has %d blocks, the limit is %d", len(blocks), limits.Blocks)
	}
	return Document{Text: text, Blocks: blocks, Title: firstHeading(blocks)}, nil
}

// firstHeading is the title of a document that states none: a heading before
// everything else.
func firstHeading(blocks []textblocks.Block) string {
	if len(blocks) > 0 && blocks[0].Kind == textblocks.Heading {
		return strings.TrimSpace(blocks[0].Title())
	}
	return ""
}
