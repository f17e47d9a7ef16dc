package idempotency

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// Schema is the number of the rule by which new fingerprints are computed.
// A change to what is hashed, or to how, is a new rule under a new number;
// the old rule stays in [rules] until the last record that carries its number
// is past its purge time.
//
// Schema 2 came with fields that a request may leave out. A service that knows
// schema 1 alone cannot read such a request; it meets the number of a record
// that it did not write and calls the request neither a repeat nor a mismatch.
const Schema = 2

// rules maps a schema number to its rule.
var rules = map[int]func(*Canonical) [sha256.Size]byte{
	1: sumSchema1,
	2: sumSchema2,
}

// Fingerprint tells a repeat from another request under the same key. Two
// fingerprints are comparable with == only if their schema numbers are equal.
type Fingerprint struct {
	Schema int    // number of the rule
	Sum    string // SHA-256, base64url without padding
}

// For computes the fingerprint of a request by the rule of a schema number,
// usually the one found in a stored record. An unknown number gives a
// [*SchemaError].
func For(schema int, c *Canonical) (Fingerprint, error) {
	rule, known := rules[schema]
	if !known {
		return Fingerprint{}, &SchemaError{Schema: schema}
	}
	sum := rule(c)
	return Fingerprint{Schema: schema, Sum: base64.RawURLEncoding.EncodeToString(sum[:])}, nil
}

// Fingerprint computes the request's fingerprint by the newest rule.
func (c *Canonical) Fingerprint() Fingerprint {
	sum := rules[Schema](c)
	return Fingerprint{Schema: Schema, Sum: base64.RawURLEncoding.EncodeToString(sum[:])}
}

// String returns the stored form, schema and sum: "1:47DEQp…".
func (f Fingerprint) String() string {
	return strconv.Itoa(f.Schema) + ":" + f.Sum
}

// ParseFingerprint reads the form that [Fingerprint.String] writes. It accepts
// schema numbers that this version cannot compute, so that their records can
// still be read.
func ParseFingerprint(text string) (Fingerprint, error) {
	number, sum, found := strings.Cut(text, ":")
	if !found {
		return Fingerprint{}, fmt.Errorf("parse fingerprint: no schema number")
	}
	schema, err := strconv.Atoi(number)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("parse schema number of fingerprint: %w", err)
	}
	if schema < 1 || strconv.Itoa(schema) != number {
		return Fingerprint{}, fmt.Errorf("parse schema number of fingerprint: %q is not written as a positive number", number)
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sum)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("parse sum of fingerprint: %w", err)
	}
	if len(raw) != sha256.Size {
		return Fingerprint{}, fmt.Errorf("parse sum of fingerprint: %d bytes, want %d", len(raw), sha256.Size)
	}
	return Fingerprint{Schema: schema, Sum: sum}, nil
}

// sumSchema1 is the rule of requests whose fields are all there, or have a
// default that is part of the fingerprint. A field that such a request cannot
// have is hashed with the others: it makes another request of it.
func sumSchema1(c *Canonical) [sha256.Size]byte { return labelled("replyonce fingerprint 1", c) }

// sumSchema2 is the rule of requests that may leave fields out: what was left
// out is not there, whatever the service puts in its place.
func sumSchema2(c *Canonical) [sha256.Size]byte { return labelled("replyonce fingerprint 2", c) }

// labelled hashes operation, path parameters and body fields, each group sorted
// by name, every part preceded by its length.
func labelled(label string, c *Canonical) [sha256.Size]byte {
	h := canonicalHash{sha256.New()}
	h.text(label)
	h.text(c.operation)
	h.fields(c.path)
	h.fields(c.body)
	return [sha256.Size]byte(h.Sum(nil))
}
