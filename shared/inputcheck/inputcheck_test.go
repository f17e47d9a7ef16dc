package inputcheck_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/inputcheck"
)

func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	field, ok := errors.AsType[*inputcheck.FieldError](err)
	if !ok || field.Field != "f" || field.Detail == "" {
		t.Fatalf("error %v is no refusal of the field", err)
	}
	return field.Code
}

func TestID(t *testing.T) {
	t.Parallel()
	for value, valid := range map[string]bool{
		"01KB7PZ8Q0D0CVMENT00000001": true, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ": true,
		"8ZZZZZZZZZZZZZZZZZZZZZZZZZ": false, // more than 128 bits
		"01kb7pz8q0d0cvment00000001": false, "01KB7PZ8Q0DOCUMENT00000001": false, "01KB7PZ8Q0D0CVMENT0000000": false,
		"01KB7PZ8Q0D0CVMENT000000012": false, "": false, "01KB7PZ8Q0D0CVMENT0000000é": false, "01KB7PZ8Q0D0CVMENT0000000#": false,
	} {
		if got := code(t, inputcheck.ID("f", value)); (got == "") != valid {
			t.Errorf("%q: %q, valid should be %t", value, got, valid)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"good":             {"hi", ""},
		"at the limit":     {"éé", ""},
		"empty":            {"", inputcheck.CodeMissing},
		"above the limit":  {"ééx", "too_large"},
		"blank":            {" \t\n", inputcheck.CodeInvalid},
		"invisible":        {"\u200b", inputcheck.CodeInvalid},
		"control only":     {"\x00\x01", inputcheck.CodeInvalid},
		"bad UTF-8":        {"a\xff", inputcheck.CodeInvalid},
		"symbol":           {"?", ""},
		"joined invisible": {"\u200da", ""},
	}
	for name, tt := range tests {
		if got := code(t, inputcheck.Text("f", tt.text, 4, "too_large")); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"good":         {"Rules", ""},
		"at the limit": {strings.Repeat("é", 5), ""},
		"too long":     {strings.Repeat("é", 6), inputcheck.CodeInvalid},
		"empty":        {"", inputcheck.CodeMissing},
		"blank":        {"  ", inputcheck.CodeInvalid},
		"line feed":    {"a\nb", inputcheck.CodeInvalid},
		"next line":    {"a\u0085b", inputcheck.CodeInvalid},
		"separator":    {"a\u2029b", inputcheck.CodeInvalid},
		"bad UTF-8":    {"\xff", inputcheck.CodeInvalid},
	}
	for name, tt := range tests {
		if got := code(t, inputcheck.Line("f", tt.text, 5)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestTextFile(t *testing.T) {
	t.Parallel()
	for c := range rune(0x80) {
		allowed := c >= 0x20 || c == '\t' || c == '\n' || c == '\f' || c == '\r'
		if got := code(t, inputcheck.TextFile("f", "a"+string(c))); (got == "") != allowed {
			t.Errorf("character 0x%02x: %q, allowed should be %t", c, got, allowed)
		}
	}
	if err := inputcheck.TextFile("f", "\u0085é😀"); err != nil {
		t.Errorf("text beyond ASCII: %v", err)
	}
}

// Nothing of a refused field is repeated, whatever was in it.
func FuzzRefusalsAreSilent(f *testing.F) {
	f.Add("secret question\x00")
	f.Fuzz(func(t *testing.T, text string) {
		for _, err := range []error{
			inputcheck.Text("f", text, 4, "too_large"), inputcheck.Line("f", text, 5), inputcheck.TextFile("f", text), inputcheck.ID("f", text),
		} {
			if len(text) > 40 && err != nil && strings.Contains(err.Error(), text) {
				t.Fatalf("refusal repeats the field: %v", err)
			}
		}
	})
}
