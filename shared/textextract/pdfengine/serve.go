package pdfengine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/replyonce/replyonce/shared/textextract"
)

// Argument is the first argument of a process that is to be an engine.
const Argument = "pdf-engine"

// maxStack is the most that one goroutine of the engine may need.
const maxStack = 64 << 20

// RunIfAsked turns this process into an engine, and does not return, when its
// first argument says so. A program whose own binary is the engine's calls it
// first in main.
func RunIfAsked() {
	if len(os.Args) < 2 || os.Args[1] != Argument {
		return
	}
	// A recursion that a file sets off ends early, before it takes the machine's
	// memory.
	debug.SetMaxStack(maxStack)
	cacheDir := ""
	if len(os.Args) > 2 {
		cacheDir = os.Args[2]
	}
	if err := serve(context.Background(), os.Stdin, os.Stdout, cacheDir); err != nil {
		fmt.Fprintln(os.Stderr, "pdf engine:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve answers requests until the other side closes.
func serve(ctx context.Context, in io.Reader, out io.Writer, cacheDir string) error {
	e, err := newEngine(ctx, cacheDir)
	if err != nil {
		return err
	}
	r, w := bufio.NewReader(in), bufio.NewWriter(out)
	for {
		var next request
		if err := readFrame(r, &next); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if next.Bytes < 0 || next.Bytes > maxFile {
			return fmt.Errorf("a file has %d bytes, the limit is %d", next.Bytes, maxFile)
		}
		file := make([]byte, next.Bytes)
		if _, err := io.ReadFull(r, file); err != nil {
			return fmt.Errorf("receive file: %w", err)
		}
		if err := answerOne(e, file, next, w); err != nil {
			return err
		}
	}
}

func answerOne(e *engine, file []byte, r request, w *bufio.Writer) error {
	last := answer{Done: true}
	err := e.read(file, r, func(a answer) error { return writeFrame(w, a) })
	if fault, blamed := errors.AsType[*textextract.Error](err); blamed {
		last.Reason, last.Detail = fault.Reason, fault.Err.Error()
	} else if err != nil {
		return err
	}
	if err := writeFrame(w, last); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return nil
}
