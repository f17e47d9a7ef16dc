package indexing

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Stage is a step of the pipeline whose outcome is kept.
type Stage string

// The stages, in the order in which they run.
const (
	Extract Stage = "extract" // text, pages and headings of the source
	Split   Stage = "split"   // passages
	Search  Stage = "search"  // what finds passages by their words
)

// Stages lists every stage in order.
func Stages() []Stage { return []Stage{Extract, Split, Search} }

// Key is what there is at most one entry of in a version with a pipeline.
type Key struct {
	Stage Stage
	Part  int // from 0
}

// String is for errors and manifests.
func (k Key) String() string { return fmt.Sprintf("%s/%06d", k.Stage, k.Part) }

// Entry is a part of a version's index. Its body is a pure function of the
// version's source and the pipeline: two attempts make the same one.
type Entry struct {
	Key
	Body []byte
}

// Sum is the hash that entries are compared by.
func (e Entry) Sum() string {
	sum := sha256.Sum256(e.Body)
	return hex.EncodeToString(sum[:])
}

// Stored describes an entry that is kept.
type Stored struct {
	Key
	Bytes  int
	SHA256 string // hex
}

// Manifest is a hash over all entries' keys and hashes, which must come in the
// order of stages and parts: what was built and what is kept are the same when
// their manifests are.
func Manifest(entries []Stored) string {
	var lines strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&lines, "%s %d %s\n", e.Key, e.Bytes, e.SHA256)
	}
	sum := sha256.Sum256([]byte(lines.String()))
	return hex.EncodeToString(sum[:])
}

// Summary is what a version says of its entries once it is ready.
type Summary struct {
	Entries  int // of all stages
	Passages int // that can be found
	Pages    int // 0 for formats without pages
	Manifest string
}

// Describe is what a store keeps of entries beside their bodies.
func Describe(entries []Entry) []Stored {
	stored := make([]Stored, len(entries))
	for i, e := range entries {
		stored[i] = Stored{Key: e.Key, Bytes: len(e.Body), SHA256: e.Sum()}
	}
	return stored
}
