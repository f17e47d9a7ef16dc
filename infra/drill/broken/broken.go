package broken

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/shared/history/check"
)

// Build is a build with one rule taken out.
type Build struct {
	Name  string
	Rule  string // that is taken out, in a sentence for people
	Wrong string // what happens without it, likewise
	// Drill is the id of the drill that shows it, and Breaks the promise that the
	// checker names.
	Drill  string
	Breaks check.Promise
	// File is a file of the source, relative to the module's folder and with
	// slashes, in which New stands for Old.
	File, Old, New string
}

// Names lists the names of all builds.
func Names() []string {
	var names []string
	for _, b := range All() {
		names = append(names, b.Name)
	}
	return names
}

// Named finds a build.
func Named(name string) (Build, error) {
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
	}
	return Build{}, fmt.Errorf("no broken build is named %q: there are %s", name, strings.Join(Names(), ", "))
}

// StaleError says that the source has changed, and that the build has to be
// written anew.
type StaleError struct {
	Build Build
	Found int // how often the text to be replaced is in the file
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("the broken build %s no longer fits %s: the text that it replaces is there %d times, not once:\n%s",
		e.Build.Name, e.Build.File, e.Found, e.Build.Old)
}

// Change is the build for the compiler. root is the module's folder. The error is
// a *StaleError where the source no longer has what is to be replaced.
func (b Build) Change(root string) (binaries.Change, error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(b.File))) //nolint:gosec // one of the module's own files
	if err != nil {
		return binaries.Change{}, fmt.Errorf("read the source of the broken build %s: %w", b.Name, err)
	}
	if n := strings.Count(string(source), b.Old); n != 1 {
		return binaries.Change{}, &StaleError{Build: b, Found: n}
	}
	return binaries.Change{Name: b.Name, File: b.File, Content: strings.Replace(string(source), b.Old, b.New, 1)}, nil
}
