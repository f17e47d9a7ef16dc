package broken_test

import (
	"errors"
	"go/format"
	"path/filepath"
	"testing"

	"github.com/replyonce/replyonce/infra/drill/broken"
	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/shared/drills"
)

// root is the module's folder.
var root = filepath.Join("..", "..", "..")

// TestEachBuildFitsTheSource: what a build takes out is there, once, and what is
// left is Go.
func TestEachBuildFitsTheSource(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range broken.All() {
		if seen[b.Name] {
			t.Errorf("two builds are named %s", b.Name)
		}
		seen[b.Name] = true
		if _, found := drills.Find(b.Drill); !found || b.Rule == "" || b.Wrong == "" || b.Breaks == "" {
			t.Errorf("%s is not complete", b.Name)
		}
		change, err := b.Change(root)
		if err != nil {
			t.Error(err)
			continue
		}
		if formatted, err := format.Source([]byte(change.Content)); err != nil || string(formatted) != change.Content {
			t.Errorf("%s leaves a file that is not formatted Go: %v", b.Name, err)
		}
	}
}

// TestOneVocabulary: what can be broken in a request has the same name as the
// build that sends it like that.
func TestOneVocabulary(t *testing.T) {
	t.Parallel()
	for _, name := range observe.Breaks() {
		if _, err := broken.Named(name); err != nil {
			t.Error(err)
		}
	}
}

func TestABuildThatNoLongerFitsSaysSo(t *testing.T) {
	t.Parallel()
	for found, old := range []string{"no such line", "package dynamostore\n", "e.fence("} {
		b := broken.Build{Name: "stale", File: "shared/dynamostore/working.go", Old: old, New: "// nothing\n"}
		_, err := b.Change(root)
		stale, isStale := errors.AsType[*broken.StaleError](err)
		if isStale != (found != 1) || isStale && min(stale.Found, 2) != found {
			t.Errorf("%q: %v", old, err)
		}
	}
	if _, err := (broken.Build{Name: "gone", File: "shared/no.go"}).Change(root); err == nil {
		t.Error("a file that is not there was changed")
	}
	if _, err := broken.Named("nothing"); err == nil {
		t.Error("an unknown build was found")
	}
}
