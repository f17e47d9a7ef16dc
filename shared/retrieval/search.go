package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Reader reads parts of one version's index: one slice of bytes per key, in the
// order of the keys. A part that is missing is an error.
type Reader interface {
	ReadParts(ctx context.Context, keys []Key) ([][]byte, error)
}

// Question is what is asked, with the questions before it, newest first: one like
// "And when?" has no words of its own to look for.
type Question struct {
	Text    string
	Earlier []string
}

// Hit is a passage that was found.
type Hit struct {
	Passage
	Number int     // of the passage in the version, from 0
	Score  float64 // greater is better; comparable within one search only
}

// MaxReadBytes is the most that one search reads from the store.
const MaxReadBytes = 64 << 10

const (
	// neighbourShare is how much of a neighbour's score counts: what is answered
	// goes on over the ends of passages.
	neighbourShare = 0.5
	// scoreUnit is the resolution of scores. Processors that fuse multiplication
	// and addition differ in the last bits; the order must not.
	scoreUnit = 1e-6
)

// Search finds the k passages that fit a question best, best first and equal ones
// in the text's order. It reads the head, then the buckets of the question's terms,
// then the texts of what was found: three rounds, MaxReadBytes together. Terms for
// which there is no room are left out, synonyms first.
func Search(ctx context.Context, reader Reader, question Question, k int) ([]Hit, error) {
	got, err := readParts(ctx, reader, []Key{{Kind: Head}})
	if err != nil {
		return nil, err
	}
	h, err := decodeHead(got[0])
	if err != nil {
		return nil, err
	}
	k = min(k, (MaxReadBytes-len(got[0]))/(2*MaxTextBytes))
	concepts := conceptsOf(question)
	lists, err := readLists(ctx, reader, h, concepts, MaxReadBytes-len(got[0])-k*MaxTextBytes)
	if err != nil {
		return nil, err
	}
	return readTexts(ctx, reader, h, best(h, concepts, lists, k))
}

// readParts reads what there is to read, and holds the reader to its word.
func readParts(ctx context.Context, reader Reader, keys []Key) ([][]byte, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	parts, err := reader.ReadParts(ctx, keys)
	if err == nil && len(parts) != len(keys) {
		err = fmt.Errorf("got %d parts for %d keys", len(parts), len(keys))
	}
	if err != nil {
		return nil, fmt.Errorf("read index from %s: %w", keys[0], err)
	}
	return parts, nil
}

// readLists reads the postings of as many terms as there is room for.
func readLists(ctx context.Context, reader Reader, h header, concepts []concept, room int) (map[uint32]termList, error) {
	var keys []Key
	chosen := make(map[int]bool)
	for _, term := range inOrder(concepts, h.sieve) {
		at := bucketOf(term, len(h.buckets))
		if chosen[at] || h.buckets[at] > room {
			continue
		}
		chosen[at] = true
		room -= h.buckets[at]
		keys = append(keys, Key{Kind: Terms, Number: at})
	}
	parts, err := readParts(ctx, reader, keys)
	if err != nil {
		return nil, err
	}
	lists := make(map[uint32]termList)
	for _, part := range parts {
		found, err := decodeBucket(part, h.passages)
		if err != nil {
			return nil, err
		}
		for hash, t := range found {
			lists[hash] = t
		}
	}
	return lists, nil
}

// ranked is a passage and its score, in units of scoreUnit.
type ranked struct {
	passage int
	score   int64
}

// best ranks the passages that any concept is in.
func best(h header, concepts []concept, lists map[uint32]termList, k int) []ranked {
	scores := make(map[int]float64)
	for _, c := range concepts {
		for passage, score := range c.scores(h.passages, lists) {
			scores[passage] += score
		}
	}
	found := make([]ranked, 0, len(scores))
	for passage, score := range scores {
		score += neighbourShare * max(scores[passage-1], scores[passage+1])
		found = append(found, ranked{passage: passage, score: int64(math.Round(score / scoreUnit))})
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.passage, b.passage))
	})
	return found[:min(k, len(found))]
}

// readTexts reads the passages that were found.
func readTexts(ctx context.Context, reader Reader, h header, found []ranked) ([]Hit, error) {
	var keys []Key
	place := make(map[int]int) // part to its place in keys
	for _, r := range found {
		part, _ := partOf(h.texts, r.passage)
		if _, known := place[part]; !known {
			place[part] = len(keys)
			keys = append(keys, Key{Kind: Texts, Number: part})
		}
	}
	parts, err := readParts(ctx, reader, keys)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(found))
	for _, r := range found {
		part, begins := partOf(h.texts, r.passage)
		passages, err := decodeTexts(parts[place[part]])
		if err != nil {
			return nil, err
		}
		if at := r.passage - begins; at < len(passages) {
			hits = append(hits, Hit{Passage: passages[at], Number: r.passage, Score: float64(r.score) * scoreUnit})
		}
	}
	return hits, nil
}

// partOf is the part that a passage is in, and the part's first passage.
func partOf(counts []int, passage int) (part, first int) {
	for part < len(counts)-1 && passage >= first+counts[part] {
		first += counts[part]
		part++
	}
	return part, first
}
