package textextract

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// maxTokenBytes bounds one tag or run of text. The tokenizer keeps it in memory.
const maxTokenBytes = 8 << 20

// skipped are elements whose content is no part of the text.
var skipped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Svg: true, atom.Math: true,
	atom.Iframe: true, atom.Object: true, atom.Select: true, atom.Button: true, atom.Nav: true, atom.Textarea: true, atom.Canvas: true,
}

// breaking are elements that begin and end a block.
var breaking = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Caption: true, atom.Dd: true,
	atom.Details: true, atom.Dialog: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true,
	atom.Figure: true, atom.Footer: true, atom.Form: true, atom.Header: true, atom.Hgroup: true, atom.Hr: true, atom.Legend: true, atom.Li: true,
	atom.Main: true, atom.Ol: true, atom.P: true, atom.Pre: true, atom.Section: true, atom.Summary: true, atom.Table: true, atom.Tbody: true,
	atom.Tfoot: true, atom.Thead: true, atom.Tr: true, atom.Ul: true, atom.Title: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.H5: true, atom.H6: true,
}

var headingLevels = map[atom.Atom]int{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6}

// void are elements without content, which no end tag closes.
var void = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true, atom.Input: true,
	atom.Link: true, atom.Meta: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// htmlReader walks over the tags of a page, without a tree: a tree of 50 MiB of
// tags takes gigabytes. It does not repair a page as a browser does; for its text
// that is not needed.
type htmlReader struct {
	builder
	pacer pacer
	open  []html.Token // elements that are open, names only
	// skip is the number of open elements when the skipped one began, or 0.
	skip  int
	lists []htmlList

	text    strings.Builder
	kind    textblocks.Kind
	level   int
	marker  string
	pre     bool
	inTitle bool
	title   string
}

type htmlList struct {
	ordered bool
	number  int
}

func readHTML(ctx context.Context, source string, limits Limits) (Document, error) {
	r := &htmlReader{builder: builder{limits: limits}}
	tokens := html.NewTokenizer(strings.NewReader(source))
	tokens.SetMaxBuf(maxTokenBytes)
	for {
		if err := r.pacer.step(ctx); err != nil {
			return Document{}, err
		}
		if tokens.Next() == html.ErrorToken {
			break
		}
		if err := r.read(tokens.Token()); err != nil {
			return Document{}, err
		}
	}
	if err := tokens.Err(); errors.Is(err, html.ErrBufferExceeded) {
		return Document{}, failure(TooLarge, "a tag or a text has more than %d bytes: %w", maxTokenBytes, err)
	} else if !errors.Is(err, io.EOF) {
		return Document{}, failure(Broken, "read tags: %w", err)
	}
	if err := r.endBlock(); err != nil {
		return Document{}, err
	}
	return r.document(HTML, r.title), nil
}

