package localstack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/replyonce/replyonce/infra/local/childprocess"
)

const startLimit = time.Minute

// Engine is a running emulator.
type Engine struct {
	URL    string
	cmd    *exec.Cmd // nil for one that somebody else has started
	folder string
	exited chan struct{}
}

// Reach finds an emulator that runs.
func Reach(ctx context.Context, url string) (*Engine, error) {
	e := &Engine{URL: url}
	if err := e.healthy(ctx); err != nil {
		return nil, fmt.Errorf("there is no emulator at %s (docker compose -f infra/localstack/compose.yaml up -d): %w", url, err)
	}
	return e, nil
}

// StartMiniStack starts MiniStack on a free port, and keeps nothing of it. What it
// and the functions write goes to log.
func StartMiniStack(ctx context.Context, program string, log *os.File) (*Engine, error) {
	program, err := filepath.Abs(program) // it runs in another folder
	if err != nil {
		return nil, fmt.Errorf("find MiniStack: %w", err)
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "replyonce-ministack-")
	if err != nil {
		return nil, fmt.Errorf("make folder for the emulator: %w", err)
	}
	e := &Engine{URL: "http://127.0.0.1:" + strconv.Itoa(port), folder: folder, exited: make(chan struct{})}
	e.cmd = exec.Command(program) //nolint:noctx // the installed emulator, which outlives the start
	e.cmd.Dir = folder
	e.cmd.Env = append(os.Environ(),
		"BIND_HOST=127.0.0.1", "GATEWAY_PORT="+strconv.Itoa(port), "STATE_DIR="+filepath.Join(folder, "state"), "S3_DATA_DIR="+filepath.Join(folder, "s3"),
		"AWS_ENDPOINT_URL="+e.URL) // functions get it from here
	e.cmd.Stdout, e.cmd.Stderr = log, log
	if err := childprocess.Start(e.cmd); err != nil {
		return nil, fmt.Errorf("start MiniStack: %w", err)
	}
	go func() {
		_ = e.cmd.Wait() // its state says how it ended
		close(e.exited)
	}()
	if err := e.await(ctx); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *Engine) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errors.New("MiniStack does not answer"))
	defer cancel()
	for e.healthy(ctx) != nil {
		select {
		case <-e.exited:
			return fmt.Errorf("MiniStack has ended: %s", e.cmd.ProcessState)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

// healthy asks as LocalStack answers it, and those like it.
func (e *Engine) healthy(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.URL+"/_localstack/health", http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the emulator: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask the emulator: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // the status says it
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask the emulator: it answered %s", response.Status)
	}
	return nil
}

// Close ends an emulator that was started here.
func (e *Engine) Close() {
	if e.cmd == nil {
		return
	}
	_ = e.cmd.Process.Signal(os.Interrupt) // it may have ended by itself
	select {
	case <-e.exited:
	case <-time.After(10 * time.Second):
		_ = e.cmd.Process.Kill()
		<-e.exited
	}
	_ = os.RemoveAll(e.folder) // a temporary folder of ours
}

func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = listener.Close() }() // it was opened for its number
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, nil
}
