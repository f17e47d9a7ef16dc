// Package emulator runs the AWS emulator (github.com/sivchari/kumo) as a child process.
//
// The emulator answers from memory. With a data folder it writes everything that has changed to files of
// that folder, once a second; Close waits until the last change is there. Killed hard, it loses what is
// younger than its last writing, and messages that a worker had in hand are never written: the dispatcher
// publishes their tasks again when they are due.
package emulator

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/replyonce/replyonce/infra/local/childprocess"
)

// Package is the program that Start runs, relative to the module's folder.
const Package = "./infra/local/cmd/emulator"

// startLimit bounds how long the emulator may take to load its data folder.
const startLimit = time.Minute

// Options say how to run the emulator.
type Options struct {
	Path    string // the built program
	DataDir string // "" keeps everything in memory only
	Region  string
}

// Emulator is a running emulator.
type Emulator struct {
	options Options
	url     string
	cmd     *exec.Cmd
	stdin   io.Closer
	exited  chan struct{}

	mu     sync.Mutex
	reason string // set before exited is closed
}

// snapshots are the files that hold what the stack stores, one for each service.
var snapshots = []string{"dynamodb.json", "sqs.json", "s3.json"}

// Start starts the emulator and waits until it answers.
func Start(ctx context.Context, o Options) (*Emulator, error) {
	if err := checkSnapshots(o.DataDir); err != nil {
		return nil, err
	}
	cmd := exec.Command(o.Path) //nolint:gosec,noctx // a program of ours, which outlives the start
	cmd.Env = []string{"AWS_DEFAULT_REGION=" + o.Region, "KUMO_DATA_DIR=" + o.DataDir}
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the emulator: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the emulator: %w", err)
	}
	if err := childprocess.Start(cmd); err != nil {
		return nil, fmt.Errorf("start the emulator: %w", err)
	}
	e := &Emulator{options: o, cmd: cmd, stdin: stdin, exited: make(chan struct{})}
	address := make(chan string, 1)
	go e.wait(stdout, address)
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errors.New("the emulator did not say its address"))
	defer cancel()
	select {
	case e.url = <-address:
		return e, nil
	case <-e.exited:
		return nil, fmt.Errorf("start the emulator: it ended: %s", e.Reason())
	case <-ctx.Done():
		e.Kill()
		return nil, fmt.Errorf("start the emulator: %w", context.Cause(ctx))
	}
}

// wait reads the address and then waits for the end of the process. All output has to be read before.
func (e *Emulator) wait(stdout io.Reader, address chan<- string) {
	lines := bufio.NewReader(stdout)
	if line, err := lines.ReadString('\n'); err == nil {
		address <- strings.TrimSpace(line)
	}
	_, _ = io.Copy(io.Discard, lines)
	_ = e.cmd.Wait() // its state says how it ended
	e.mu.Lock()
	e.reason = e.cmd.ProcessState.String()
	e.mu.Unlock()
	close(e.exited)
}

// URL is the emulator's endpoint.
func (e *Emulator) URL() string { return e.url }

// Exited is closed when the process has ended.
func (e *Emulator) Exited() <-chan struct{} { return e.exited }

// Reason says how the process ended.
func (e *Emulator) Reason() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reason
}

// Kill ends the process with SIGKILL and waits for it.
func (e *Emulator) Kill() {
	_ = e.cmd.Process.Kill() // it may have ended by itself
	<-e.exited
}

// Close ends the process. Everything that was written before the last Flush is in the data folder then.
func (e *Emulator) Close() {
	_ = e.stdin.Close()
	select {
	case <-e.exited:
	case <-time.After(2 * time.Second):
		e.Kill()
	}
}

// checkSnapshots refuses a data folder that the emulator could not read: it would start empty and then
// write over what is left.
func checkSnapshots(dir string) error {
	if dir == "" {
		return nil
	}
	for _, name := range snapshots {
		content, err := os.ReadFile(filepath.Join(dir, name)) //nolint:gosec // the data folder
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read data folder: %w", err)
		}
		if !json.Valid(content) {
			return fmt.Errorf("%s is damaged: move it away to start without what it holds, or restore it",
				filepath.Join(dir, name))
		}
	}
	return nil
}
