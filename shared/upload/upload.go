package upload

import (
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
)

// Upload is a file that its caller has announced. It never changes; what it made
// is in the record under its id.
type Upload struct {
	Workspace string
	ID        string // ULID
	Caller    string // nobody else may complete it
	Document  string // that gets a version; empty: a new one
	Title     string // of a new document
	FileName  string
	MediaType string // as announced; the content decides
	Bytes     int64
	SHA256    string // hex
	CreatedAt time.Time
	// PurgeAfter is when the upload is unknown again. It is never later than that of
	// the record of what it made, so that it cannot make a second version.
	PurgeAfter time.Time
}

// Prefix begins the keys of uploaded objects.
const Prefix = "uploads/"

// ObjectKey is where the file is put.
func (u Upload) ObjectKey() string { return Prefix + idempotency.Escape(u.Workspace) + "/" + u.ID }

// Path is the address of an upload, below which it is completed.
func Path(id string) string { return "/v1/uploads/" + id }
