// Package document has documents and their versions. A document belongs to a
// workspace; a version's text never changes once it is stored.
package document

import (
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Document is a titled series of versions.
type Document struct {
	Workspace     string
	ID            string // ULID
	Title         string
	LatestVersion int // the highest number given out, ready or not
	// CurrentVersion is the newest version that can be read whole; 0 while there is
	// none. It moves up only.
	CurrentVersion int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Version is one immutable text of a document.
type Version struct {
	Workspace string
	Document  string
	Title     string // of the document when the version was made
	Number    int    // from 1
	Bytes     int    // of the text in UTF-8
	SHA256    string // hex, of the text
	Parts     int    // how many items hold the text; 0 in lists
	CreatedAt time.Time
	Text      string // empty where only the description was asked for

	State State
	Index Index // zero for a version that is read whole
	// IndexTask is accepted in one write with a version that is to be indexed. Stores
	// keep it as a task of its own, and leave it nil when they read the version.
	IndexTask *worktask.Task
}

// List is a page of documents.
type List struct {
	Documents []Document
	After     string // cursor of the next page; empty: none
}
