package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/readme"
)

var update = flag.Bool("update", false, "write the table into the README")

// TestReadmeHasTheOptions fails when an option was added or changed and the table
// in the README was not.
func TestReadmeHasTheOptions(t *testing.T) {
	t.Parallel()
	const path = "../../../README.md"
	var table bytes.Buffer
	if err := write(&table); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := readme.Rewrite(path, "options", table.String()); err != nil {
			t.Fatal(err)
		}
	}
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block, err := readme.Block(string(document), "options")
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(block) != strings.TrimSpace(table.String()) {
		t.Errorf("the README's table of options is not what make options prints:\n%s\nRun go test ./infra/app/options -update.", block)
	}
}
