package textextract

import "time"

// Limits bound what one file may cost, whatever is in it.
type Limits struct {
	FileBytes     int           // of the file as uploaded
	InflatedBytes int           // of what is unpacked from a container, all its parts together
	TextBytes     int           // of the text, in UTF-8
	Pages         int           // of a PDF
	Blocks        int           // headings, paragraphs and list items
	Depth         int           // of elements in one another
	Time          time.Duration // for one file, start of an engine included
}

// DefaultLimits are those of the product.
func DefaultLimits() Limits {
	return Limits{
		FileBytes: 50 << 20, InflatedBytes: 100 << 20, TextBytes: 20 << 20,
		Pages: 5000, Blocks: 500_000, Depth: 500, Time: 2 * time.Minute,
	}
}
