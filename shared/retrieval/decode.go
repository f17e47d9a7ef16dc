package retrieval

import (
	"encoding/binary"
	"fmt"
)

// maxNumber bounds every number in a part, so that sums of them stay small.
const maxNumber = 1 << 31

// decoder reads a part. After the first damage everything reads as zero.
type decoder struct {
	rest    []byte
	damaged bool
}

func newDecoder(b []byte) *decoder {
	d := &decoder{rest: b}
	if d.byte() != layoutVersion {
		d.damaged = true
	}
	return d
}

func (d *decoder) byte() byte {
	if d.damaged || len(d.rest) == 0 {
		d.damaged = true
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) number() int {
	n, size := binary.Uvarint(d.rest)
	if d.damaged || size <= 0 || n >= maxNumber {
		d.damaged = true
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

func (d *decoder) hash() uint32 {
	if d.damaged || len(d.rest) < hashBytes {
		d.damaged = true
		return 0
	}
	h := binary.BigEndian.Uint32(d.rest)
	d.rest = d.rest[hashBytes:]
	return h
}

func (d *decoder) text() string {
	n := d.number()
	if d.damaged || n > len(d.rest) {
		d.damaged = true
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

// end says whether everything was read, and nothing was left.
func (d *decoder) end(part string) error {
	if d.damaged || len(d.rest) > 0 {
		return fmt.Errorf("decode %s: %w", part, errDamaged)
	}
	return nil
}
