// Package broken makes deliberately broken builds of the functions: each one is
// the product's own source with one rule taken out, as somebody in a hurry would
// leave it out. A drill has to show what follows, and the checker has to name the
// promise.
//
// Nothing of this is in a release. A build is a replacement of text in one file,
// which the compiler gets as an overlay while the source stays as it is; where the
// text is no longer there, the build fails and says so. The list is in builds.go,
// with what each of them does wrong, the drill that shows it and the promise that
// it breaks.
package broken
