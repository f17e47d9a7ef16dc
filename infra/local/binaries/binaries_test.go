package binaries

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// module writes a module with one program that prints the text and waits for the end of its input.
func module(t *testing.T, root, text string) {
	t.Helper()
	program := fmt.Sprintf("package main\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() {\n"+
		"\tfmt.Println(%q)\n\t_, _ = io.Copy(io.Discard, os.Stdin)\n}\n", text)
	for name, content := range map[string]string{
		"go.mod":               "module " + Module + "\n\ngo 1.26\n",
		"functions/hi/main.go": program,
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func say(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestBuild(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	out := filepath.Join(root, "dist")
	var mu sync.Mutex
	var told []string
	options := Options{Root: root, Out: out, Packages: []string{"./functions/hi"}, Progress: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, text)
	}}
	module(t, root, "first")
	var builds sync.WaitGroup
	for range 2 { // two stacks start at once
		builds.Go(func() {
			if err := Build(t.Context(), options); err != nil {
				t.Error(err)
			}
		})
	}
	builds.Wait()
	program := Path(out, "hi")
	if got := say(t, program); got != "first" {
		t.Errorf("says %q", got)
	}
	if len(told) != 4 || told[0] != "building hi" || !strings.HasPrefix(told[1], "built in ") {
		t.Errorf("told %q", told)
	}

	running := exec.CommandContext(t.Context(), program)
	input, err := running.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	module(t, root, "second")
	if err := Build(t.Context(), options); err != nil {
		t.Errorf("build while the program runs: %v", err)
	}
	if got := say(t, program); got != "second" {
		t.Errorf("says %q", got)
	}
	_ = input.Close()
	if err := running.Wait(); err != nil {
		t.Errorf("the running program: %v", err)
	}

	before, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := Build(t.Context(), options); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat(program); err != nil || !os.SameFile(before, after) {
		t.Error("an up-to-date program was replaced")
	}
}

func TestBuildOfChangedSource(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	module(t, root, "right")
	const file = "functions/hi/main.go"
	source, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	changed := Change{Name: "wrong-word", File: file, Content: strings.Replace(string(source), "right", "wrong", 1)}
	for want, options := range map[string]Options{"right": {Out: "as-it-is"}, "wrong": {Out: "changed", Change: changed}} {
		options.Root, options.Out, options.Packages = root, filepath.Join(root, options.Out), []string{"./functions/hi"}
		if err := Build(t.Context(), options); err != nil {
			t.Fatal(err)
		}
		if got := say(t, Path(options.Out, "hi")); got != want {
			t.Errorf("says %q, want %q", got, want)
		}
	}
	if after, err := os.ReadFile(filepath.Join(root, file)); err != nil || string(after) != string(source) {
		t.Errorf("the source has changed: %v", err)
	}
}

func TestBuildShowsWhatTheCompilerSays(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	module(t, root, "x")
	if err := os.WriteFile(filepath.Join(root, "functions", "hi", "main.go"), []byte("package main\n\nfunc main() { oops }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Build(t.Context(), Options{Root: root, Out: filepath.Join(root, "dist"), Packages: []string{"./functions/hi"}})
	if err == nil || !strings.Contains(err.Error(), "undefined: oops") {
		t.Errorf("build: %v", err)
	}
}

func TestFindRoot(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	module(t, root, "x")
	got, err := FindRoot(filepath.Join(root, "functions", "hi"))
	if err != nil || got != root {
		t.Errorf("root %s, %v", got, err)
	}
	if _, err := FindRoot(t.TempDir()); err == nil {
		t.Error("found a root outside the source")
	}
}
