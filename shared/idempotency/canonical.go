package idempotency

import (
	"cmp"
	"encoding/binary"
	"hash"
	"slices"
	"strconv"
)

// Canonical collects what a request asks for: the operation, the path
// parameters and the decoded body. Only what the caller sent belongs in it,
// never a value that the server looked up, because that may change between
// two sends of the same request.
//
// The order in which values are added does not matter. Values are taken as
// they are: the order of a list and the Unicode form of a text make a
// difference, the key order and white space of the JSON they came in do not.
//
// A Canonical is built by one goroutine and read-only afterwards.
type Canonical struct {
	operation string
	path      []field
	body      []field
}

// field is one named value; kind keeps "1" and 1, or "a" and ["a"], apart.
type field struct {
	name   string
	kind   string
	values []string
}

const (
	kindString  = "string"
	kindInteger = "integer"
	kindList    = "list"
)

// NewCanonical starts the description of a request for an operation, for
// instance "submit". Operation names are part of stored data: they never
// change once they are in use.
func NewCanonical(operation string) *Canonical {
	return &Canonical{operation: operation}
}

// Path adds a path parameter. A name is used once per request.
func (c *Canonical) Path(name, value string) *Canonical {
	c.path = append(c.path, field{name, kindString, []string{value}})
	return c
}

// String adds a text of the body, byte for byte. A field that may be absent
// and has no default is added only when it is there: absent and empty differ.
func (c *Canonical) String(name, value string) *Canonical {
	c.body = append(c.body, field{name, kindString, []string{value}})
	return c
}

// Optional adds a text of the body that may be left out: nothing for nil.
func (c *Canonical) Optional(name string, value *string) *Canonical {
	if value == nil {
		return c
	}
	return c.String(name, *value)
}

// Integer adds a whole number of the body.
func (c *Canonical) Integer(name string, value int64) *Canonical {
	c.body = append(c.body, field{name, kindInteger, []string{strconv.FormatInt(value, 10)}})
	return c
}

// List adds a list of texts of the body, in its order.
func (c *Canonical) List(name string, values []string) *Canonical {
	c.body = append(c.body, field{name, kindList, slices.Clone(values)})
	return c
}

// canonicalHash feeds a hash so that no two different inputs feed it the same
// bytes: every text is preceded by its length, every group by its count.
type canonicalHash struct {
	hash.Hash
}

func (h canonicalHash) count(n int) {
	var prefix [8]byte
	binary.BigEndian.PutUint64(prefix[:], uint64(n)) //nolint:gosec // a length is never negative
	h.Write(prefix[:])
}

func (h canonicalHash) text(s string) {
	h.count(len(s))
	h.Write([]byte(s))
}

func (h canonicalHash) fields(fields []field) {
	sorted := slices.SortedStableFunc(slices.Values(fields), func(a, b field) int {
		return cmp.Compare(a.name, b.name)
	})
	h.count(len(sorted))
	for _, f := range sorted {
		h.text(f.name)
		h.text(f.kind)
		h.count(len(f.values))
		for _, value := range f.values {
			h.text(value)
		}
	}
}
