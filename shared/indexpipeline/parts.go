package indexpipeline

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/retrieval"
)

// keyOf is where a part of a search index is kept: texts of passages in the stage
// split, the head as the first entry of the stage search, and buckets after it.
func keyOf(key retrieval.Key) indexing.Key {
	switch key.Kind {
	case retrieval.Texts:
		return indexing.Key{Stage: indexing.Split, Part: key.Number}
	case retrieval.Head:
		return indexing.Key{Stage: indexing.Search, Part: key.Number}
	case retrieval.Terms:
		return indexing.Key{Stage: indexing.Search, Part: key.Number + 1}
	}
	panic(fmt.Sprintf("a part of kind %q has no place", key.Kind)) // the kinds are a closed list
}

// partEntries are the parts as entries, in the order of stages and parts.
func partEntries(parts []retrieval.Part) []indexing.Entry {
	var passages, search []indexing.Entry
	for _, p := range parts {
		e := indexing.Entry{Key: keyOf(p.Key), Body: p.Bytes}
		if e.Stage == indexing.Split {
			passages = append(passages, e)
		} else {
			search = append(search, e)
		}
	}
	return append(passages, search...)
}

// Reader reads the parts of one version's search index.
type Reader struct {
	Store  indexing.Reader
	Target indexing.Target
}

// ReadParts implements retrieval.Reader.
func (r Reader) ReadParts(ctx context.Context, keys []retrieval.Key) ([][]byte, error) {
	wanted := make([]indexing.Key, len(keys))
	for i, key := range keys {
		wanted[i] = keyOf(key)
	}
	return inOrder(ctx, r.Store, r.Target, wanted)
}
