// Package indexpipeline makes the entries of an index out of a file, and reads them
// again: the text with its pages (stage extract), the passages (stage split) and what
// finds them (stage search). It is a pure function of the file: whoever runs it, and
// however often, the entries are the same.
package indexpipeline
