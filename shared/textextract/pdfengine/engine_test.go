package pdfengine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/textextract"
	"github.com/replyonce/replyonce/shared/textextract/realdocs"
	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// hang is the argument of a process that takes a file and never answers, dead of
// one that ends in the middle of its answer, loud of one that says too much, and
// calm of one that says of every file that it has no pages.
const (
	calm = "calm"
	hang = "hang"
	dead = "dead"
	loud = "loud"
)

func TestMain(m *testing.M) {
	RunIfAsked()
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case hang:
			for { //nolint:staticcheck // as a loop in the engine would
			}
		case calm:
			os.Stdout.WriteString("\x00\x00\x00\x0d{\"done\":true}")
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		case dead:
			fmt.Print("\x00\x00\x00\xff{")
			os.Exit(1)
		case loud:
			os.Stdout.Write(bytes.Repeat([]byte("\x00\x00\x00\x10{\"page\":{}     }"), 100))
			os.Stdout.WriteString("\x00\x00\x00\x0d{\"done\":true}")
			os.Exit(0)
		}
	}
	status := m.Run()
	shared.Close()
	os.Exit(status)
}

// shared is one engine for the tests that need a real one: compiling it is what
// takes long.
var shared = &Process{}

func acting(as string) *Process {
	return &Process{Command: func() (*exec.Cmd, error) { return exec.Command(os.Args[0], as), nil }}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func reasonOf(t *testing.T, err error) textextract.Reason {
	t.Helper()
	refused, blamed := errors.AsType[*textextract.Error](err)
	if !blamed {
		t.Fatalf("error %v, want an *Error", err)
	}
	return refused.Reason
}

// pdf writes a file by hand: catalog is its first object, the others follow.
func pdf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, 0, len(objects))
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

const (
	catalog = "<< /Type /Catalog /Pages 2 0 R >>"
	font    = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
	pageFmt = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>"
)

func stream(content string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
}

// manyPages has n pages that are one object: a small file that goes on and on.
func manyPages(n int) []byte {
	return pdf(catalog, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Repeat("4 0 R ", n), n), font,
		fmt.Sprintf(pageFmt, 5), stream("BT /F1 12 Tf 72 720 Td (Again) Tj ET"))
}

func TestEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("the engine is left out of short runs: compiling it takes seconds")
	}
	limits := textextract.DefaultLimits()
	limits.Pages, limits.TextBytes = 300, 600_000
	extractor := textextract.Extractor{Limits: limits, PDF: shared}
	t.Run("pages", func(t *testing.T) {
		d, err := extractor.Extract(t.Context(), textextract.File{Bytes: read(t, "small.pdf")})
		if err != nil || d.Text != "The library opens at nine.\n\nIt closes at five." || len(d.Pages) != 2 {
			t.Errorf("%q, pages %v, %v", d.Text, d.Pages, err)
		}
	})
	for _, test := range hostileFiles(t) {
		t.Run(test.name, func(t *testing.T) {
			_, err := extractor.Extract(t.Context(), textextract.File{Bytes: test.file})
			if got := reasonOf(t, err); got != test.want {
				t.Errorf("reason %s (%v), want %s", got, err, test.want)
			}
		})
	}
	t.Run("text limit", func(t *testing.T) {
		small := extractor
		small.Limits.TextBytes = 20
		_, err := small.Extract(t.Context(), textextract.File{Bytes: read(t, "small.pdf")})
		if got := reasonOf(t, err); got != textextract.TooLarge {
			t.Errorf("reason %s, want %s", got, textextract.TooLarge)
		}
	})
	t.Run("damaged", func(t *testing.T) { damageFiles(t, extractor) })
	t.Run("real", func(t *testing.T) { checkPolicy(t, extractor) })
}

type hostile struct {
	name string
	file []byte
	want textextract.Reason
}

