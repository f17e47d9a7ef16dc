package indexing

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// Kind is the task kind's name.
const Kind = "index"

// Input is what an index task works on, set when its version is made.
type Input struct {
	Version  int    `json:"version"`
	Pipeline string `json:"pipeline"`
	// Source is where the bytes are: the key of an uploaded object, or empty for a
	// text that the version itself has.
	Source    string `json:"source,omitzero"`
	FileName  string `json:"file_name,omitzero"`
	MediaType string `json:"media_type,omitzero"` // as announced; the content decides
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"` // hex, of the bytes
}

// Encode gives the task's stored input.
func (in Input) Encode() string { return encode(in) }

// DecodeInput reads what Encode wrote.
func DecodeInput(s string) (Input, error) {
	var in Input
	if err := json.Unmarshal([]byte(s), &in); err != nil {
		return Input{}, fmt.Errorf("decode input of an index task: %w", err)
	}
	if in.Version < 1 || in.Pipeline == "" || in.SHA256 == "" {
		return Input{}, fmt.Errorf("decode input of an index task: version, pipeline or hash is missing")
	}
	return in, nil
}

// Result is what a completed index task has saved. The entries themselves are
// beside the version.
type Result struct {
	Entries  int    `json:"entries"`
	Passages int    `json:"passages"`
	Pages    int    `json:"pages,omitzero"`
	Manifest string `json:"manifest"`
}

// Encode gives the task's result body.
func (r Result) Encode() string { return encode(r) }

// DecodeResult reads what Encode wrote.
func DecodeResult(s string) (Result, error) {
	var r Result
	if err := json.Unmarshal([]byte(s), &r); err != nil {
		return Result{}, fmt.Errorf("decode result of an index task: %w", err)
	}
	return r, nil
}

// encode writes our own structs of numbers and of texts that were checked.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return string(b)
}
