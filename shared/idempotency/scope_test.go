package idempotency_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/idempotency"
)

// Two callers, two operations, and scopes that collide when glued without
// escaping: each has a record of its own under one key.
func TestCaseI3ScopesNeverCollide(t *testing.T) {
	t.Parallel()
	const key = "r-1"
	scopes := []idempotency.Scope{
		{Workspace: "acme", Caller: "u1", Operation: "submit"},
		{Workspace: "acme", Caller: "u2", Operation: "submit"},
		{Workspace: "acme", Caller: "u1", Operation: "regenerate"},
		{Workspace: "other", Caller: "u1", Operation: "submit"},
		{Workspace: "acme", Caller: "a", Operation: "b#c"},
		{Workspace: "acme", Caller: "a#b", Operation: "c"},
		{Workspace: "acme", Caller: "a%23b", Operation: "c"},
		{Workspace: "acme#a", Caller: "b", Operation: "c"},
		{Workspace: "acme", Caller: "", Operation: "b"},
		{Workspace: "", Caller: "acme", Operation: "b"},
	}
	seen := map[string]idempotency.Scope{}
	for _, scope := range scopes {
		address := scope.Address(key)
		if other, taken := seen[address]; taken {
			t.Errorf("%+v and %+v share %s", scope, other, address)
		}
		seen[address] = scope
		gotScope, gotKey, err := idempotency.ParseAddress(address)
		if err != nil || gotScope != scope || gotKey != key {
			t.Errorf("ParseAddress(%s) = %+v, %s, %v", address, gotScope, gotKey, err)
		}
	}
	glued := idempotency.Scope{Workspace: "acme", Caller: "u1", Operation: "submit#r"}
	split := idempotency.Scope{Workspace: "acme", Caller: "u1", Operation: "submit"}
	if glued.Address("1") == split.Address("r#1") {
		t.Error("operation and key collide")
	}
}

func TestAddressIsReadable(t *testing.T) {
	t.Parallel()
	scope := idempotency.Scope{Workspace: "acme", Caller: "auth0|42", Operation: "submit"}
	if got, want := scope.Address("r#1%"), "acme#auth0|42#submit#r%231%25"; got != want {
		t.Errorf("address = %s, want %s", got, want)
	}
}

// DynamoDB takes partition keys up to 2048 bytes.
func TestLongestAddressFitsAPartitionKey(t *testing.T) {
	t.Parallel()
	scope := idempotency.Scope{
		Workspace: strings.Repeat("w", 64),
		Caller:    strings.Repeat("#", 128),
		Operation: "regenerate",
	}
	key := idempotency.Key(strings.Repeat("#", idempotency.MaxKeyLength))
	if n := len(scope.Address(key)); n > 2000 {
		t.Errorf("address has %d bytes", n)
	}
}

func TestUnescapeRefusesOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"%", "%2", "%2g", "%41", "%2d", "%c3", "a#b", "a b", "é", "\x00", "%%25"} {
		if got, err := idempotency.Unescape(bad); err == nil {
			t.Errorf("Unescape(%q) = %q, want an error", bad, got)
		}
	}
	for _, bad := range []string{"", "a#b#c", "a#b#c#d#e", "a#b#c#%"} {
		if scope, key, err := idempotency.ParseAddress(bad); err == nil {
			t.Errorf("ParseAddress(%q) = %+v, %q, want an error", bad, scope, key)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"", "plain", "a#b", "%23", "é", "\xff\x00", "100%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		escaped := idempotency.Escape(text)
		if strings.Contains(escaped, "#") || !utf8.ValidString(escaped) {
			t.Fatalf("Escape(%q) = %q", text, escaped)
		}
		if back, err := idempotency.Unescape(escaped); err != nil || back != text {
			t.Fatalf("Unescape(Escape(%q)) = %q, %v", text, back, err)
		}
		if back, err := idempotency.Unescape(text); err == nil && idempotency.Escape(back) != text {
			t.Fatalf("%q and %q unescape to %q", text, idempotency.Escape(back), back)
		}
	})
}

func FuzzParseAddress(f *testing.F) {
	f.Add("acme#u1#submit#r-1")
	f.Add("acme#a%23b#c#r%25")
	f.Add("###")
	f.Fuzz(func(t *testing.T, address string) {
		if scope, key, err := idempotency.ParseAddress(address); err == nil && scope.Address(key) != address {
			t.Fatalf("ParseAddress(%q) = %+v, %q", address, scope, key)
		}
	})
}
