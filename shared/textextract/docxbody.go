package textextract

import (
	"context"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

const (
	maxHeadingLevel = 9
	maxBasedOn      = 10 // styles that a style is based on, one after the other
	titleStyle      = "title"
)

// docxStyle is what a paragraph style says about structure.
type docxStyle struct {
	name    string // in small letters
	level   int    // of the outline, from 1; 0 for none
	basedOn string
}

func readStyles(ctx context.Context, a *archive, part string, depth int) (map[string]docxStyle, error) {
	styles := make(map[string]docxStyle)
	id, style := "", docxStyle{}
	err := a.walk(ctx, part, depth, xmlHandler{
		text: ignoreText,
		start: func(e xml.StartElement) error {
			value := attribute(e, "val")
			switch e.Name.Local {
			case "style":
				id, style = attribute(e, "styleId"), docxStyle{}
			case "name":
				style.name = strings.ToLower(value)
			case "basedOn":
				style.basedOn = value
			case "outlineLvl":
				style.level = outlineLevel(value)
			}
			return nil
		},
		end: func(name string) error {
			if name == "style" {
				styles[id] = style
			}
			return nil
		},
	})
	return styles, err
}

// outlineLevel reads a level that is written from 0; 9 means body text.
func outlineLevel(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n >= maxHeadingLevel {
		return 0
	}
	return n + 1
}

// headingLevel follows a style to the one that makes it a heading.
func headingLevel(styles map[string]docxStyle, id string) int {
	for range maxBasedOn {
		style, found := styles[id]
		if !found {
			// Without styles, the usual ids still tell: "Heading1".
			return namedLevel(strings.ToLower(id))
		}
		if style.level > 0 {
			return style.level
		}
		if level := namedLevel(style.name); level > 0 {
			return level
		}
		id = style.basedOn
	}
	return 0
}

func namedLevel(name string) int {
	rest, heading := strings.CutPrefix(name, "heading")
	if !heading {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(rest))
	if err != nil || n < 1 || n > maxHeadingLevel {
		return 0
	}
	return n
}

// docxReader turns paragraphs into blocks.
type docxReader struct {
	builder
	styles map[string]docxStyle
	title  string

	paragraphs []docxParagraph // open ones: a text box stands inside a paragraph
	inText     bool
	skipping   int // depth inside an element whose content is left out
	rows       []docxRow
}

type docxParagraph struct {
	text  strings.Builder
	style string
	level int // of the outline, stated on the paragraph itself
	list  int // depth, 0 for none
}

// docxRow collects the cells of a table row: a row is one block.
type docxRow struct{ cells, cell []string }

func (r *docxReader) start(e xml.StartElement) error {
	name := e.Name.Local
	// A picture of the same content for older programs.
	if r.skipping > 0 || name == "Fallback" {
		r.skipping++
		return nil
	}
	switch name {
	case "p":
		r.paragraphs = append(r.paragraphs, docxParagraph{})
		return nil
	case "tr":
		r.rows = append(r.rows, docxRow{})
		return nil
	}
	if len(r.paragraphs) == 0 {
		return nil
	}
	p := &r.paragraphs[len(r.paragraphs)-1]
	switch name {
	case "t":
		r.inText = true
	case "tab":
		p.text.WriteByte('\t')
	case "br", "cr":
		p.text.WriteByte('\n')
	case "noBreakHyphen":
		p.text.WriteRune('\u2011')
	case "pStyle":
		p.style = attribute(e, "val")
	case "outlineLvl":
		p.level = outlineLevel(attribute(e, "val"))
	case "numPr":
		p.list = max(p.list, 1)
	case "ilvl":
		p.list = max(1, outlineLevel(attribute(e, "val")))
	case "numId":
		if attribute(e, "val") == "0" { // switches a style's list off
			p.list = 0
		}
	}
	return nil
}

func (r *docxReader) characters(text string) {
	if r.inText && r.skipping == 0 && len(r.paragraphs) > 0 {
		r.paragraphs[len(r.paragraphs)-1].text.WriteString(text)
	}
}

func (r *docxReader) end(name string) error {
	if r.skipping > 0 {
		r.skipping--
		return nil
	}
	switch name {
	case "t":
		r.inText = false
	case "p":
		return r.endParagraph()
	case "tc":
		if last := len(r.rows) - 1; last >= 0 {
			r.rows[last].cells = append(r.rows[last].cells, strings.Join(r.rows[last].cell, " "))
			r.rows[last].cell = nil
		}
	case "tr":
		return r.endRow()
	}
	return nil
}

func (r *docxReader) endParagraph() error {
	if len(r.paragraphs) == 0 {
		return nil
	}
	p := &r.paragraphs[len(r.paragraphs)-1]
	text := strings.TrimSpace(p.text.String())
	style, level, list := p.style, p.level, p.list
	r.paragraphs = r.paragraphs[:len(r.paragraphs)-1]
	if text == "" {
		return nil
	}
	if last := len(r.rows) - 1; last >= 0 {
		r.rows[last].cell = append(r.rows[last].cell, text)
		return nil
	}
	if level == 0 {
		level = headingLevel(r.styles, style)
	}
	switch {
	case r.title == "" && (r.styles[style].name == titleStyle || strings.EqualFold(style, titleStyle)):
		r.title = text
		return r.add(textblocks.Block{Kind: textblocks.Heading, Level: 1, Text: text})
	case level > 0:
		return r.add(textblocks.Block{Kind: textblocks.Heading, Level: level, Text: text})
	case list > 0:
		return r.add(item("-", list, text))
	}
	return r.add(textblocks.Block{Kind: textblocks.Paragraph, Text: text})
}

func (r *docxReader) endRow() error {
	if len(r.rows) == 0 {
		return nil
	}
	row := r.rows[len(r.rows)-1]
	r.rows = r.rows[:len(r.rows)-1]
	text := strings.Trim(strings.Join(row.cells, " | "), " |")
	if last := len(r.rows) - 1; last >= 0 { // a table in a cell
		r.rows[last].cell = append(r.rows[last].cell, text)
		return nil
	}
	return r.add(textblocks.Block{Kind: textblocks.Paragraph, Text: text})
}
