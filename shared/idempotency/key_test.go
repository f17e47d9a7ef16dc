package idempotency_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/idempotency"
)

func TestParseKey(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("k", idempotency.MaxKeyLength)
	quotes := strings.Repeat(`"`, idempotency.MaxKeyLength)
	tests := []struct {
		name   string
		values []string
		want   idempotency.Key
		reason idempotency.Reason
	}{
		{"bare", []string{"r-1"}, "r-1", ""},
		{"quoted", []string{`"r-1"`}, "r-1", ""},
		{"quoted with escapes", []string{`"a\"b\\c"`}, `a"b\c`, ""},
		{"quote inside bare", []string{`a"b\c`}, `a"b\c`, ""},
		{"white space around", []string{" \tr-1\t "}, "r-1", ""},
		{"one character", []string{"!"}, "!", ""},
		{"longest", []string{longest}, idempotency.Key(longest), ""},
		{"longest, quoted", []string{`"` + longest + `"`}, idempotency.Key(longest), ""},
		{"longest, all escapes", []string{`"` + strings.Repeat(`\"`, idempotency.MaxKeyLength) + `"`}, idempotency.Key(quotes), ""},
		{"same value twice", []string{"r-1", "r-1"}, "r-1", ""},
		{"same key in both forms", []string{"r-1", `"r-1"`}, "r-1", ""},

		{"no header", nil, "", idempotency.ReasonMissing},
		{"empty list", []string{}, "", idempotency.ReasonMissing},
		{"empty", []string{""}, "", idempotency.ReasonBlank},
		{"white space", []string{" \t "}, "", idempotency.ReasonBlank},
		{"quoted empty", []string{`""`}, "", idempotency.ReasonBlank},
		{"quoted spaces", []string{`"  "`}, "", idempotency.ReasonBlank},
		{"blank beside a key", []string{"r-1", ""}, "", idempotency.ReasonBlank},
		{"too long", []string{longest + "k"}, "", idempotency.ReasonTooLong},
		{"too long, quoted", []string{`"` + longest + `k"`}, "", idempotency.ReasonTooLong},
		{"absurdly long", []string{strings.Repeat("k", 1<<20)}, "", idempotency.ReasonTooLong},
		{"space inside", []string{"r 1"}, "", idempotency.ReasonNotVisibleASCII},
		{"space inside, quoted", []string{`"r 1"`}, "", idempotency.ReasonNotVisibleASCII},
		{"letter outside ASCII", []string{"clé"}, "", idempotency.ReasonNotVisibleASCII},
		{"bad UTF-8", []string{"r\xff"}, "", idempotency.ReasonNotVisibleASCII},
		{"control character", []string{"r\x001"}, "", idempotency.ReasonNotVisibleASCII},
		{"delete character", []string{"r\x7f"}, "", idempotency.ReasonNotVisibleASCII},
		{"two keys joined by a proxy", []string{"r-1, r-2"}, "", idempotency.ReasonNotVisibleASCII},
		{"quote not closed", []string{`"r-1`}, "", idempotency.ReasonBadQuoting},
		{"only a quote", []string{`"`}, "", idempotency.ReasonBadQuoting},
		{"text behind the quotes", []string{`"r-1"x`}, "", idempotency.ReasonBadQuoting},
		{"parameter behind the quotes", []string{`"r-1";v=2`}, "", idempotency.ReasonBadQuoting},
		{"unknown escape", []string{`"r\n1"`}, "", idempotency.ReasonBadQuoting},
		{"two quoted keys joined", []string{`"r-1", "r-1"`}, "", idempotency.ReasonBadQuoting},
		{"quoted, outside ASCII", []string{`"clé"`}, "", idempotency.ReasonBadQuoting},
		{"two keys", []string{"r-1", "r-2"}, "", idempotency.ReasonConflicting},
		{"two spellings of case", []string{"r-1", "R-1"}, "", idempotency.ReasonConflicting},
		{"third differs", []string{"r-1", "r-1", "r-2"}, "", idempotency.ReasonConflicting},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := idempotency.ParseKey(tt.values)
			if tt.reason == "" {
				if err != nil || got != tt.want {
					t.Fatalf("ParseKey(%q) = %q, %v, want %q", tt.values, got, err, tt.want)
				}
				return
			}
			keyErr, isKeyError := errors.AsType[*idempotency.KeyError](err)
			if !isKeyError || keyErr.Reason != tt.reason || got != "" {
				t.Fatalf("ParseKey(%q) = %q, %v, want reason %s", tt.values, got, err, tt.reason)
			}
		})
	}
}

