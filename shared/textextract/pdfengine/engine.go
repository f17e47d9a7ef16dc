package pdfengine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/replyonce/replyonce/shared/textextract"
)

const (
	// memoryPages is the engine's memory in pages of 64 KiB: 512 MiB. A file that
	// needs more ends the engine's instance, not the process.
	memoryPages = 8192
	// instanceWait is how long a new instance may take; they take milliseconds.
	instanceWait  = 30 * time.Second
	maxLabelBytes = 32
)

// engine is PDFium, compiled to WebAssembly, in this process. It sees no files
// and no network; a call cannot be interrupted, which is why it has a process of
// its own.
type engine struct{ pool pdfium.Pool }

// newEngine compiles the engine; cacheDir, if not empty, keeps the result for the
// next start.
func newEngine(ctx context.Context, cacheDir string) (*engine, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryPages).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling)
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return nil, fmt.Errorf("open compilation cache: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	pool, err := webassembly.Init(webassembly.Config{
		Context: ctx, MaxIdle: 1, MaxTotal: 1, RuntimeConfig: config,
		FSConfig: wazero.NewFSConfig(), // empty: the library's default is the whole disk
		Stdout:   io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("compile PDF engine: %w", err)
	}
	// Compiling takes some 300 MB that are not needed again.
	debug.FreeOSMemory()
	return &engine{pool: pool}, nil
}

// failed reports a file without usable text.
func failed(reason textextract.Reason, format string, arguments ...any) *textextract.Error {
	return &textextract.Error{Reason: reason, Err: fmt.Errorf(format, arguments...)}
}

// read takes a file apart in an instance of its own and tells what it finds, step
// by step. The instance is thrown away: a hostile file may have damaged it.
func (e *engine) read(file []byte, r request, tell func(answer) error) (err error) {
	instance, err := e.pool.GetInstance(instanceWait)
	if err != nil {
		return fmt.Errorf("start instance: %w", err)
	}
	defer func() {
		// A trap of the engine arrives as an error or as a panic of the library.
		if p := recover(); p != nil {
			err = failed(textextract.Broken, "the engine stopped: %v", p)
			_ = instance.Kill()
			return
		}
		_ = instance.Close()
	}()
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &file})
	if err != nil {
		return openFailure(err)
	}
	document := reader{pdfium: instance, document: opened.Document, request: r, tell: tell}
	return document.read()
}

func openFailure(err error) error {
	if errors.Is(err, pdfiumerrors.ErrPassword) || errors.Is(err, pdfiumerrors.ErrSecurity) {
		return failed(textextract.Encrypted, "open: %w", err)
	}
	return failed(textextract.Broken, "open: %w", err)
}

// reader reads one document.
type reader struct {
	pdfium   pdfium.Pdfium
	document references.FPDF_DOCUMENT
	request  request
	tell     func(answer) error
}

func (r *reader) read() error {
	count, err := r.pdfium.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: r.document})
	if err != nil {
		return failed(textextract.Broken, "count pages: %w", err)
	}
	switch {
	case count.PageCount <= 0:
		return failed(textextract.Broken, "the file has no pages")
	case count.PageCount > r.request.Pages:
		return failed(textextract.TooManyPages, "the file has %d pages, the limit is %d", count.PageCount, r.request.Pages)
	}
	if err := r.tell(answer{Outline: r.outline(count.PageCount)}); err != nil {
		return err
	}
	return r.pages(count.PageCount)
}

// pages tells every page. A page that cannot be read is told as empty as long as
// others can: one bad picture should not cost a book.
func (r *reader) pages(count int) error {
	total, unreadable := 0, 0
	var last error
	for i := range count {
		page := textextract.PDFPage{Label: r.label(i)}
		got, err := r.pdfium.GetPageText(&requests.GetPageText{
			Page: requests.Page{ByIndex: &requests.PageByIndex{Document: r.document, Index: i}},
		})
		if err != nil {
			unreadable++
			last = err
		} else {
			page.Text = strings.ReplaceAll(strings.ToValidUTF8(got.Text, "\uFFFD"), "\r\n", "\n")
		}
		if total += len(page.Text); total > r.request.TextBytes {
			return failed(textextract.TooLarge, "the text has more than %d bytes", r.request.TextBytes)
		}
		if err := r.tell(answer{Page: &page}); err != nil {
			return err
		}
	}
	if unreadable == count {
		return failed(textextract.Broken, "none of %d pages can be read: %w", count, last)
	}
	return nil
}

func (r *reader) label(page int) string {
	got, err := r.pdfium.FPDF_GetPageLabel(&requests.FPDF_GetPageLabel{Document: r.document, Page: page})
	if err != nil || len(got.Label) > maxLabelBytes {
		return ""
	}
	return got.Label
}
