// Package rie starts a function's binary under AWS's Lambda runtime interface
// emulator, as a plain process: the runtime API that a function meets there is
// the one of Lambda, down to its error documents.
package rie

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/infra/local/childprocess"
)

const (
	startLimit = 10 * time.Second
	stopLimit  = 3 * time.Second
	poll       = 5 * time.Millisecond
	// path is the emulator's only one; the function's name in it is fixed.
	path = "/2015-03-31/functions/function/invocations"
)

// Path is where make puts the emulator, below the module's folder.
func Path(root string) string { return filepath.Join(root, "dist", "tools", "aws-lambda-rie") }

// Build makes the emulator where it is missing; that takes up to a minute.
func Build(ctx context.Context, root string) error {
	if _, err := os.Stat(Path(root)); err == nil {
		return nil
	}
	cmd := exec.CommandContext(ctx, "make", "-s", "dist/tools/aws-lambda-rie")
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the runtime interface emulator: %w\n%s", err, output)
	}
	return nil
}

// Options describe a function.
type Options struct {
	Emulator    string        // the emulator's program
	Binary      string        // the function's, built for this machine
	Environment []string      // NAME=value, all that the function gets
	Timeout     time.Duration // the function's, in whole seconds
}

// Function is a started function. It takes one event at a time, as an
// environment of Lambda does.
type Function struct {
	address string
	cmd     *exec.Cmd
	stop    context.CancelFunc
	output  buffer
}

// Start starts the emulator, which starts the function at its first event.
func Start(ctx context.Context, o Options) (*Function, error) {
	runtimeAPI, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	f := &Function{}
	if f.address, err = freeAddress(ctx); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx)) // it outlives the start
	f.stop = stop
	f.cmd = exec.CommandContext(running, o.Emulator, //nolint:gosec // our own tool and our own programs
		"--runtime-api-address", runtimeAPI, "--runtime-interface-emulator-address", f.address, o.Binary)
	f.cmd.Env = append([]string{fmt.Sprintf("AWS_LAMBDA_FUNCTION_TIMEOUT=%d", int(o.Timeout.Seconds()))}, o.Environment...)
	f.cmd.Stdout, f.cmd.Stderr = &f.output, &f.output
	f.cmd.Cancel = func() error { return f.cmd.Process.Signal(syscall.SIGTERM) } // on which it ends the function, too
	f.cmd.WaitDelay = stopLimit
	if err := childprocess.Start(f.cmd); err != nil {
		stop()
		return nil, fmt.Errorf("start the runtime interface emulator: %w", err)
	}
	// The emulator opens two ports, in any order. A function that finds no runtime API
	// yet ends at once, and the emulator takes that for the function's fault.
	for _, address := range []string{runtimeAPI, f.address} {
		if err := await(ctx, address); err != nil {
			f.Close()
			return nil, fmt.Errorf("%w\n%s", err, f.Output())
		}
	}
	return f, nil
}

// Invoke sends an event and returns what the function answers, which is an
// error document when it fails.
func (f *Function) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+f.address+path, bytes.NewReader(event))
	if err != nil {
		return nil, fmt.Errorf("invoke: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("invoke: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // read to its end
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("invoke: the emulator answered %s: %s", response.Status, answer)
	}
	return answer, nil
}

// Output is what emulator and function have written.
func (f *Function) Output() string { return f.output.String() }

// Close ends both and waits for them.
func (f *Function) Close() {
	f.stop()
	_ = f.cmd.Wait() // says that it was stopped
}

// freeAddress finds a loopback port that nobody uses now.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	if err := listener.Close(); err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), nil
}

func await(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errors.New("the runtime interface emulator does not listen"))
	defer cancel()
	for {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			_ = connection.Close() // only to see that it opens
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(poll):
		}
	}
}

// buffer is written by processes while others read it.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(data) //nolint:wrapcheck // never an error
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
