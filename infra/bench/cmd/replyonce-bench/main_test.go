package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnitsArePrintedAndWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bench.json")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-only", "units", "-json", file}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "besides the prompt: 11 write units, 2 read units, 5 DynamoDB requests, 4 SQS requests") {
		t.Errorf("the first send is missing in\n%s", out.String())
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var written report
	if err := json.Unmarshal(content, &written); err != nil {
		t.Fatal(err)
	}
	if len(written.Scenarios) == 0 || len(written.Scenarios[0].Requests) == 0 || len(written.Ratios) != 0 || len(written.Broken) != 0 {
		t.Errorf("the file has %d scenarios, %d ratios, broken bounds %q", len(written.Scenarios), len(written.Ratios), written.Broken)
	}
}

func TestBrokenBoundsEndTheRunWithAnError(t *testing.T) {
	t.Parallel()
	b := &bench{report: report{Broken: []string{"one", "another"}}}
	if err := b.verdict(); err == nil || !strings.Contains(err.Error(), "2 bounds are broken:\n  one\n  another") {
		t.Errorf("error %v, want both bounds", err)
	}
	if err := (&bench{}).verdict(); err != nil {
		t.Errorf("error %v without a broken bound", err)
	}
}

func TestPartsAreChosenByName(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{"": "units,times,drain,sizes,documents", "sizes": "sizes", "drain,units": "drain,units"} {
		chosen, err := choose(list)
		if err != nil || names(chosen) != want {
			t.Errorf("%q chooses %s, %v, want %s", list, names(chosen), err, want)
		}
	}
	if _, err := choose("units,speed"); err == nil || !strings.Contains(err.Error(), `"speed"`) {
		t.Errorf("error %v, want one that names the part", err)
	}
	if err := run(t.Context(), []string{"-only", "speed"}, io.Discard, io.Discard); err == nil {
		t.Error("a run of an unknown part succeeded")
	}
}
