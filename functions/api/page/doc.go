// Package page holds the web page of the product: the document, its style
// sheets, its ES modules and the sample document, embedded into the binary.
//
// The package serves nothing by itself. The api function asks [Lookup] for a
// path and writes what it gets, together with [ContentSecurityPolicy].
//
// There is no build step: what lies in this folder is what the browser runs.
// All references are relative, so that the page works below a stage prefix
// such as /prod/ as well as at the root of a host.
//
// The failure drills are on the one-machine stack only: their modules are loaded
// where the settings say so, and the link is shown where their API answers.
//
// The tests drive the page in Chromium against a scripted server. They skip
// where there is no Chromium, unless REQUIRE_ALL=1 is set; CHROMIUM names
// another binary. "npm ci" in testdata/axe installs the accessibility checker,
// and REPLYONCE_SCREENSHOTS names a folder for pictures of every state.
package page