func (r *htmlReader) read(token html.Token) error {
	switch token.Type {
	case html.TextToken:
		if r.skip == 0 {
			r.write(token.Data)
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		return r.start(token)
	case html.EndTagToken:
		return r.end(token.DataAtom)
	case html.ErrorToken, html.CommentToken, html.DoctypeToken:
	}
	return nil
}

func (r *htmlReader) write(text string) {
	if !r.pre {
		text = collapse(text)
		if text == "" || text == " " && endsInSpace(&r.text) {
			return
		}
	}
	r.text.WriteString(text)
}

// start opens an element.
func (r *htmlReader) start(token html.Token) error {
	name := token.DataAtom
	if !void[name] && token.Type != html.SelfClosingTagToken {
		if len(r.open) >= r.limits.Depth {
			return failure(TooDeep, "more than %d elements are open in one another", r.limits.Depth)
		}
		r.closeImplied(name)
		r.open = append(r.open, html.Token{Data: token.Data, DataAtom: name})
		if r.skip == 0 && (skipped[name] || hidden(token)) {
			r.skip = len(r.open)
		}
	}
	if r.skip > 0 {
		return nil
	}
	if breaking[name] {
		if err := r.endBlock(); err != nil {
			return err
		}
	}
	r.enter(token)
	return nil
}

// closeImplied closes a paragraph, item or row that the next one ends: their end
// tags may be left out, and open ones would count as depth.
func (r *htmlReader) closeImplied(next atom.Atom) {
	for len(r.open) > 0 && len(r.open) != r.skip {
		top := r.open[len(r.open)-1].DataAtom
		same := top == next && (next == atom.Li || next == atom.Tr || next == atom.Td || next == atom.Th || next == atom.Dt || next == atom.Dd || next == atom.Option)
		paired := top == atom.Dt && next == atom.Dd || top == atom.Dd && next == atom.Dt ||
			top == atom.Td && (next == atom.Th || next == atom.Tr) || top == atom.Th && (next == atom.Td || next == atom.Tr)
		if !same && !paired && (top != atom.P || !breaking[next]) {
			return
		}
		r.open = r.open[:len(r.open)-1]
	}
}

func hidden(token html.Token) bool {
	for _, a := range token.Attr {
		switch {
		case a.Key == "hidden", a.Key == "aria-hidden" && a.Val == "true", a.Key == "role" && a.Val == "navigation":
			return true
		case a.Key == "class" && a.Val == "headerlink": // "¶" behind headings of manuals
			return true
		}
	}
	return false
}

// enter notes what the block that begins is.
func (r *htmlReader) enter(token html.Token) {
	switch name := token.DataAtom; {
	case name == atom.Title:
		r.inTitle = true
	case name == atom.Pre:
		r.pre = true
	case isList(name):
		r.lists = append(r.lists, htmlList{ordered: name == atom.Ol, number: startOf(token) - 1})
	case name == atom.Li:
		r.kind, r.marker = textblocks.ListItem, r.nextMarker()
	case name == atom.Td || name == atom.Th:
		if strings.TrimSpace(r.text.String()) != "" {
			r.text.WriteString(" | ")
		}
	case name == atom.Br:
		r.text.WriteByte('\n')
	case headingLevels[name] > 0:
		r.kind, r.level = textblocks.Heading, headingLevels[name]
	}
}

func isList(name atom.Atom) bool { return name == atom.Ul || name == atom.Ol || name == atom.Menu }

func startOf(token html.Token) int {
	for _, a := range token.Attr {
		if n, err := strconv.Atoi(a.Val); a.Key == "start" && err == nil {
			return n
		}
	}
	return 1
}

func (r *htmlReader) nextMarker() string {
	if len(r.lists) == 0 || !r.lists[len(r.lists)-1].ordered {
		return "-"
	}
	list := &r.lists[len(r.lists)-1]
	list.number++
	return strconv.Itoa(list.number) + "."
}

// end closes the innermost element of a name, and those in it. An end tag without
// a start is ignored.
func (r *htmlReader) end(name atom.Atom) error {
	at := len(r.open) - 1
	for at >= 0 && r.open[at].DataAtom != name {
		at--
	}
	if at < 0 {
		return nil
	}
	wasSkipped := r.skip > 0
	r.open = r.open[:at]
	if r.skip > at {
		r.skip = 0
	}
	if wasSkipped {
		return nil
	}
	if !breaking[name] && !isList(name) {
		return nil
	}
	err := r.endBlock()
	switch {
	case name == atom.Title:
		r.inTitle = false
	case name == atom.Pre:
		r.pre = false
	case isList(name):
		r.lists = r.lists[:max(0, len(r.lists)-1)]
	}
	return err
}

func (r *htmlReader) endBlock() error {
	text := r.text.String()
	if !r.pre {
		text = strings.TrimSpace(text)
	} else {
		text = strings.Trim(text, "\r\n")
	}
	if strings.TrimSpace(text) == "" {
		return nil // an item's marker waits for its first text
	}
	r.text.Reset()
	block := textblocks.Block{Kind: r.kind, Level: r.level, Text: text}
	switch {
	case r.inTitle:
		r.title = text
		return nil
	case r.kind == textblocks.ListItem:
		block = item(r.marker, len(r.lists), text)
	case r.kind == textblocks.Paragraph && len(r.lists) > 0:
		block.Indent = indentWidth * len(r.lists)
	}
	r.kind, r.level = textblocks.Paragraph, 0
	return r.add(block)
}

// collapse makes each run of white space one space.
func collapse(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, c := range text {
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' {
			space = true
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(c)
	}
	if space {
		b.WriteByte(' ')
	}
	return b.String()
}

func endsInSpace(b *strings.Builder) bool {
	text := b.String()
	return text == "" || text[len(text)-1] == ' ' || text[len(text)-1] == '\n'
}
