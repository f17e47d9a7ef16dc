package indexpipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/textextract"
)

// head is the first entry of the stage extract; the text follows it in parts.
type head struct {
	Format   textextract.Format `json:"format"`
	Encoding string             `json:"encoding,omitzero"`
	Title    string             `json:"title,omitzero"`
	Bytes    int                `json:"bytes"`
	SHA256   string             `json:"sha256"`
	Parts    int                `json:"parts"`
	Pages    []int              `json:"pages,omitzero"` // positions where pages begin
}

func textEntries(doc textextract.Document) []indexing.Entry {
	parts := dynamoschema.SplitText(doc.Text, indexing.MaxEntryBytes)
	h := head{
		Format: doc.Format, Encoding: doc.Encoding, Title: doc.Title,
		Bytes: len(doc.Text), SHA256: sum(doc.Text), Parts: len(parts), Pages: doc.Pages,
	}
	body, err := json.Marshal(h)
	if err != nil {
		panic(fmt.Sprintf("encode the head of a text: %v", err)) // texts, which are UTF-8, and numbers
	}
	entries := []indexing.Entry{{Key: indexing.Key{Stage: indexing.Extract}, Body: body}}
	for i, part := range parts {
		entries = append(entries, indexing.Entry{Key: indexing.Key{Stage: indexing.Extract, Part: i + 1}, Body: []byte(part)})
	}
	return entries
}

func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

// Text is the text of a version, with the positions where its pages begin.
type Text struct {
	Text  string
	Title string // as the file states it; may be empty
	Pages []int  // empty for formats without pages
}

// ReadText reads the text of a ready version and checks it.
func ReadText(ctx context.Context, store indexing.Reader, t indexing.Target) (Text, error) {
	h, err := readHead(ctx, store, t)
	if err != nil {
		return Text{}, err
	}
	keys := make([]indexing.Key, h.Parts)
	for i := range keys {
		keys[i] = indexing.Key{Stage: indexing.Extract, Part: i + 1}
	}
	parts, err := inOrder(ctx, store, t, keys)
	if err != nil {
		return Text{}, err
	}
	var text strings.Builder
	for _, part := range parts {
		text.Write(part)
	}
	if text.Len() != h.Bytes || sum(text.String()) != h.SHA256 {
		return Text{}, fmt.Errorf("text of version %d of document %s: %w", t.Number, t.Document, storeerror.ErrCorrupt)
	}
	return Text{Text: text.String(), Title: h.Title, Pages: h.Pages}, nil
}

// Texts reads texts for those who only show them.
type Texts struct{ Store indexing.Reader }

// ReadText gives the text of a ready version, and the positions where its pages begin.
func (t Texts) ReadText(ctx context.Context, target indexing.Target) (string, []int, error) {
	text, err := ReadText(ctx, t.Store, target)
	return text.Text, text.Pages, err
}

// TextBytes is how long the text of a ready version is, without reading it.
func TextBytes(ctx context.Context, store indexing.Reader, t indexing.Target) (int, error) {
	h, err := readHead(ctx, store, t)
	return h.Bytes, err
}

func readHead(ctx context.Context, store indexing.Reader, t indexing.Target) (head, error) {
	got, err := inOrder(ctx, store, t, []indexing.Key{{Stage: indexing.Extract}})
	if err != nil {
		return head{}, err
	}
	var h head
	if err := json.Unmarshal(got[0], &h); err != nil {
		return head{}, errors.Join(storeerror.ErrCorrupt, fmt.Errorf("head of version %d of document %s: %w", t.Number, t.Document, err))
	}
	if h.Parts < 0 || h.Parts > maxTextParts {
		return head{}, fmt.Errorf("head of version %d of document %s: %d parts: %w", t.Number, t.Document, h.Parts, storeerror.ErrCorrupt)
	}
	return h, nil
}

// maxTextParts is more than the longest text has.
const maxTextParts = 1000

// inOrder reads bodies in the order of their keys. One that is missing in a version
// that is ready is damage.
func inOrder(ctx context.Context, store indexing.Reader, t indexing.Target, keys []indexing.Key) ([][]byte, error) {
	entries, err := store.ReadEntries(ctx, t, keys)
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	bodies := make(map[indexing.Key][]byte, len(entries))
	for _, e := range entries {
		bodies[e.Key] = e.Body
	}
	list := make([][]byte, len(keys))
	for i, key := range keys {
		body, found := bodies[key]
		if !found {
			return nil, fmt.Errorf("entry %s of version %d of document %s is missing: %w", key, t.Number, t.Document, storeerror.ErrCorrupt)
		}
		list[i] = body
	}
	return list, nil
}
