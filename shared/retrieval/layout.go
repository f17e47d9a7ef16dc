package retrieval

import (
	"fmt"
	"slices"
)

// PartKind is one of the three kinds of parts of an index.
type PartKind string

// Kinds of parts.
const (
	Head  PartKind = "H" // one: how many passages, buckets and texts there are
	Terms PartKind = "T" // buckets of terms by their hash, with postings
	Texts PartKind = "X" // passages with text, headings, page and position
)

// Key names a part within the index of one version.
type Key struct {
	Kind   PartKind
	Number int // from 0
}

// String is the key as a store's sort keys have it: parts of a kind sort by number.
func (k Key) String() string { return fmt.Sprintf("%s%06d", k.Kind, k.Number) }

// Part is one item of an index. The same passages always give the same parts.
type Part struct {
	Key   Key
	Bytes []byte
}

// Sizes of parts, in bytes. Four kilobytes are what DynamoDB reads for one unit,
// and writing pays by the kilobyte, however parts are cut.
const (
	MaxBucketBytes = 4000
	MaxTextBytes   = 4000
	targetBucket   = 1800
	// maxBuckets bounds the search for a number of buckets that all fit.
	maxBuckets = 1 << 16
)

// Build makes the index of a version's passages.
func Build(passages []Passage) []Part {
	texts, counts := textParts(passages)
	lists := postings(passages)
	buckets := termBuckets(lists)
	h := header{passages: len(passages), texts: counts, sieve: newSieve(lists)}
	for _, b := range buckets {
		h.buckets = append(h.buckets, len(b))
	}
	parts := []Part{{Key: Key{Kind: Head}, Bytes: encodeHead(h)}}
	for i, b := range buckets {
		parts = append(parts, Part{Key: Key{Kind: Terms, Number: i}, Bytes: b})
	}
	for i, b := range texts {
		parts = append(parts, Part{Key: Key{Kind: Texts, Number: i}, Bytes: b})
	}
	return parts
}

// termList is a term with its postings, as a bucket has it.
type termList struct {
	hash uint32
	// with is in how many passages the term is, even when only the strongest
	// postings are kept.
	with int
	list []posting
}

// termBuckets spreads the terms over buckets that all fit, each encoded. A list
// that is longer than half a bucket keeps its strongest postings: a term that is in
// so many passages tells little about each.
func termBuckets(lists map[uint32][]posting) [][]byte {
	terms := make([]termList, 0, len(lists))
	total := 0
	for hash, list := range lists {
		t := termList{hash: hash, with: len(list), list: strongest(list, maxPostings)}
		total += encodedSize(t)
		terms = append(terms, t)
	}
	slices.SortFunc(terms, func(a, b termList) int {
		if a.hash < b.hash {
			return -1
		}
		return 1
	})
	n := max(1, (total+targetBucket-1)/targetBucket)
	for ; n < maxBuckets && !allFit(terms, n); n += max(1, n/8) {
	}
	buckets := make([][]termList, n)
	for _, t := range terms {
		at := bucketOf(t.hash, n)
		buckets[at] = append(buckets[at], t)
	}
	encoded := make([][]byte, n)
	for i := range buckets {
		encoded[i] = encodeBucket(fitted(buckets[i]))
	}
	return encoded
}

func bucketOf(hash uint32, buckets int) int { return int(uint64(hash) * uint64(buckets) >> 32) } //nolint:gosec // less than buckets

func allFit(terms []termList, n int) bool {
	sizes := make([]int, n)
	for _, t := range terms {
		at := bucketOf(t.hash, n)
		if sizes[at] += encodedSize(t); sizes[at] > MaxBucketBytes-bucketOverhead {
			return false
		}
	}
	return true
}

// fitted shortens the longest lists of a bucket that is too large. That happens
// only to texts whose words were chosen to share a bucket.
func fitted(bucket []termList) []termList {
	for {
		size, longest := bucketOverhead, 0
		for i, t := range bucket {
			size += encodedSize(t)
			if len(t.list) > len(bucket[longest].list) {
				longest = i
			}
		}
		if size <= MaxBucketBytes {
			return bucket
		}
		if n := len(bucket[longest].list); n > 1 {
			bucket[longest].list = strongest(bucket[longest].list, n/2)
		} else {
			bucket = bucket[:len(bucket)-1]
		}
	}
}

// textParts packs passages, in order, into parts that fit, and tells how many each
// has.
func textParts(passages []Passage) (parts [][]byte, counts []int) {
	from := 0
	for from < len(passages) {
		to := from + 1
		encoded := encodeTexts(passages[from:to])
		for to < len(passages) {
			more := encodeTexts(passages[from : to+1])
			if len(more) > MaxTextBytes {
				break
			}
			encoded, to = more, to+1
		}
		parts, counts = append(parts, encoded), append(counts, to-from)
		from = to
	}
	return parts, counts
}
