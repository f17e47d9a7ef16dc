package idempotency_test

import (
	"errors"
	"testing"

	"github.com/replyonce/replyonce/shared/idempotency"
)

// send describes a submit as the API would after decoding its body.
func send(text string, history ...string) *idempotency.Canonical {
	return idempotency.NewCanonical("submit").
		Path("conversation", "01KB7Q0000000000000000000C").
		String("text", text).
		String("document", "01KB7Q0000000000000000000D").
		Integer("version", 3).
		List("history", history)
}

// Stored records outlive a deployment: if this test fails, the rule changed
// and needs a new schema number beside the old one.
func TestFingerprintSchema1IsFixed(t *testing.T) {
	t.Parallel()
	got, err := idempotency.For(1, send("Who decides?", "01KB7Q0000000000000000000T"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "1:X-1hR_ayiceQLKSyhcIHhWZ7iksKwQIRUKaw7ksevxU"
	if got.String() != want {
		t.Errorf("fingerprint = %s, want %s", got, want)
	}
}

func TestFingerprintSchema2IsFixed(t *testing.T) {
	t.Parallel()
	const plain, stop = "2:EBdsNOyHzK6E6otklOcPNGPaXvNRwEhNTsBMhUQqz8M", "2:IIlVp7HfY_SR_p4fts5tCAoelSnqJSVpk3HDbtY9vmA"
	if got := send("Who decides?", "01KB7Q0000000000000000000T").Fingerprint(); got.String() != plain {
		t.Errorf("fingerprint = %s, want %s", got, plain)
	}
	policy := "stop"
	if got := send("Who decides?", "01KB7Q0000000000000000000T").Optional("on_unknown", &policy).Fingerprint(); got.String() != stop {
		t.Errorf("with a policy: fingerprint = %s, want %s", got, stop)
	}
}

// A request that leaves an optional field out is the request that it always
// was; one that has it is another, by every rule.
func TestOptionalFieldLeftOutIsNotThere(t *testing.T) {
	t.Parallel()
	policy, blank := "stop", ""
	for schema := 1; schema <= idempotency.Schema; schema++ {
		of := func(c *idempotency.Canonical) idempotency.Fingerprint {
			fp, err := idempotency.For(schema, c)
			if err != nil {
				t.Fatal(err)
			}
			return fp
		}
		if of(send("hi")) != of(send("hi").Optional("on_unknown", nil)) {
			t.Errorf("schema %d: a field that was left out counts", schema)
		}
		if of(send("hi")) == of(send("hi").Optional("on_unknown", &policy)) || of(send("hi")) == of(send("hi").Optional("on_unknown", &blank)) {
			t.Errorf("schema %d: a field that is there does not count", schema)
		}
	}
}

// Key order of the JSON cannot matter, order of a list and Unicode form must.
func TestCaseI1OrderAndUnicodeForm(t *testing.T) {
	t.Parallel()
	reordered := idempotency.NewCanonical("submit").
		List("history", []string{"a", "b"}).
		Integer("version", 3).
		String("document", "01KB7Q0000000000000000000D").
		String("text", "hi").
		Path("conversation", "01KB7Q0000000000000000000C")
	if send("hi", "a", "b").Fingerprint() != reordered.Fingerprint() {
		t.Error("the order of adding fields changes the fingerprint")
	}
	if send("hi", "a", "b").Fingerprint() == send("hi", "b", "a").Fingerprint() {
		t.Error("the order of a list does not change the fingerprint")
	}
	composed, decomposed := send("caf\u00e9"), send("cafe\u0301")
	if composed.Fingerprint() == decomposed.Fingerprint() {
		t.Error("two Unicode forms have one fingerprint")
	}
}

// Every pair differs in meaning, and would collide under a careless join.
func TestFingerprintsOfDifferentRequestsDiffer(t *testing.T) {
	t.Parallel()
	submit := func() *idempotency.Canonical { return idempotency.NewCanonical("submit") }
	requests := map[string]*idempotency.Canonical{
		"nothing":               submit(),
		"other operation":       idempotency.NewCanonical("regenerate"),
		"operation eats field":  idempotency.NewCanonical("submittext"),
		"empty text":            submit().String("text", ""),
		"text":                  submit().String("text", "1"),
		"name eats value":       submit().String("text1", ""),
		"value eats name":       submit().String("tex", "t1"),
		"number":                submit().Integer("text", 1),
		"beyond 2^53":           submit().Integer("text", 9007199254740992),
		"beyond 2^53, next":     submit().Integer("text", 9007199254740993),
		"negative":              submit().Integer("text", -1),
		"list of one":           submit().List("text", []string{"1"}),
		"empty list":            submit().List("text", nil),
		"list of empty":         submit().List("text", []string{""}),
		"list of two empty":     submit().List("text", []string{"", ""}),
		"list split":            submit().List("text", []string{"a", "b"}),
		"list joined":           submit().List("text", []string{"ab"}),
		"list joined by zero":   submit().List("text", []string{"a\x00b"}),
		"path":                  submit().Path("text", "1"),
		"two fields":            submit().String("a", "1").String("b", "2"),
		"two fields, swapped":   submit().String("a", "2").String("b", "1"),
		"path and field":        submit().Path("a", "1").String("b", "2"),
		"path and field, other": submit().Path("b", "2").String("a", "1"),
		"bad UTF-8":             submit().String("text", "\xff"),
		"replacement character": submit().String("text", "\ufffd"),
	}
	seen := map[idempotency.Fingerprint]string{}
	for name, request := range requests {
		fp := request.Fingerprint()
		if other, taken := seen[fp]; taken {
			t.Errorf("%q and %q have one fingerprint", name, other)
		}
		seen[fp] = name
	}
}

func TestListIsCopied(t *testing.T) {
	t.Parallel()
	history := []string{"a"}
	c := idempotency.NewCanonical("submit").List("history", history)
	before := c.Fingerprint()
	history[0] = "b"
	if c.Fingerprint() != before {
		t.Error("changing the caller's slice changes the fingerprint")
	}
}

func TestForUnknownSchema(t *testing.T) {
	t.Parallel()
	for _, schema := range []int{-1, 0, idempotency.Schema + 1} {
		_, err := idempotency.For(schema, send("hi"))
		schemaErr, isSchemaError := errors.AsType[*idempotency.SchemaError](err)
		if !isSchemaError || schemaErr.Schema != schema {
			t.Errorf("For(%d) = %v, want a SchemaError", schema, err)
		}
	}
}

func TestParseFingerprint(t *testing.T) {
	t.Parallel()
	sum := send("hi").Fingerprint().Sum
	newer := idempotency.Fingerprint{Schema: 7, Sum: sum}
	if got, err := idempotency.ParseFingerprint(newer.String()); err != nil || got != newer {
		t.Errorf("ParseFingerprint(%s) = %v, %v", newer, got, err)
	}
	for _, bad := range []string{
		"", ":", "1", "1:", sum, "0:" + sum, "-1:" + sum, "+1:" + sum, "01:" + sum, "x:" + sum,
		"1:" + sum[1:], "1:" + sum + "A", "1:" + sum + "=", "1:" + sum[:42] + "!", "1:" + sum[:42] + "B", "99999999999999999999:" + sum,
	} {
		if got, err := idempotency.ParseFingerprint(bad); err == nil {
			t.Errorf("ParseFingerprint(%q) = %v, want an error", bad, got)
		}
	}
}

func FuzzParseFingerprint(f *testing.F) {
	f.Add(send("hi").Fingerprint().String())
	f.Add("1:")
	f.Add("7:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU")
	f.Fuzz(func(t *testing.T, text string) {
		if fp, err := idempotency.ParseFingerprint(text); err == nil && fp.String() != text {
			t.Fatalf("ParseFingerprint(%q) = %q", text, fp)
		}
	})
}
