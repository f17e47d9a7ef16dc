package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
)

// maxLine bounds a line of a file; a line holds at most three items without
// texts and a page of the index.
const maxLine = 1 << 20

// ErrFormat says that a text is no history.
var ErrFormat = errors.New("not a history")

// WriteTo writes the history as lines of JSON, the header first.
func (h History) WriteTo(w io.Writer) (int64, error) {
	buffered := bufio.NewWriter(w)
	written := int64(0)
	put := func(v any) error {
		line, err := encodeLine(v)
		if err != nil {
			return err
		}
		n, err := buffered.Write(line)
		written += int64(n)
		return err //nolint:wrapcheck // wrapped below
	}
	if err := put(h.Header); err != nil {
		return written, fmt.Errorf("write history: %w", err)
	}
	for _, e := range h.Events {
		if err := put(e); err != nil {
			return written, fmt.Errorf("write history: %w", err)
		}
	}
	if err := buffered.Flush(); err != nil {
		return written, fmt.Errorf("write history: %w", err)
	}
	return written, nil
}

// Save writes the history to a file.
func (h History) Save(path string) error {
	file, err := os.Create(path) //nolint:gosec // the caller names the file
	if err != nil {
		return fmt.Errorf("save history: %w", err)
	}
	_, err = h.WriteTo(file)
	return errors.Join(err, file.Close())
}

func encodeLine(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode history: %w", err)
	}
	return append(line, '\n'), nil
}

// Load reads a history from a file.
func Load(path string) (History, error) {
	file, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return History{}, fmt.Errorf("load history: %w", err)
	}
	defer func() { _ = file.Close() }()
	return Read(file)
}

// Read reads what WriteTo wrote. Errors that are no faults of the reader wrap
// ErrFormat and name the line.
func Read(r io.Reader) (History, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	var h History
	number := 0
	for lines.Scan() {
		number++
		var err error
		if number == 1 {
			err = h.decodeHeader(lines.Bytes())
		} else {
			err = h.decodeEvent(lines.Bytes())
		}
		if err != nil {
			return History{}, fmt.Errorf("line %d: %w: %w", number, ErrFormat, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return History{}, fmt.Errorf("line %d: %w: longer than %d bytes", number+1, ErrFormat, maxLine)
	case err != nil:
		return History{}, fmt.Errorf("read history: %w", err)
	case number == 0:
		return History{}, fmt.Errorf("%w: empty", ErrFormat)
	}
	return h, nil
}

func (h *History) decodeHeader(line []byte) error {
	if err := decode(line, &h.Header); err != nil {
		return err
	}
	if h.Header.Schema != Schema {
		return fmt.Errorf("schema %d is unknown, this program reads %d", h.Header.Schema, Schema)
	}
	return nil
}

func (h *History) decodeEvent(line []byte) error {
	var e Event
	if err := decode(line, &e); err != nil {
		return err
	}
	if want := int64(len(h.Events)) + 1; e.Seq != want {
		return fmt.Errorf("seq is %d, want %d", e.Seq, want)
	}
	e.At = e.At.UTC()
	if err := e.check(h.Events); err != nil {
		return err
	}
	h.Events = append(h.Events, e)
	return nil
}

func decode(line []byte, v any) error {
	decoder := json.RejectUnknownMembers(true)
	return json.Unmarshal(bytes.TrimSpace(line), v, decoder) //nolint:wrapcheck // wrapped by Read
}
