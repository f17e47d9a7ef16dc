package readme

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBlocks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "README.md")
	const before = "a\n<!-- x: made by y -->\nold\n<!-- /x -->\nb\n"
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if block, err := Block(before, "x"); err != nil || block != "\nold\n" {
		t.Errorf("block %q, %v", block, err)
	}
	if err := Rewrite(path, "x", "\nnew\n\n"); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "a\n<!-- x: made by y -->\nnew\n<!-- /x -->\nb\n"; string(after) != want {
		t.Errorf("the document is %q, want %q", after, want)
	}
	for _, document := range []string{"", "<!-- x: ", "<!-- x: -->\n", "<!-- x: -->\n<!-- x: -->\n<!-- /x -->"} {
		if _, err := Block(document, "x"); err == nil {
			t.Errorf("a block was found in %q", document)
		}
	}
	if err := Rewrite(path, "y", ""); err == nil {
		t.Error("a block that is not there was rewritten")
	}
}
