package textextract

import (
	"context"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// outline shows blocks in one line each: "#" per heading level, "-" for items.
func outline(d Document) string {
	var b strings.Builder
	for _, block := range d.Blocks {
		b.WriteString(strings.Repeat(" ", block.Indent))
		switch block.Kind {
		case textblocks.Heading:
			b.WriteString(strings.Repeat("#", block.Level) + " " + block.Title())
		case textblocks.ListItem:
			b.WriteString(block.Marker.Text + " " + block.Text)
		case textblocks.Paragraph:
			b.WriteString(block.Text)
		case textblocks.Contents:
			b.WriteString("… " + block.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// extract reads a file that has to be readable, and checks where its blocks stand.
func extract(t *testing.T, e Extractor, name string, file []byte) Document {
	t.Helper()
	d, err := e.Extract(t.Context(), File{Name: name, Bytes: file})
	if err != nil {
		t.Fatal(err)
	}
	checkPositions(t, d)
	return d
}

func checkPositions(t *testing.T, d Document) {
	t.Helper()
	end := 0
	for _, b := range d.Blocks {
		if b.Start < end || b.End <= b.Start || b.End > len(d.Text) {
			t.Fatalf("block %q stands at %d–%d after %d in %d bytes", b.Text, b.Start, b.End, end, len(d.Text))
		}
		end = b.End
	}
	for i := 1; i < len(d.Pages); i++ {
		if d.Pages[i] < d.Pages[i-1] || d.Pages[i] > len(d.Text) {
			t.Fatalf("page %d begins at %d after %d", i+1, d.Pages[i], d.Pages[i-1])
		}
	}
}

// reasonOf is why a file was refused.
func reasonOf(t *testing.T, err error) Reason {
	t.Helper()
	refused, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error %v, want an *Error", err)
	}
	return refused.Reason
}

const htmlPage = `<!DOCTYPE html><html><head><title>Rules &amp; more</title><script>var x = "<p>no</p>"</script></head>
<body><nav><a>Home</a></nav><div role="navigation"><div>Up</div></div>
<h1>1. Opening<a class="headerlink" href="#x">¶</a></h1><p>The library
 opens at <b>nine</b>.<p>On Sundays it is closed.
<ul><li>Bring a card<ul><li>or a letter</li></ul><li>Be quiet</ul>
<ol start="3"><li>Third<p>and more</ol>
<table><tr><th>Day</th><th>Hour</th></tr><tr><td>Mo<td>9</table>
<pre>line one
  line two</pre><p hidden>secret</p><p>Bye&nbsp;now</p></body></html>`

func TestFormats(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		content    string
		format     Format
		title      string
		want       string
	}{
		{
			name: "html by content", file: "page", content: htmlPage, format: HTML, title: "Rules & more",
			want: "# 1. Opening\nThe library opens at nine.\nOn Sundays it is closed.\n- Bring a card\n  - or a letter\n- Be quiet\n3. Third\n" +
				"  and more\nDay | Hour\nMo | 9\nline one\n  line two\nBye\u00a0now\n",
		},
		{
			name: "markdown by name", file: "rules.md", format: Markdown, title: "1. Opening",
			content: "# 1. Opening\n\nThe *library* opens\nat nine.\n\n- Bring a card\n  - or a letter\n- Be quiet\n\nHours\n-----\n\n> quoted\n\n```\ncode # no heading\n```\n",
			want:    "# 1. Opening\nThe *library* opens at nine.\n- Bring a card\n  - or a letter\n- Be quiet\n## Hours\nquoted\ncode # no heading\n",
		},
		{
			name: "markdown by content", content: "# One\n\n- a\n- b\n\n[x](y)\n", format: Markdown, title: "One",
			want: "# One\n- a\n- b\n[x](y)\n",
		},
		{
			name: "text with a number sign is no Markdown", file: "notes.txt", content: "# One\n\nTwo", format: PlainText, title: "One",
			want: "# One\nTwo\n",
		},
		{
			name: "text about HTML", file: "a.txt", content: "The tag <p> begins a paragraph.", format: PlainText,
			want: "The tag <p> begins a paragraph.\n",
		},
		{
			name: "text about PDF, named as PDF", file: "a.pdf", content: "Files begin with %PDF-1.7, as said.", format: PlainText,
			want: "Files begin with %PDF-1.7, as said.\n",
		},
		{
			name: "html fragment by name", file: `C:\docs\a.HTM`, content: "Hello <p>one<p>two", format: HTML,
			want: "Hello\none\ntwo\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := extract(t, Extractor{}, test.file, []byte(test.content))
			if d.Format != test.format || d.Title != test.title {
				t.Errorf("format %q, title %q, want %q, %q", d.Format, d.Title, test.format, test.title)
			}
			if got := outline(d); got != test.want {
				t.Errorf("blocks:\n%s\nwant:\n%s", got, test.want)
			}
			if (d.Format == PlainText || d.Format == Markdown) && d.Text != test.content {
				t.Errorf("the text was changed to %q", d.Text)
			}
		})
	}
}

func TestAHugeMarkdownFileIsReadAsText(t *testing.T) {
	t.Parallel()
	file := "# One\n\n" + strings.Repeat("- item\n- other\n\n", 150_000)
	d := extract(t, Extractor{}, "a.md", []byte(file))
	if d.Format != Markdown || len(d.Blocks) != 300_001 || d.Blocks[0].Kind != textblocks.Heading || d.Blocks[1].Kind != textblocks.ListItem {
		t.Errorf("%s with %d blocks, the first %+v", d.Format, len(d.Blocks), d.Blocks[0])
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	const (
		german  = "Die Bücherei öffnet um neun Uhr. Größere Gruppen melden sich „vorher“ an."
		latin   = "Die Bücherei öffnet um neun Uhr. Größere Gruppen melden sich an."
		french  = "La bibliothèque ouvre à neuf heures. Elle reste fermée le dimanche."
		chinese = "图书馆九点开门。星期天关闭。借书期限为三周，可以延长两次。逾期需要付款。"
		korean1 = "도서관은 아홉 시에 문을 엽니다. 일요일에는 닫습니다. 대출 기간은 삼 주입니다."
		japan   = "日本語の文書です。図書館は九時に開きます。日曜日は休みです。貸出は三週間までです。"
	)
	tests := []struct {
		name, text string
		encoding   encoding.Encoding
		want       string
	}{
		{"utf-8", chinese, encoding.Nop, "utf-8"},
		{"utf-8 with mark", german, unicode.UTF8BOM, "utf-8"},
		{"utf-16le", korean1, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le"},
		{"utf-16be", german, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be"},
		{"windows-1252", german, charmap.Windows1252, "windows-1252"},
		{"iso-8859-1", latin, charmap.ISO8859_1, "windows-1252"},
		{"french", french, charmap.Windows1252, "windows-1252"},
		{"short", "Café", charmap.Windows1252, "windows-1252"},
		{"a detector's wild guess", "Größe: 5 m²", charmap.Windows1252, "windows-1252"},
		{"shift_jis", japan, japanese.ShiftJIS, "shift_jis"},
		{"gb18030", chinese, simplifiedchinese.GB18030, "gb18030"},
		{"euc-kr", korean1, korean.EUCKR, "euc-kr"},
		{"euc-jp", japan, japanese.EUCJP, "euc-jp"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file, err := test.encoding.NewEncoder().String(test.text)
			if err != nil {
				t.Fatal(err)
			}
			d := extract(t, Extractor{}, "a.txt", []byte(file))
			if d.Text != test.text || d.Encoding != test.want {
				t.Errorf("%s: %q, want %s: %q", d.Encoding, d.Text, test.want, test.text)
			}
		})
	}
}

func TestDeclaredEncodingOfHTML(t *testing.T) {
	t.Parallel()
	file, err := japanese.ShiftJIS.NewEncoder().String(`<!doctype html><meta charset="shift_jis"><p>図書館`)
	if err != nil {
		t.Fatal(err)
	}
	if d := extract(t, Extractor{}, "", []byte(file)); d.Text != "図書館" || d.Encoding != "shift_jis" {
		t.Errorf("%s: %q", d.Encoding, d.Text)
	}
}

func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	small := DefaultLimits()
	small.FileBytes, small.TextBytes, small.Blocks = 400_000, 100_000, 50
	tests := []struct {
		name, content string
		want          Reason
	}{
		{"nothing", "", NoText},
		{"only space", " \n\t\u00a0\n", NoText},
		{"page without text", "<!doctype html><script>x()</script>", NoText},
		{"picture", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", UnsupportedFormat},
		{"program", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00", UnsupportedFormat},
		{"bytes", strings.Repeat("\x00\x01\x02\x03", 100), UnsupportedFormat},
		{"rich text", `{\rtf1\ansi hello}`, UnsupportedFormat},
		{"older Office file", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 WordDocument", UnsupportedFormat},
		{"encrypted Office file", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 " + string(encryptedPackage), Encrypted},
		{"PDF without an engine", "%PDF-1.7\n", UnsupportedFormat},
		{"file too large", strings.Repeat("word ", 90_000), TooLarge},
		{"text too large", strings.Repeat("word ", 30_000), TooLarge},
		{"file of tags too large", "<!doctype html><p>x<!--" + strings.Repeat("word ", 90_000) + "-->", TooLarge},
		{"text of a page too large", "<!doctype html><p>" + strings.Repeat("word ", 30_000), TooLarge},
		{"too many blocks", strings.Repeat("a\n\n", 60), TooLarge},
		{"deep HTML", "<!doctype html>" + strings.Repeat("<div>", 1000) + "x", TooDeep},
		{"deep quotes", "# a\n\n- b\n- c\n\n" + strings.Repeat(">", 1000) + " x", TooDeep},
		{"broken container", "PK\x03\x04 and no more", Broken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Extractor{Limits: small}.Extract(t.Context(), File{Bytes: []byte(test.content)})
			if got := reasonOf(t, err); got != test.want {
				t.Errorf("reason %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

func TestTheCallersOwnEndIsNotTheFilesFault(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Extractor{}.Extract(ctx, File{Bytes: []byte("text")})
	if refused, blamed := errors.AsType[*Error](err); blamed || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v (%v), want the caller's cancellation", err, refused)
	}
}

func TestTimeOfOneFile(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	limits.Time = 1
	_, err := Extractor{Limits: limits}.Extract(t.Context(), File{Bytes: []byte("text")})
	if got := reasonOf(t, err); got != TimeLimit {
		t.Errorf("reason %s, want %s", got, TimeLimit)
	}
}

func TestEveryReasonHasItsAdvice(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{Reason("other").Advice(): true}
	for _, r := range Reasons() {
		if advice := r.Advice(); seen[advice] || !strings.HasSuffix(advice, ".") {
			t.Errorf("advice of %s: %q", r, advice)
		} else {
			seen[advice] = true
		}
	}
}

func TestAFewNULsBecomeSpaces(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("The library opens at nine. ", 20) + "a\x00b"
	if d := extract(t, Extractor{}, "", []byte(text)); !strings.HasSuffix(d.Text, "a b") {
		t.Errorf("text ends with %q", d.Text[len(d.Text)-5:])
	}
}
