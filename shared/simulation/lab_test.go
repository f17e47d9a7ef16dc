package simulation

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/simulation/world"
)

var (
	soakFor     = flag.Duration("soak", 0, "run random schedules for so long")
	soakSeed    = flag.Uint64("soak.seed", 0, "first seed of the soak; 0: the time of day")
	allPairs    = flag.Bool("pairs", false, "make every pair of calls go wrong, in every way")
	mutantTable = flag.Bool("mutants", false, "print the table of mutants")
	replay      = flag.String("replay", "", "a schedule to run again, as a failure has written it")
	failures    = flag.String("failures", filepath.Join("..", "..", "dist", "simulation"), "where failing schedules and histories are written")
)

// TestMain gives rapid a fixed seed unless another one is asked for, so that the
// same schedules run every time.
func TestMain(m *testing.M) {
	flag.Parse()
	fixed := map[string]string{"rapid.seed": "20261129", "rapid.checks": "150", "rapid.nofailfile": "true"}
	flag.Visit(func(f *flag.Flag) { delete(fixed, f.Name) })
	for name, value := range fixed {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}

func lab() Lab { return Lab{Now: time.Now} }

// keep writes a failing schedule and its history, and tells how to run it again.
func keep(t *testing.T, name string, s world.Schedule, v Verdict) string {
	t.Helper()
	if err := os.MkdirAll(*failures, 0o755); err != nil {
		return err.Error()
	}
	base, err := filepath.Abs(filepath.Join(*failures, name))
	if err != nil {
		return err.Error()
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = os.WriteFile(base+".schedule.json", text, 0o600)
	}
	if err == nil {
		err = v.History.Save(base + ".history.jsonl")
	}
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("history in %s.history.jsonl; again: go test ./shared/simulation -run TestReplay -v -replay %s.schedule.json", base, base)
}

// TestReplay runs a schedule from a file and shows what happens.
func TestReplay(t *testing.T) {
	if *replay == "" {
		t.Skip("no schedule given, see -replay")
	}
	text, err := os.ReadFile(*replay)
	if err != nil {
		t.Fatal(err)
	}
	var s world.Schedule
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	v := lab().Play(t, s, 0)
	for _, e := range v.History.Events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s", line)
	}
	if err := v.Report.Print(t.Output()); err != nil {
		t.Error(err)
	}
	if v.Broken != nil {
		t.Error(v.Broken)
	}
}
