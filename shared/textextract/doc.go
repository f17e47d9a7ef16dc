// Package textextract takes the text out of a file that somebody uploaded: plain
// text, Markdown, HTML, PDF or DOCX, told apart by content, with headings, list
// items and pages, and with the position of each in the text.
//
// Files are hostile until read. Everything that a file can make large has a limit
// (Limits), readers are bounded and look at the context, and a file without usable
// text ends in one *Error whose reason is on a closed list and has its advice:
//
//	DOCX             all parts together unpack to at most InflatedBytes, whatever
//	                 the directory states; a document type in XML is refused
//	HTML             no tree: tags are read one by one with a bounded stack
//	Markdown         blocks only, since nested brackets are what makes parsers slow
//	PDF              an engine behind PDFEngine, see package pdfengine
//
// Text and Markdown stay as they are, so that a position in them is one in the
// file; of the other formats a text is made, blocks with blank lines between.
package textextract
