package sam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	listenLimit = time.Minute      // for SAM CLI to listen; it may build an image before
	stopLimit   = 30 * time.Second // for SAM CLI to remove its containers
	region      = "us-east-1"      // as the one-machine stack's
)

// API is a running sam local start-api.
type API struct {
	cmd    *exec.Cmd
	port   int
	exited chan struct{}
}

// StartAPI starts the API of the template in containers, and waits until it
// answers. Containers stay for the next request.
func (l *Local) StartAPI(ctx context.Context, port int) (*API, error) {
	if port == 0 {
		var err error
		if port, err = freePort(ctx); err != nil {
			return nil, err
		}
	}
	cmd := l.command(context.WithoutCancel(ctx), "local", "start-api", "--template", l.Template,
		"--host", "127.0.0.1", "--port", strconv.Itoa(port), "--warm-containers", "LAZY", "--skip-pull-image", "--region", region)
	cmd.Stdout, cmd.Stderr = l.options.Output, l.options.Output
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start SAM CLI: %w", err)
	}
	a := &API{cmd: cmd, port: port, exited: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its state says how it ended
		close(a.exited)
	}()
	if err := a.await(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// URL is SAM CLI's own port.
func (a *API) URL() string { return "http://127.0.0.1:" + strconv.Itoa(a.port) }

// Exited is closed when SAM CLI has ended by itself.
func (a *API) Exited() <-chan struct{} { return a.exited }

func (a *API) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, listenLimit, errors.New("SAM CLI does not listen"))
	defer cancel()
	for {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(a.port)))
		if err == nil {
			_ = connection.Close() // only to see that it opens
			return nil
		}
		select {
		case <-a.exited:
			return fmt.Errorf("SAM CLI has ended: %s", a.cmd.ProcessState)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Close stops SAM CLI, which removes its containers.
func (a *API) Close() {
	_ = a.cmd.Process.Signal(syscall.SIGINT) // it may have ended by itself
	select {
	case <-a.exited:
	case <-time.After(stopLimit):
		_ = a.cmd.Process.Kill()
		<-a.exited
	}
}

// Invoke sends one event to a function in a container and returns its answer.
func (l *Local) Invoke(ctx context.Context, logicalID string, event []byte) ([]byte, error) {
	file := filepath.Join(filepath.Dir(l.Template), "event.json")
	if err := os.WriteFile(file, event, 0o600); err != nil {
		return nil, fmt.Errorf("write event: %w", err)
	}
	cmd := l.command(ctx, "local", "invoke", logicalID, "--template", l.Template, "--event", file, "--skip-pull-image", "--region", region)
	var answer bytes.Buffer
	cmd.Stdout, cmd.Stderr = &answer, l.options.Output
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("invoke %s: %w\n%s", logicalID, err, &answer)
	}
	return bytes.TrimSpace(answer.Bytes()), nil
}

// command runs SAM CLI in a process group of its own: Ctrl-C reaches it through
// Close alone, after what it needs to remove its containers.
func (l *Local) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.options.SAM, args...) //nolint:gosec // the installed SAM CLI
	cmd.Env = append(os.Environ(), "SAM_CLI_TELEMETRY=0", "AWS_ACCESS_KEY_ID=sam", "AWS_SECRET_ACCESS_KEY=local", "AWS_REGION="+region)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopLimit
	return cmd
}

// freePort finds a port that nobody uses now.
func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = listener.Close() }() // it was opened for its number
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, nil
}

// Healthy reports whether the API answers.
func (a *API) Healthy(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL()+"/healthz", http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the API: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask the API: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // the status says it
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask the API: it answered %s", response.Status)
	}
	return nil
}
