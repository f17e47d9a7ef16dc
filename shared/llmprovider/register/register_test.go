package register_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/replyonce/replyonce/shared/llmprovider/register"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/worktask"
)

var update = flag.Bool("update", false, "write the golden file anew")

func entries(t *testing.T) []register.Entry {
	t.Helper()
	all, err := register.Entries()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every provider that can be configured has exactly one entry for the way in which
// it is used.
func TestEveryProviderIsInIt(t *testing.T) {
	t.Parallel()
	var used []string
	for _, e := range entries(t) {
		if e.Used {
			used = append(used, e.Provider)
		}
	}
	wanted := slices.DeleteFunc(runtimeconfig.Providers(), func(name string) bool { return name == runtimeconfig.ProviderScripted })
	if diff := cmp.Diff(wanted, used); diff != "" {
		t.Errorf("providers (-configurable +in the register):\n%s", diff)
	}
}

func TestStatementsAreWhole(t *testing.T) {
	t.Parallel()
	date := regexp.MustCompile(`^20[0-9]{2}-[01][0-9]-[0-3][0-9]$`)
	for _, e := range entries(t) {
		if e.Endpoint == "" || e.Source == "" || e.RetryRule == "" || !date.MatchString(e.CheckedOn) {
			t.Errorf("entry %+v lacks something", e)
		}
		if e.IdempotencyKey && (e.KeyPayloadRule == "" || e.KeyConcurrencyRule == "") {
			t.Errorf("%s: a key without its rules", e.Endpoint)
		}
	}
}

// A saved operation can be looked up for as long as a task lives by the default
// timers. Where an operator gives tasks more time, an operation may be gone before
// it was read; then it counts as lost.
func TestOperationsOutliveTasks(t *testing.T) {
	t.Parallel()
	deadline := worktask.DefaultTimers().TaskDeadline
	for _, e := range entries(t) {
		if e.Lookup && e.LookupRetention < deadline {
			t.Errorf("%s is kept for %s, and a task lives for %s", e.Endpoint, e.LookupRetention, deadline)
		}
	}
}

func TestPrintGolden(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := register.Print(&out, entries(t)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "register.txt")
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wanted, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(wanted), out.String()); diff != "" {
		t.Errorf("the register differs (-golden +now); if that is meant, run go test ./shared/llmprovider/register -update:\n%s", diff)
	}
}
