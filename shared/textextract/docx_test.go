package textextract

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

const (
	wordNS    = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	rels      = `<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document2.xml"/></Relationships>`
	docStyles = `<w:styles ` + wordNS + `><w:style w:styleId="T"><w:name w:val="Title"/></w:style>
<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:styleId="Lvl"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`
)

func zipped(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func wordBody(content string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><w:document ` + wordNS + `><w:body>` + content + `</w:body></w:document>`
}

func styled(style, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:pStyle w:val="%s"/></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, style, text)
}

func listed(level int, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, level, text)
}

func cell(text string) string { return `<w:tc>` + styled("", text) + `</w:tc>` }

func TestDOCX(t *testing.T) {
	t.Parallel()
	body := styled("T", "House rules") + styled("berschrift1", "1. Opening") + styled("Own", "Hours") + styled("Lvl", "Inner") + styled("Loop", "plain") +
		`<w:p><w:r><w:t xml:space="preserve">The library </w:t></w:r><w:r><w:t>opens</w:t><w:tab/><w:t>at nine</w:t></w:r><w:del><w:r><w:delText>never</w:delText></w:r></w:del></w:p>` +
		listed(0, "Bring a card") + listed(1, "or a letter") +
		`<w:tbl><w:tr>` + cell("Day") + cell("Hour") + `</w:tr></w:tbl>` +
		`<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>`
	file := zipped(t, "[Content_Types].xml", "<Types/>", "_rels/.rels", rels, "word/styles.xml", docStyles, "word/document2.xml", wordBody(body))
	d := extract(t, Extractor{}, "rules.pdf", file)
	want := "# House rules\n# 1. Opening\n# Hours\n## Inner\nplain\nThe library opens\tat nine\n- Bring a card\n  - or a letter\nDay | Hour\nbox\n"
	if got := outline(d); got != want || d.Format != DOCX || d.Title != "House rules" {
		t.Errorf("%s %q:\n%s\nwant:\n%s", d.Format, d.Title, got, want)
	}
	usual := extract(t, Extractor{}, "", zipped(t, "word/document.xml", wordBody(styled("Heading2", "A"))))
	if got := outline(usual); got != "## A\n" {
		t.Errorf("without styles and relationships: %q", got)
	}
}

// lyingZip states another size than what a part unpacks to.
func lyingZip(t *testing.T, stated uint64, content string) []byte {
	t.Helper()
	var packed, b bytes.Buffer
	inner := zip.NewWriter(&packed)
	w, err := inner.Create("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := inner.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := r.File[0].OpenRaw()
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(&b)
	header := r.File[0].FileHeader
	header.UncompressedSize64 = stated
	out, err := z.CreateRaw(&header)
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(raw); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write(data.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHostileDOCX(t *testing.T) {
	t.Parallel()
	limits := DefaultLimits()
	limits.InflatedBytes = 1 << 20
	encrypted := zipped(t, "word/document.xml", wordBody(styled("", "x")))
	encrypted[6] |= encryptedByZip
	central := bytes.Index(encrypted, []byte("PK\x01\x02"))
	encrypted[central+8] |= encryptedByZip
	tests := []struct {
		name string
		file []byte
		want Reason
	}{
		{"bomb", zipped(t, "word/document.xml", wordBody(styled("", strings.Repeat("a", 30<<20)))), TooLarge},
		{"many bombs", zipped(t, "_rels/.rels", "<R>"+strings.Repeat("<x/>", 150_000)+"</R>", "word/styles.xml", "<s>"+strings.Repeat("<x/>", 150_000)+"</s>", "word/document.xml", wordBody("")), TooLarge},
		{"huge stated size", lyingZip(t, 1<<62, wordBody(styled("", "x"))), Broken},
		{"small stated size", lyingZip(t, 3, wordBody(styled("", strings.Repeat("x", 1000)))), Broken},
		{"deep", zipped(t, "word/document.xml", wordBody(strings.Repeat("<w:sdt>", 2000))), TooDeep},
		{"entities", zipped(t, "word/document.xml", `<!DOCTYPE a [<!ENTITY b "c">]><w:document>&b;</w:document>`), Broken},
		{"entity without a type", zipped(t, "word/document.xml", wordBody(`<w:p><w:r><w:t>&lol;</w:t></w:r></w:p>`)), Broken},
		{"cut", zipped(t, "word/document.xml", wordBody(styled("", "x"))[:120]), Broken},
		{"encrypted part", encrypted, Encrypted},
		{"spreadsheet", zipped(t, "xl/workbook.xml", "<workbook/>"), UnsupportedFormat},
		{"no parts", zipped(t), UnsupportedFormat},
		{"part outside", zipped(t, "_rels/.rels", strings.Replace(rels, "word/document2.xml", "../../etc/passwd", 1)), UnsupportedFormat},
		{"missing part", zipped(t, "_rels/.rels", rels), Broken},
		{"two of a name", zipped(t, "word/document.xml", wordBody(""), "word/document.xml", wordBody(styled("", "x"))), Broken},
		{"no text", zipped(t, "word/document.xml", wordBody(styled("", ""))), NoText},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Extractor{Limits: limits}.Extract(t.Context(), File{Name: "a.docx", Bytes: test.file})
			if got := reasonOf(t, err); got != test.want {
				t.Errorf("reason %s (%v), want %s", got, err, test.want)
			}
		})
	}
}

// FuzzDOCXBody: whatever the body says, it ends in a document or in a reason.
func FuzzDOCXBody(f *testing.F) {
	for _, seed := range []string{
		wordBody(styled("Heading1", "A") + listed(3, "b")), wordBody("<w:tbl><w:tr><w:tc>" + styled("", "x")), "<w:p></w:p></w:p>", "<w:t>a</w:t>",
		wordBody("<w:tr></w:tc></w:tr>"), "<Fallback><w:p/></Fallback>", "",
	} {
		f.Add(seed)
	}
	limits := DefaultLimits()
	limits.TextBytes, limits.Blocks, limits.Depth = 1<<20, 1000, 50
	f.Fuzz(func(t *testing.T, body string) {
		d, err := readDOCX(context.Background(), zipped(t, "word/document.xml", body), limits)
		if err != nil {
			reasonOf(t, err)
			return
		}
		checkPositions(t, d)
	})
}

// FuzzZip: whatever the container is, it ends in a document or in a reason.
func FuzzZip(f *testing.F) {
	f.Add(zipped(f, "word/document.xml", wordBody(styled("", "x"))))
	f.Add(zipped(f))
	f.Add([]byte("PK\x03\x04"))
	limits := DefaultLimits()
	limits.InflatedBytes = 1 << 20
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := readDOCX(context.Background(), file, limits)
		if err != nil {
			reasonOf(t, err)
			return
		}
		checkPositions(t, d)
	})
}
