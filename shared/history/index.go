package history

import (
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
)

// Index is a write of a version of a document: who may write its entries, the
// entries themselves, or what has become of it.
type Index struct {
	What      string `json:"what"` // one of the Index constants
	Workspace string `json:"workspace"`
	Document  string `json:"document"`
	Version   int    `json:"version"`
	Pipeline  string `json:"pipeline"`
	Writer    int64  `json:"writer"` // the assignment version of who writes

	Entries  []IndexEntry `json:"entries,omitempty"` // entries: those of the write
	Count    int          `json:"count,omitzero"`    // publish: how many there are
	Manifest string       `json:"manifest,omitzero"` // publish: the hash over all of them
	Reason   string       `json:"reason,omitzero"`   // fail
	Current  int          `json:"current,omitzero"`  // where the document's current version stands after it; 0: not told
}

// What is written of a version.
const (
	IndexTake    = "take"    // the right to write entries
	IndexEntries = "entries" // entries, all of the write or none
	IndexPublish = "publish" // the version is ready
	IndexFail    = "fail"    // and never will be
	IndexClose   = "close"   // the same, by somebody who found its task ended; a version that is not being indexed stays as it is
)

// IndexEntry is an entry without its body.
type IndexEntry struct {
	Stage  string `json:"stage"`
	Part   int    `json:"part"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func indexOf(what string, w indexing.Writer) Index {
	return Index{
		What: what, Workspace: w.Workspace, Document: w.Document, Version: w.Number, Pipeline: w.Pipeline, Writer: w.Assignment,
	}
}

func entriesOf(entries []indexing.Entry) []IndexEntry {
	described := make([]IndexEntry, len(entries))
	for i, e := range indexing.Describe(entries) {
		described[i] = IndexEntry{Stage: string(e.Stage), Part: e.Part, Bytes: e.Bytes, SHA256: e.SHA256}
	}
	return described
}

// Version is a version of a document as a creating transaction makes it.
type Version struct {
	Workspace string `json:"workspace"`
	Document  string `json:"document"`
	Number    int    `json:"number"`
	State     string `json:"state"`            // ready or indexing
	SHA256    string `json:"sha256,omitzero"`  // of its text; none of a file
	Current   int    `json:"current,omitzero"` // as Index.Current
}

// VersionOf describes a version that is made.
func VersionOf(v document.Version) Version {
	described := Version{Workspace: v.Workspace, Document: v.Document, Number: v.Number, State: string(v.State)}
	if v.State.Readable() {
		described.State = string(document.Ready)
	}
	if v.Index.Object == "" {
		described.SHA256 = v.SHA256
	}
	return described
}

// DocumentView is a document as callers see it.
type DocumentView struct {
	Workspace string        `json:"workspace"`
	Document  string        `json:"document"`
	Current   int           `json:"current"` // 0: none can be read
	Versions  []VersionView `json:"versions,omitempty"`
}

// VersionView is a version as callers see it in a document.
type VersionView struct {
	Number int    `json:"number"`
	State  string `json:"state"`
}

// TextView is a version's text as callers read it.
type TextView struct {
	Workspace string `json:"workspace"`
	Document  string `json:"document"`
	Version   int    `json:"version"`
	SHA256    string `json:"sha256,omitzero"` // of what was read; none: it could not be read
}
