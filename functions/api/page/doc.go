// Package page holds the web page of the product: the document, its style
// sheets, its ES modules and the sample document, embedded into the binary.
//
// The package serves nothing by itself. The api function asks [Lookup] for a
// path and writes what it gets, together with [ContentSecurityPolicy].
//
// There is no build step: what lies in this folder is what the browser runs.
// All references are relative, so that the page works below a stage prefix
// such as /prod/ as well as at the root of a host.
package page
