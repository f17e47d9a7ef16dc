package pdfengine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"

	"github.com/replyonce/replyonce/shared/textextract"
)

// maxFile is what the engine accepts, above every limit of the product.
const maxFile = 1 << 30

// Process is an engine in a process of its own, which is started for the first PDF
// file, kept for the next ones, and killed when a file takes too long or the
// engine misbehaves. It reads one file at a time.
type Process struct {
	// Command starts the engine; nil starts this program's own binary, whose main
	// calls RunIfAsked.
	Command func() (*exec.Cmd, error)
	// CacheDir keeps the compiled engine, so that a later start takes a tenth of a
	// second. Whoever can write there can run code in the engine's process; empty
	// keeps nothing.
	CacheDir string

	mu      sync.Mutex
	running *child
}

type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

var _ textextract.PDFEngine = (*Process)(nil)

// ReadPDF takes a file apart. When ctx ends, the engine is killed at once; the
// error then wraps the context's cause.
func (p *Process) ReadPDF(ctx context.Context, file []byte, limits textextract.Limits) (textextract.PDFContent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return textextract.PDFContent{}, context.Cause(ctx)
	}
	kept := p.running != nil
	content, err := p.read(ctx, file, limits)
	if err != nil && kept && p.running == nil && ctx.Err() == nil {
		// The engine had read other files before, and may have broken on one of them.
		// Only one that was started for this file may blame it.
		return p.read(ctx, file, limits)
	}
	return content, err
}

// read reads a file with the engine that runs, or starts one. An engine that
// misbehaves is ended.
func (p *Process) read(ctx context.Context, file []byte, limits textextract.Limits) (textextract.PDFContent, error) {
	c, err := p.started()
	if err != nil {
		return textextract.PDFContent{}, fmt.Errorf("start PDF engine: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	content, err := c.ask(file, limits)
	if !stop() {
		// The kill is under way, even if the answer came first.
		p.end()
		if err == nil {
			return content, nil
		}
		return textextract.PDFContent{}, fmt.Errorf("read PDF: %w (%w)", context.Cause(ctx), err)
	}
	if _, blamed := errors.AsType[*textextract.Error](err); err != nil && !blamed {
		// The engine died or answered nonsense.
		p.end()
		return textextract.PDFContent{}, &textextract.Error{Reason: textextract.Broken, Err: fmt.Errorf("the PDF engine ended: %w", err)}
	}
	return content, err
}

// Close ends the engine, if one runs.
func (p *Process) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *Process) end() {
	if p.running == nil {
		return
	}
	_ = p.running.cmd.Process.Kill()
	_ = p.running.cmd.Wait() // it was killed: its status says nothing
	p.running = nil
}

func (p *Process) started() (*child, error) {
	if p.running != nil {
		return p.running, nil
	}
	command := p.Command
	if command == nil {
		command = p.ownBinary
	}
	cmd, err := command()
	if err != nil {
		return nil, err
	}
	cmd.Env = []string{} // the engine needs none, and the function's has credentials
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	p.running = &child{cmd: cmd, in: in, out: bufio.NewReader(out)}
	return p.running, nil
}

func (p *Process) ownBinary() (*exec.Cmd, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find own binary: %w", err)
	}
	arguments := []string{Argument}
	if p.CacheDir != "" {
		arguments = append(arguments, p.CacheDir)
	}
	return exec.Command(binary, arguments...), nil //nolint:noctx,gosec // our own binary, which outlives one file and so one context
}

func (c *child) ask(file []byte, limits textextract.Limits) (textextract.PDFContent, error) {
	w := bufio.NewWriter(c.in)
	if err := writeFrame(w, request{Bytes: len(file), Pages: limits.Pages, TextBytes: limits.TextBytes}); err != nil {
		return textextract.PDFContent{}, err
	}
	if _, err := w.Write(file); err != nil {
		return textextract.PDFContent{}, fmt.Errorf("send file: %w", err)
	}
	if err := w.Flush(); err != nil {
		return textextract.PDFContent{}, fmt.Errorf("send file: %w", err)
	}
	return c.receive(limits)
}

// receive collects the steps and holds them to the limits once more: the engine
// has read a file that nobody trusts.
func (c *child) receive(limits textextract.Limits) (textextract.PDFContent, error) {
	var content textextract.PDFContent
	total := 0
	for {
		var step answer
		if err := readFrame(c.out, &step); err != nil {
			return textextract.PDFContent{}, fmt.Errorf("receive: %w", err)
		}
		switch {
		case step.Reason != "":
			return textextract.PDFContent{}, &textextract.Error{Reason: step.Reason, Err: errors.New(step.Detail)}
		case step.Done:
			return content, nil
		case step.Page != nil:
			content.Pages = append(content.Pages, *step.Page)
			total += len(step.Page.Text)
		default:
			content.Outline = append(content.Outline, step.Outline...)
		}
		if len(content.Pages) > limits.Pages || total > limits.TextBytes {
			return textextract.PDFContent{}, errors.New("the engine sent more than it was asked for")
		}
	}
}