func hostileFiles(t *testing.T) []hostile {
	t.Helper()
	return []hostile{
		{"encrypted", read(t, "encrypted.pdf"), textextract.Encrypted},
		{"cut", read(t, "small.pdf")[:200], textextract.Broken},
		{"header only", []byte("%PDF-1.7\n"), textextract.Broken},
		{"scanned", pdf(catalog, "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", font, fmt.Sprintf(pageFmt, 5), stream("0 0 m 9 9 l S")), textextract.NoText},
		{"no pages", pdf(catalog, "<< /Type /Pages /Kids [] /Count 0 >>"), textextract.Broken},
		{"too many pages", manyPages(301), textextract.TooManyPages},
		{"pages in a circle", pdf(catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>"), textextract.Broken},
		{"bookmarks in a circle", pdf("<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", font,
			fmt.Sprintf(pageFmt, 5), stream(""), "<< /First 7 0 R /Last 7 0 R >>", "<< /Title (A) /Parent 6 0 R /Next 7 0 R /First 7 0 R >>"), textextract.NoText},
	}
}

func checkPolicy(t *testing.T, extractor textextract.Extractor) {
	t.Helper()
	start := time.Now()
	d, err := extractor.Extract(t.Context(), textextract.File{Name: "policy.pdf", Bytes: realdocs.Read(t, "policy.pdf")})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("policy.pdf in a warm engine: %s", time.Since(start))
	headings := make(map[string]string)
	for _, b := range d.Blocks {
		if b.Kind == textblocks.Heading {
			headings[b.Title()] = fmt.Sprintf("level %d, page %d", b.Level, d.Page(b.Start))
		}
	}
	if len(d.Pages) != 193 || len(headings) < 330 {
		t.Errorf("%d pages, %d headings", len(d.Pages), len(headings))
	}
	for title, want := range map[string]string{
		"1.1 Scope": "level 2, page 13", "3.2.1 Version numbers based on dates": "level 3, page 24", "SOURCE PACKAGES": "level 1, page 29",
	} {
		if headings[title] != want {
			t.Errorf("%q: %q, want %q", title, headings[title], want)
		}
	}
	for _, running := range []string{"Debian Policy Manual, Release", "14 Chapter 3", "Alioth-\nlists"} {
		if n := strings.Count(d.Text, running); n > 0 {
			t.Errorf("%q is there %d times", running, n)
		}
	}
	if !strings.Contains(d.Text, "will not necessarily render a package unsuitable for distribution.") {
		t.Error("a word that was parted at the end of its line is not whole")
	}
}

func TestAHangingEngineIsStopped(t *testing.T) {
	t.Parallel()
	p := acting(hang)
	defer p.Close()
	limits := textextract.DefaultLimits()
	limits.Time = 300 * time.Millisecond
	// More than a pipe holds, so that sending hangs too.
	file := append([]byte("%PDF-1.7\n"), make([]byte, 1<<20)...)
	for range 2 {
		_, err := textextract.Extractor{Limits: limits, PDF: p}.Extract(t.Context(), textextract.File{Bytes: file})
		if got := reasonOf(t, err); got != textextract.TimeLimit {
			t.Errorf("reason %s (%v), want %s", got, err, textextract.TimeLimit)
		}
		if p.running != nil {
			t.Fatal("the engine still runs")
		}
	}
}

func TestAnEngineThatEndsIsReplaced(t *testing.T) {
	t.Parallel()
	for _, as := range []string{dead, loud} {
		p := acting(as)
		limits := textextract.DefaultLimits()
		limits.Pages = 50
		_, err := p.ReadPDF(t.Context(), []byte("%PDF-1.7\n"), limits)
		if got := reasonOf(t, err); got != textextract.Broken || p.running != nil {
			t.Errorf("%s: reason %s (%v), running %v", as, got, err, p.running)
		}
	}
}

// A file breaks the engine after it was answered; the next file is not to blame.
func TestAnEngineThatAnotherFileBrokeIsReplaced(t *testing.T) {
	t.Parallel()
	p := acting(dead)
	defer p.Close()
	if _, err := p.started(); err != nil {
		t.Fatal(err)
	}
	p.Command = acting(calm).Command
	if _, err := p.ReadPDF(t.Context(), pdf("<< >>"), textextract.DefaultLimits()); err != nil {
		t.Errorf("the second file: %v", err)
	}
	p = acting(dead)
	if _, err := p.ReadPDF(t.Context(), pdf("<< >>"), textextract.DefaultLimits()); err == nil || reasonOf(t, err) != textextract.Broken {
		t.Errorf("a file that broke the engine started for it: %v", err)
	}
}

func TestAnEngineThatCannotBeStartedIsNotTheFilesFault(t *testing.T) {
	t.Parallel()
	p := &Process{Command: func() (*exec.Cmd, error) { return exec.Command("/does/not/exist"), nil }}
	_, err := p.ReadPDF(t.Context(), nil, textextract.DefaultLimits())
	if _, blamed := errors.AsType[*textextract.Error](err); err == nil || blamed {
		t.Errorf("error %v, want one of the machine", err)
	}
}

func TestTheCallersEndStopsTheEngine(t *testing.T) {
	t.Parallel()
	p := acting(hang)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the lease is over")
	time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	_, err := p.ReadPDF(ctx, []byte("%PDF-1.7\n"), textextract.DefaultLimits())
	if !errors.Is(err, cause) || p.running != nil {
		t.Errorf("error %v, want the caller's cause", err)
	}
	if _, err := p.ReadPDF(ctx, nil, textextract.DefaultLimits()); !errors.Is(err, cause) || p.running != nil {
		t.Errorf("error %v, want the caller's cause and no new engine", err)
	}
}

func TestTheEngineSeesNoCredentials(t *testing.T) {
	t.Parallel()
	p := acting(hang)
	defer p.Close()
	c, err := p.started()
	if err != nil || c.cmd.Env == nil || len(c.cmd.Env) > 0 {
		t.Errorf("environment %q, error %v, want none of both", c.cmd.Env, err)
	}
}

// damageFiles changes bytes of files at random and has the engine read them. PDFium
// is fuzzed by its makers; here it is seen that whatever it does with a file ends in
// a document or in a reason, and that the next file is read. (A fuzz target would
// spend its time on compiling the engine in each of its processes.)
func damageFiles(t *testing.T, extractor textextract.Extractor) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	reasons := make(map[textextract.Reason]int)
	for range 500 {
		file := bytes.Clone([][]byte{read(t, "small.pdf"), read(t, "encrypted.pdf"), manyPages(3)}[random.IntN(3)])
		for range 1 + random.IntN(8) {
			at := len("%PDF-1.4\n") + random.IntN(len(file)-len("%PDF-1.4\n"))
			switch random.IntN(3) {
			case 0:
				file[at] = byte(random.UintN(256))
			case 1:
				file[at] = "0123456789 <>[]/R"[random.IntN(17)]
			case 2:
				file = append(file[:at], file[min(len(file)-1, at+random.IntN(20)):]...)
			}
		}
		if _, err := extractor.Extract(t.Context(), textextract.File{Bytes: file}); err != nil {
			reasons[reasonOf(t, err)]++
		}
	}
	t.Logf("reasons of 500 damaged files: %v", reasons)
	if reasons[textextract.TimeLimit] > 0 {
		t.Error("a few hundred bytes took the whole time")
	}
}

// FuzzReadFrame: whatever arrives, a frame is read or refused.
func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Add([]byte("\x00\x00\x00\x09{\"page\":"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		var a answer
		_ = readFrame(bytes.NewReader(b), &a)
	})
}
