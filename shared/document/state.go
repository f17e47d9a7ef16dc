package document

// State says whether a version can be read.
type State string

// The states of a version. Indexing is left once, for one of the others; every state
// is left for Deleted once the document is deleted. No read shows such a version.
const (
	Ready    State = "ready"
	Indexing State = "indexing"
	Failed   State = "failed"
	Deleted  State = "deleted"
)

// Readable reports whether the version can be asked about. Versions of a release
// that had no states have none, and are.
func (s State) Readable() bool { return s == Ready || s == "" }

// Index is what is known of the index of a version, which a task makes.
type Index struct {
	// Pipeline names the settings that the entries are made with: the same source
	// and the same settings give the same entries, byte for byte.
	Pipeline string
	Task     string // id of the task that makes it
	// Writer is the assignment version of the worker that may write entries. It is
	// checked at every write of entries, so that a worker that was replaced cannot
	// add to what its successor makes.
	Writer    int64
	MediaType string // of the source, as it was announced
	FileName  string // empty for a pasted text
	Object    string // key of the uploaded file; empty for a pasted text

	Entries  int    // of all stages; 0 until the version is ready
	Passages int    // that can be found
	Pages    int    // 0 for formats without pages
	Manifest string // hex SHA-256 over the entries' names and hashes
	Failure  string // why the version has failed, one of package textextract's reasons
}

// ScopeOf is what index tasks of a document belong to.
func ScopeOf(document string) string { return "D#" + document }
