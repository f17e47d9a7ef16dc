// Package check measures how often retrieval finds the passage that answers a
// question about a real document.
package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/retrieval"
	"github.com/replyonce/replyonce/shared/textextract"
)

// Question is a question with a phrase of the passage that answers it. The phrase
// is found whatever the white space between its words is.
type Question struct {
	Document string `json:"document"` // file name
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Within is among how many passages the answer has to be.
const Within = 5

// Result is how a set of questions went.
type Result struct {
	Questions int        `json:"questions"`
	Found     int        `json:"found"`
	Misses    []Question `json:"misses,omitempty"`
	// MostRead is the most bytes that a question read from the index.
	MostRead int `json:"most_read_bytes"`
}

// Recall is the share of questions whose passage was found.
func (r Result) Recall() float64 { return float64(r.Found) / float64(max(1, r.Questions)) }

// Print writes the recall and the misses.
func (r Result) Print(w io.Writer) {
	fmt.Fprintf(w, "recall at %d: %.3f (%d of %d questions), at most %d bytes read for one\n", Within, r.Recall(), r.Found, r.Questions, r.MostRead)
	for _, m := range r.Misses {
		fmt.Fprintf(w, "  missed: %s: %s\n", m.Document, m.Question)
	}
}

// ReadQuestions reads a set from a file.
func ReadQuestions(file string) ([]Question, error) {
	content, err := os.ReadFile(file) //nolint:gosec // a set that the caller names
	if err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	var questions []Question
	if err := json.Unmarshal(content, &questions); err != nil {
		return nil, fmt.Errorf("decode questions: %w", err)
	}
	return questions, nil
}

// Run asks every question about its document in the folder data. A document that
// does not have the answer at all is an error of the set.
func Run(ctx context.Context, data string, questions []Question) (Result, error) {
	r := Result{Questions: len(questions)}
	indexes := make(map[string]*Index)
	for _, q := range questions {
		index := indexes[q.Document]
		if index == nil {
			var err error
			if index, err = ReadIndex(ctx, filepath.Join(data, q.Document)); err != nil {
				return Result{}, err
			}
			indexes[q.Document] = index
		}
		found, err := index.finds(ctx, q)
		if err != nil {
			return Result{}, fmt.Errorf("ask %q: %w", q.Question, err)
		}
		r.MostRead = max(r.MostRead, index.read)
		if found {
			r.Found++
		} else {
			r.Misses = append(r.Misses, q)
		}
	}
	return r, nil
}

// Index is an index in memory that counts what a search reads.
type Index struct {
	Passages []retrieval.Passage
	parts    map[retrieval.Key][]byte
	read     int // bytes, by the last search
}

// ReadIndex makes the index of a text file.
func ReadIndex(ctx context.Context, file string) (*Index, error) {
	content, err := os.ReadFile(file) //nolint:gosec // a document of the set
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	document, err := textextract.Extractor{}.Extract(ctx, textextract.File{Name: filepath.Base(file), Bytes: content})
	if err != nil {
		return nil, fmt.Errorf("read document %s: %w", file, err)
	}
	return NewIndex(retrieval.Split(document)), nil
}

// NewIndex makes an index of passages.
func NewIndex(passages []retrieval.Passage) *Index {
	x := &Index{Passages: passages, parts: make(map[retrieval.Key][]byte)}
	for _, p := range retrieval.Build(passages) {
		x.parts[p.Key] = p.Bytes
	}
	return x
}

// ReadParts gives parts from memory.
func (x *Index) ReadParts(_ context.Context, keys []retrieval.Key) ([][]byte, error) {
	var parts [][]byte
	for _, k := range keys {
		b, found := x.parts[k]
		if !found {
			return nil, fmt.Errorf("part %s is missing", k)
		}
		x.read += len(b)
		parts = append(parts, b)
	}
	return parts, nil
}

// Ask searches and tells how many bytes that read.
func (x *Index) Ask(ctx context.Context, question string, k int) (hits []retrieval.Hit, read int, err error) {
	x.read = 0
	hits, err = retrieval.Search(ctx, x, retrieval.Question{Text: question}, k)
	if err != nil {
		return nil, x.read, fmt.Errorf("search: %w", err)
	}
	return hits, x.read, nil
}

// finds says whether the passage with the answer is among the first.
func (x *Index) finds(ctx context.Context, q Question) (bool, error) {
	phrases := []string{joined(q.Answer)}
	if !anyHas(x.Passages, phrases) {
		// A phrase over the end of a passage is answered by either.
		words := strings.Fields(q.Answer)
		phrases = []string{strings.Join(words[:len(words)/2], " "), strings.Join(words[len(words)/2:], " ")}
	}
	if slices.Contains(phrases, "") || !anyHas(x.Passages, phrases) {
		return false, fmt.Errorf("no passage of %s has %q", q.Document, q.Answer)
	}
	hits, _, err := x.Ask(ctx, q.Question, Within)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(hits, func(h retrieval.Hit) bool { return has(h.Passage, phrases) }), nil
}

func anyHas(passages []retrieval.Passage, phrases []string) bool {
	return slices.ContainsFunc(passages, func(p retrieval.Passage) bool { return has(p, phrases) })
}

// has says whether a passage has one of the phrases.
func has(p retrieval.Passage, phrases []string) bool {
	text := joined(p.Text)
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
}

func joined(text string) string { return strings.Join(strings.Fields(text), " ") }
