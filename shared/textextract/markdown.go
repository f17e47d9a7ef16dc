package textextract

import (
	"context"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// maxMarkdownBytes is from where a file is read as plain text, whose rules find
// most headings and lists too: the parser needs 90 bytes for one of the source at
// worst (18 MB of short lists took 1.5 GB and 17 s), and cannot be stopped.
const maxMarkdownBytes = 2 << 20

// readMarkdown finds the blocks of CommonMark and keeps the source as the text.
// Only blocks are parsed: what stands inside a line is of no use here, and nested
// brackets are what makes Markdown parsers slow.
func readMarkdown(ctx context.Context, source string, limits Limits) (Document, error) {
	if ctx.Err() != nil {
		return Document{}, context.Cause(ctx)
	}
	if len(source) > maxMarkdownBytes {
		return readPlain(ctx, source, limits)
	}
	if err := checkContainers(source, limits.Depth); err != nil {
		return Document{}, err
	}
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	root := blocks.Parse(gmtext.NewReader([]byte(source)))
	m := &markdownReader{source: source, limits: limits}
	if err := m.read(ctx, root, 0); err != nil {
		return Document{}, err
	}
	return Document{Text: source, Blocks: m.blocks, Title: firstHeading(m.blocks)}, nil
}

// checkContainers refuses lines that open too many quotes or lists at once: each
// level costs the parser a look at every later line.
func checkContainers(source string, depth int) error {
	for line := range strings.Lines(source) {
		opened := 0
		for i := 0; i < len(line) && strings.IndexByte(" \t>-*+", line[i]) >= 0; i++ {
			if line[i] != ' ' && line[i] != '\t' {
				opened++
			}
		}
		// A long rule of dashes or asterisks is no list.
		if opened > depth && strings.Trim(line, line[:1]+" \t\r\n") != "" || strings.Count(line[:min(len(line), 2*depth+2)], ">") > depth {
			return failure(TooDeep, "a line opens more than %d quotes or lists", depth)
		}
	}
	return nil
}

type markdownReader struct {
	source string
	limits Limits
	pacer  pacer
	blocks []textblocks.Block
	lists  int
}

func (m *markdownReader) read(ctx context.Context, node ast.Node, depth int) error {
	if depth > m.limits.Depth {
		return failure(TooDeep, "more than %d blocks are nested in one another", m.limits.Depth)
	}
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if err := m.pacer.step(ctx); err != nil {
			return err
		}
		if err := m.readBlock(ctx, child, depth); err != nil {
			return err
		}
	}
	return nil
}

func (m *markdownReader) readBlock(ctx context.Context, node ast.Node, depth int) error {
	switch n := node.(type) {
	case *ast.List:
		m.lists++
		err := m.read(ctx, n, depth+1)
		m.lists--
		return err
	case *ast.ListItem:
		return m.read(ctx, n, depth+1)
	case *ast.Heading:
		return m.add(node, textblocks.Block{Kind: textblocks.Heading, Level: n.Level})
	case *ast.Blockquote:
		return m.read(ctx, n, depth+1)
	case *ast.ThematicBreak:
		return nil
	}
	if node.Type() != ast.TypeBlock {
		return nil
	}
	return m.add(node, textblocks.Block{Kind: textblocks.Paragraph})
}

func (m *markdownReader) add(node ast.Node, block textblocks.Block) error {
	lines := node.Lines()
	if lines == nil || lines.Len() == 0 {
		return nil
	}
	block.Start, block.End = lines.At(0).Start, lines.At(lines.Len()-1).Stop
	block.Text = joinLines(m.source, lines)
	block.End = block.Start + len(strings.TrimRight(m.source[block.Start:block.End], " \t\r\n"))
	if block.Text == "" || block.End <= block.Start {
		return nil
	}
	if len(m.blocks) > 0 && block.Start < m.blocks[len(m.blocks)-1].End {
		return nil
	}
	if len(m.blocks) == m.limits.Blocks {
		return failure(TooLarge, "the document has more than %d blocks", m.limits.Blocks)
	}
	block.Indent, block.Column = indentWidth*m.lists, indentWidth*m.lists
	if m.lists > 0 && block.Kind == textblocks.Paragraph {
		m.takeMarker(&block)
	}
	splitNumber(&block)
	m.blocks = append(m.blocks, block)
	return nil
}

// takeMarker gives a block the list marker before it on its line, if there is one.
func (m *markdownReader) takeMarker(block *textblocks.Block) {
	line := m.source[strings.LastIndexByte(m.source[:block.Start], '\n')+1 : block.Start]
	before := strings.TrimLeft(line, " \t>")
	mark := textblocks.MarkerOf(before + "x")
	if mark.Size == 0 {
		return
	}
	block.Kind, block.Marker = textblocks.ListItem, mark
	block.Indent -= indentWidth
	block.Start -= len(before)
}

func joinLines(source string, lines *gmtext.Segments) string {
	var b strings.Builder
	for i := range lines.Len() {
		segment := lines.At(i)
		line := strings.TrimSpace(source[segment.Start:segment.Stop])
		if i > 0 && line != "" {
			b.WriteByte(' ')
		}
		b.WriteString(line)
	}
	return strings.Trim(b.String(), "*_` ")
}
