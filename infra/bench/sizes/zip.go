// Package sizes measures what the functions weigh: the zip that is uploaded for
// each, what it unpacks to, and how long its initialisation takes under the
// official runtime interface emulator.
package sizes

import (
	"archive/zip"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"time"
)

// Limits of zips, in bytes.
const (
	usualLimit = 6_000_000
	// indexerLimit: PDFium as WebAssembly takes more than half of it. Nobody waits for
	// that program's start as they do for a reply's, and the engine starts with the
	// first PDF file only.
	indexerLimit = 10_500_000
)

// Limit is what the zip of a program may have at most, in bytes.
func Limit(program string) int64 {
	if program == "indexer" {
		return indexerLimit
	}
	return usualLimit
}

// Zip is the deployment package of a program.
type Zip struct {
	Program  string `json:"program"`
	Zipped   int64  `json:"zip_bytes"`
	Unzipped int64  `json:"unzipped_bytes"`
}

// Pack zips the binary of a function as it is uploaded, writes nothing, and
// measures. Equal binaries give equal zips: the time in it is fixed.
func Pack(program, binary string) (Zip, error) {
	z := Zip{Program: program}
	packed := &counter{}
	var err error
	if z.Unzipped, err = writeZip(packed, binary); err != nil {
		return Zip{}, fmt.Errorf("zip %s: %w", program, err)
	}
	z.Zipped = packed.n
	return z, nil
}

// Broken lists the zips that are too large, in words.
func Broken(zips []Zip) []string {
	var broken []string
	for _, z := range zips {
		if limit := Limit(z.Program); z.Zipped > limit {
			broken = append(broken, fmt.Sprintf("the zip of %s has %d bytes, at most %d are allowed", z.Program, z.Zipped, limit))
		}
	}
	return broken
}

func writeZip(w io.Writer, binary string) (unzipped int64, err error) {
	in, err := os.Open(binary) //nolint:gosec // a program of ours
	if err != nil {
		return 0, fmt.Errorf("open binary: %w", err)
	}
	defer func() { _ = in.Close() }() // only read
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	// The name and the mode are what the runtime asks for.
	header := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate, Modified: time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(0o755)
	out, err := archive.CreateHeader(header)
	if err != nil {
		return 0, fmt.Errorf("add binary: %w", err)
	}
	if unzipped, err = io.Copy(out, in); err != nil {
		return 0, fmt.Errorf("compress binary: %w", err)
	}
	if err := archive.Close(); err != nil {
		return 0, fmt.Errorf("end zip: %w", err)
	}
	return unzipped, nil
}

// counter counts what is written to it.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
