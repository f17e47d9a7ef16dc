package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
)

// The whole program in one go: it says where it is, plays the scripts of its
// file, and leaves a log behind when it is stopped.
func TestRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	f := flags{
		listen:      "127.0.0.1:0",
		logPath:     filepath.Join(folder, "calls.jsonl"),
		scriptsPath: filepath.Join(folder, "scripts.json"),
		options:     providertest.Options{Now: time.Now, IdempotencyKeys: true},
	}
	const scripts = `[{"match":"decide","steps":[{"action":"answer","text":"The board.","delay":"1ms"}]}]`
	if err := os.WriteFile(f.scriptsPath, []byte(scripts), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, f, in) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ok {
		t.Fatalf("printed %q", line)
	}
	provider, err := scripted.Connect(t.Context(), scripted.Options{BaseURL: address, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if !provider.Capability().IdempotencyKey {
		t.Error("the flag did not reach the server")
	}
	request := llmprovider.Request{Prompt: llmprovider.Prompt{Question: "Who shall decide?"}}
	answer, err := provider.Call(t.Context(), request)
	if err != nil || answer.Text != "The board." {
		t.Errorf("got %q, %v", answer.Text, err)
	}
	// The client has its answer before the server has noted that it was delivered.
	logged := logWith(t, f.logPath, "delivered")
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, event := range []string{"received", "step", "started", "generated", "delivered"} {
		if !bytes.Contains(logged, []byte(`"event":"`+event+`"`)) {
			t.Errorf("no %s in the log:\n%s", event, logged)
		}
	}
}

// logWith waits until the log has an event, and reads it.
func logWith(t *testing.T, path, event string) []byte {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		logged, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(logged, []byte(`"event":"`+event+`"`)) || time.Now().After(deadline) {
			return logged
		}
	}
}

func TestRunSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	scripts := filepath.Join(t.TempDir(), "scripts.json")
	if err := os.WriteFile(scripts, []byte(`[{"steps":[{"action":"explode"}]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	options := providertest.Options{Now: time.Now}
	for want, f := range map[string]flags{
		`unknown action "explode"`: {listen: "127.0.0.1:0", scriptsPath: scripts, options: options},
		"open scripts":             {listen: "127.0.0.1:0", scriptsPath: scripts + ".missing", options: options},
		"open call log":            {listen: "127.0.0.1:0", logPath: scripts + "/x", options: options},
		"listen":                   {listen: "127.0.0.1:-1", options: options},
	} {
		if err := run(t.Context(), f, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}
