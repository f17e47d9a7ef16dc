// Package indexwork is what a worker does at an index task: it reads the version's
// source, runs the pipeline, writes the entries that are not there yet and
// publishes the version. What must hold between attempts is told in package
// indexing.
package indexwork
