package pdfengine

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/replyonce/replyonce/shared/textextract"
)

// request is one file. The bytes of the file follow it.
type request struct {
	Bytes     int `json:"bytes"`
	Pages     int `json:"pages"`      // limit
	TextBytes int `json:"text_bytes"` // limit
}

// answer is one step of what the engine found: a page, the outline, or the end.
type answer struct {
	Page    *textextract.PDFPage     `json:"page,omitempty"`
	Outline []textextract.PDFHeading `json:"outline,omitempty"`
	Done    bool                     `json:"done,omitempty"`
	// Reason and Detail are set when the file has no usable text.
	Reason textextract.Reason `json:"reason,omitempty"`
	Detail string             `json:"detail,omitempty"`
}

// maxFrame bounds one message between the two processes.
const maxFrame = 64 << 20

// writeFrame sends a value with its length before it.
func writeFrame(w *bufio.Writer, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	if len(encoded) > maxFrame {
		return fmt.Errorf("a frame has %d bytes, the limit is %d", len(encoded), maxFrame)
	}
	var length [4]byte
	binary.BigEndian.PutUint32(length[:], uint32(len(encoded))) //nolint:gosec // checked above
	if _, err := w.Write(append(length[:], encoded...)); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

// readFrame receives a value. io.EOF before the first byte stays itself.
func readFrame(r io.Reader, value any) error {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return err //nolint:wrapcheck // io.EOF has to stay itself
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxFrame {
		return fmt.Errorf("a frame has %d bytes, the limit is %d", n, maxFrame)
	}
	encoded := make([]byte, n)
	if _, err := io.ReadFull(r, encoded); err != nil {
		return fmt.Errorf("read frame: %w", err)
	}
	if err := json.Unmarshal(encoded, value); err != nil {
		return fmt.Errorf("decode frame: %w", err)
	}
	return nil
}
