package textextract

// Settings names this way of taking text out of files, engines included. It changes
// whenever the same file would give another text; work that was done under another
// name is of another pipeline.
const Settings = "textextract-1"
