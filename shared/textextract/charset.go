package textextract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

const (
	// detectWithin is how much of a file the detector looks at.
	detectWithin = 256 << 10
	// sure is the confidence, of 100, from which an encoding of several bytes per
	// character is believed: texts of Western Europe reach about 20 by chance.
	sure = 60
	// maxControlShare is the share of control characters above which a file is no
	// text in any encoding.
	maxControlShare = 0.02
)

// marks are the byte order marks. UTF-32's begins with UTF-16's, so it is first.
var marks = []struct {
	mark, name string
	encoding   encoding.Encoding
}{
	{"\xff\xfe\x00\x00", "utf-32le", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{"\x00\x00\xfe\xff", "utf-32be", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{"\xff\xfe", "utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{"\xfe\xff", "utf-16be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	{"\xef\xbb\xbf", "utf-8", encoding.Nop},
}

// decode makes a file UTF-8 and names what it was. A byte order mark decides;
// then what an HTML file declares; then whether it is UTF-8; then the detector,
// where it is sure; else it is Windows-1252, which contains ISO-8859-1's text.
// Bytes without a meaning become U+FFFD.
func decode(file []byte, isHTML bool) (text, name string, err error) {
	chosen, name, rest := chooseEncoding(file, isHTML)
	decoded, err := chosen.NewDecoder().Bytes(rest)
	if err != nil {
		return "", "", failure(Broken, "decode %s: %w", name, err)
	}
	text = strings.ToValidUTF8(string(decoded), "\uFFFD")
	if controls := countControls(text); float64(controls) > maxControlShare*float64(len(text)) {
		return "", "", failure(UnsupportedFormat, "the file has %d control characters in %d bytes: it is no text", controls, len(text))
	}
	return withoutControls(text), name, nil
}

func chooseEncoding(file []byte, isHTML bool) (encoding.Encoding, string, []byte) {
	for _, m := range marks {
		if rest, marked := bytes.CutPrefix(file, []byte(m.mark)); marked {
			return m.encoding, m.name, rest
		}
	}
	if isHTML {
		if declared, name, certain := charset.DetermineEncoding(file[:min(len(file), 1024)], ""); certain || declaresMeta(file) {
			return declared, name, file
		}
	}
	if utf8.Valid(file) {
		return encoding.Nop, "utf-8", file
	}
	if found, name := detect(file); found != nil {
		return found, name, file
	}
	return charmap.Windows1252, "windows-1252", file
}

// declaresMeta says whether an HTML file names its encoding. Without that, the
// standard's default is only a guess.
func declaresMeta(file []byte) bool {
	return bytes.Contains(bytes.ToLower(file[:min(len(file), 1024)]), []byte("charset="))
}

// detect asks the detector. Encodings of one byte per character are told apart by
// the frequency of letters, which short texts deceive; of them only Windows-1252
// and its subset, and Cyrillic at a high confidence, are taken.
func detect(file []byte) (encoding.Encoding, string) {
	best, err := chardet.NewTextDetector().DetectBest(file[:min(len(file), detectWithin)])
	if err != nil || best.Confidence < sure {
		return nil, ""
	}
	switch best.Charset {
	case "Shift_JIS", "EUC-JP", "ISO-2022-JP", "GB-18030", "GB18030", "Big5", "EUC-KR", "windows-1251", "KOI8-R":
	default:
		return nil, ""
	}
	label := strings.ToLower(strings.Replace(best.Charset, "GB-", "GB", 1))
	found, err := htmlindex.Get(label)
	if err != nil {
		return nil, ""
	}
	return found, label
}

// isControl tells characters that no text has: those of C0 without tab, line ends,
// form feed and backspace (which old manuals overstrike with), and DEL.
func isControl(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\b' || c == 0x7f
}

func countControls(text string) int {
	n := 0
	for i := range len(text) {
		if isControl(rune(text[i])) {
			n++
		}
	}
	return n
}

// withoutControls puts a space for each control character, so that positions stay.
func withoutControls(text string) string {
	return strings.Map(func(c rune) rune {
		if isControl(c) {
			return ' '
		}
		return c
	}, text)
}
