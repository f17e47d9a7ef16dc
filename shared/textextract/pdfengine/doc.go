// Package pdfengine reads PDF files with PDFium, the engine of Chromium, compiled
// to WebAssembly and run by wazero: no C compiler, no shared library, one static
// binary. Text comes line by line, words that a line end had parted are marked, and
// bookmarks give headings with their level.
//
// # Why this engine
//
// Tried on the Debian policy manual as PDF (193 pages, 894 kB), Go 1.26 on an
// amd64 machine whose two cores others used too:
//
//	                     words      pages    first start   memory    binary
//	pdfium and wazero    84,669     0.5 s    2.6 s         320 MB    15.3 MB
//	  …, interruptible   84,669     4.0 s    2.8 s         325 MB    15.3 MB
//	  …, from a cache    84,669     0.5 s    0.12 s         55 MB    15.3 MB
//	ledongthuc/pdf        6,938     0.7 s    –              –         3.3 MB
//
// The pure Go reader loses the spaces between words, so nothing can be found in its
// text; dslipak/pdf is the same code, and pdfcpu extracts no text, only the
// pages' drawing instructions. The memory is that of compiling; after it the process
// keeps 75 MB, and a file adds what it needs, at most 512 MiB. The arm64 zip of a
// program with all of textextract is 6.1 MB with the engine, 2.2 MB without.
//
// # Why a process of its own
//
// wazero can interrupt a call when it looks at the context in every loop, which
// makes reading eight times slower. A process can be killed for nothing: a loop
// without an end, a file that breaks the engine, or one that makes the library
// recurse for ever (bookmarks in a circle do) cost one process and one file. It is
// the same binary, started with an argument (RunIfAsked), without the function's
// environment and so without its credentials, for the first PDF file only.
package pdfengine