// A doubled header with two keys is a bad request, never "no key given".
func TestCaseA1TwoDifferentKeysAreMalformed(t *testing.T) {
	t.Parallel()
	_, err := idempotency.ParseKey([]string{"r-1", "r-2"})
	keyErr, isKeyError := errors.AsType[*idempotency.KeyError](err)
	if !isKeyError || keyErr.Code() != idempotency.CodeKeyMalformed {
		t.Fatalf("got %v, want code %s", err, idempotency.CodeKeyMalformed)
	}
}

func TestKeyErrorCodes(t *testing.T) {
	t.Parallel()
	want := map[idempotency.Reason]string{
		idempotency.ReasonMissing:         idempotency.CodeKeyMissing,
		idempotency.ReasonBlank:           idempotency.CodeKeyMissing,
		idempotency.ReasonTooLong:         idempotency.CodeKeyMalformed,
		idempotency.ReasonNotVisibleASCII: idempotency.CodeKeyMalformed,
		idempotency.ReasonBadQuoting:      idempotency.CodeKeyMalformed,
		idempotency.ReasonConflicting:     idempotency.CodeKeyMalformed,
	}
	details := map[string]bool{}
	for reason, code := range want {
		err := &idempotency.KeyError{Reason: reason}
		if err.Code() != code {
			t.Errorf("code of %s = %s, want %s", reason, err.Code(), code)
		}
		details[err.Detail()] = true
	}
	if len(details) != len(want) {
		t.Errorf("%d reasons share %d details", len(want), len(details))
	}
}

func TestKeyErrorKeepsTheParserError(t *testing.T) {
	t.Parallel()
	_, err := idempotency.ParseKey([]string{`"secret-key`})
	if errors.Unwrap(err) == nil {
		t.Errorf("no cause in %v", err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("error repeats the header: %v", err)
	}
}

func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{"r-1", `"r-1"`, `"a\"b\\c"`, "", " ", `"`, `"x";p`, "é", "a,b", strings.Repeat("k", 300)} {
		f.Add(seed, seed)
	}
	f.Add("r-1", `"r-1"`)
	f.Fuzz(func(t *testing.T, first, second string) {
		key, err := idempotency.ParseKey([]string{first})
		if err != nil {
			if _, isKeyError := errors.AsType[*idempotency.KeyError](err); !isKeyError || key != "" {
				t.Fatalf("ParseKey(%q) = %q, %v", first, key, err)
			}
			return
		}
		if len(key) < 1 || len(key) > idempotency.MaxKeyLength || strings.Trim(string(key), visibleASCII()) != "" {
			t.Fatalf("ParseKey(%q) accepted %q", first, key)
		}
		if again, err := idempotency.ParseKey([]string{key.HeaderValue(), first}); err != nil || again != key {
			t.Fatalf("ParseKey(%q, %q) = %q, %v, want %q", key.HeaderValue(), first, again, err, key)
		}
		other, otherErr := idempotency.ParseKey([]string{second})
		both, bothErr := idempotency.ParseKey([]string{first, second})
		if same := otherErr == nil && other == key; same != (bothErr == nil) || (same && both != key) {
			t.Fatalf("ParseKey(%q, %q) = %q, %v", first, second, both, bothErr)
		}
	})
}

func visibleASCII() string {
	var all []byte
	for c := byte('!'); c <= '~'; c++ {
		all = append(all, c)
	}
	return string(all)
}
