// Package textblocks finds headings, paragraphs and list items in plain text, as
// people write it by hand: with hard-wrapped and indented lines, numbered
// sections, underlined headings, and the parts of Markdown and reStructuredText
// that look alike. Every block knows where in the text it stands.
package textblocks
