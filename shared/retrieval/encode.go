package retrieval

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// layoutVersion is the first byte of every part.
const layoutVersion = 2

const (
	hashBytes      = 4
	bucketOverhead = 1 + binary.MaxVarintLen32
	// maxPostings is how many postings a term keeps: with the three bytes that most
	// need at most, half a bucket.
	maxPostings = 650
)

// errDamaged is what decoding ends with when bytes are no part of an index.
var errDamaged = errors.New("the part is damaged")

// header is what the head part says.
type header struct {
	passages int
	buckets  []int // size of each bucket in bytes, rounded up to sizeUnit
	texts    []int // passages in each part of texts
	sieve    sieve
}

// sizeUnit makes the size of a bucket fit a byte.
const sizeUnit = 16

func encodeHead(h header) []byte {
	b := []byte{layoutVersion}
	b = binary.AppendUvarint(b, uint64(h.passages)) //nolint:gosec // counts are not negative
	b = binary.AppendUvarint(b, uint64(len(h.buckets)))
	for _, n := range h.buckets {
		b = append(b, byte((n+sizeUnit-1)/sizeUnit)) //nolint:gosec // at most MaxBucketBytes
	}
	b = binary.AppendUvarint(b, uint64(len(h.texts)))
	for _, n := range h.texts {
		b = binary.AppendUvarint(b, uint64(n)) //nolint:gosec // as above
	}
	return appendString(b, string(h.sieve))
}

func decodeHead(b []byte) (header, error) {
	d := newDecoder(b)
	h := header{passages: d.number()}
	for n := d.number(); n > 0 && !d.damaged; n-- {
		h.buckets = append(h.buckets, sizeUnit*int(d.byte()))
	}
	total := 0
	for n := d.number(); n > 0 && !d.damaged; n-- {
		h.texts = append(h.texts, d.number())
		total += h.texts[len(h.texts)-1]
	}
	h.sieve = sieve(d.text())
	if err := d.end("head"); err != nil {
		return header{}, err
	}
	if total != h.passages || len(h.buckets) == 0 {
		return header{}, fmt.Errorf("decode head: %w", errDamaged)
	}
	return h, nil
}

// encodedSize is the most that a term takes in a bucket.
func encodedSize(t termList) int {
	size := hashBytes + varintSize(t.with) + varintSize(len(t.list))
	before := 0
	for _, p := range t.list {
		size += varintSize(p.passage-before) + 1
		before = p.passage
	}
	return size
}

func varintSize(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// encodeBucket writes terms in the order of their hashes, with the distances
// between passages.
func encodeBucket(terms []termList) []byte {
	b := []byte{layoutVersion}
	b = binary.AppendUvarint(b, uint64(len(terms)))
	for _, t := range terms {
		b = binary.BigEndian.AppendUint32(b, t.hash)
		b = binary.AppendUvarint(b, uint64(t.with)) //nolint:gosec // counts are not negative
		b = binary.AppendUvarint(b, uint64(len(t.list)))
		before := 0
		for _, p := range t.list {
			b = binary.AppendUvarint(b, uint64(p.passage-before)) //nolint:gosec // lists are in order
			b = append(b, p.impact)
			before = p.passage
		}
	}
	return b
}

func decodeBucket(b []byte, passages int) (map[uint32]termList, error) {
	d := newDecoder(b)
	found := make(map[uint32]termList)
	for n := d.number(); n > 0 && !d.damaged; n-- {
		t := termList{hash: d.hash(), with: d.number()}
		at := 0
		for range d.number() {
			if at += d.number(); d.damaged || at >= passages {
				return nil, fmt.Errorf("decode terms: %w", errDamaged)
			}
			t.list = append(t.list, posting{passage: at, impact: d.byte()})
		}
		found[t.hash] = t
	}
	return found, d.end("terms")
}

// pathGap parts the headings of a path; it stands in no text.
const pathGap = "\x00"

// encodeTexts writes passages. Most share their headings with the one before.
func encodeTexts(passages []Passage) []byte {
	b := []byte{layoutVersion}
	b = binary.AppendUvarint(b, uint64(len(passages)))
	path, start, startRune := "", 0, 0
	for _, p := range passages {
		b = appendString(b, p.ID)
		if next := strings.Join(p.Headings, pathGap); next == path {
			b = append(b, 0)
		} else {
			path = next
			b = appendString(append(b, 1), path)
		}
		for _, n := range []int{p.Page, p.Start - start, p.StartRune - startRune} {
			b = binary.AppendUvarint(b, uint64(n)) //nolint:gosec // passages are in order
		}
		start, startRune = p.Start, p.StartRune
		b = appendString(b, p.Text)
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func decodeTexts(b []byte) ([]Passage, error) {
	d := newDecoder(b)
	var passages []Passage
	var path []string
	start, startRune := 0, 0
	for n := d.number(); n > 0 && !d.damaged; n-- {
		p := Passage{ID: d.text()}
		if d.byte() == 1 {
			path = nil
			if joined := d.text(); joined != "" {
				path = strings.Split(joined, pathGap)
			}
		}
		p.Headings, p.Page = path, d.number()
		start += d.number()
		startRune += d.number()
		p.Start, p.StartRune, p.Text = start, startRune, d.text()
		p.End = p.Start + len(p.Text)
		passages = append(passages, p)
	}
	return passages, d.end("texts")
}
