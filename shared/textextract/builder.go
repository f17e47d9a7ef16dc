package textextract

import (
	"context"
	"strings"

	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// builder puts a document's text together, block by block, within the limits.
type builder struct {
	limits Limits
	text   strings.Builder
	blocks []textblocks.Block
}

const (
	blockGap = "\n\n"
	itemGap  = "\n"
	// indentWidth is how far an item of an inner list stands in.
	indentWidth = 2
	// checkEvery is how many steps are done between two looks at the context.
	checkEvery = 1024
)

// add appends a block. Items follow each other without a blank line, indented by
// their depth.
func (b *builder) add(block textblocks.Block) error {
	block.Text = strings.TrimSpace(block.Text)
	if block.Text == "" {
		return nil
	}
	if len(b.blocks) == b.limits.Blocks {
		return failure(TooLarge, "the document has more than %d blocks", b.limits.Blocks)
	}
	if last := len(b.blocks) - 1; last >= 0 {
		gap := blockGap
		if b.blocks[last].Kind == textblocks.ListItem && block.Kind == textblocks.ListItem {
			gap = itemGap
		}
		b.text.WriteString(gap)
	}
	b.text.WriteString(strings.Repeat(" ", block.Indent))
	block.Start = b.text.Len()
	if block.Marker.Text != "" {
		b.text.WriteString(block.Marker.Text + " ")
	}
	b.text.WriteString(block.Text)
	block.End = b.text.Len()
	block.Column = block.Indent + len(block.Marker.Text) + 1
	b.blocks = append(b.blocks, block)
	if b.text.Len() > b.limits.TextBytes {
		return failure(TooLarge, "the text has more than %d bytes", b.limits.TextBytes)
	}
	return nil
}

// document is everything that was added. Numbers that headings state in their
// text become markers, as in plain text.
func (b *builder) document(format Format, title string) Document {
	for i := range b.blocks {
		splitNumber(&b.blocks[i])
	}
	if title == "" {
		title = firstHeading(b.blocks)
	}
	return Document{Format: format, Title: title, Text: b.text.String(), Blocks: b.blocks}
}

func splitNumber(block *textblocks.Block) {
	if block.Kind != textblocks.Heading {
		return
	}
	if mark := textblocks.MarkerOf(block.Text); mark.Levels > 0 {
		block.Marker, block.Text = mark, block.Text[mark.Size:]
	}
}

// item is a list item at a depth, 1 for a list in no other.
func item(marker string, depth int, text string) textblocks.Block {
	return textblocks.Block{
		Kind: textblocks.ListItem, Indent: indentWidth * max(0, depth-1), Text: text,
		Marker: textblocks.Marker{Text: marker, Size: len(marker) + 1},
	}
}

// pacer looks at the context now and then.
type pacer struct{ steps int }

func (p *pacer) step(ctx context.Context) error {
	p.steps++
	if p.steps%checkEvery == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
