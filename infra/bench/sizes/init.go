package sizes

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/infra/local/childprocess"
)

const (
	startLimit  = 10 * time.Second // for the runtime interface emulator
	answerLimit = 10 * time.Second // for the first invocation, initialisation included
	stopLimit   = 3 * time.Second
	poll        = 5 * time.Millisecond
)

// Start is how long a program takes to start.
type Start struct {
	Program string `json:"program"`
	Runs    int    `json:"runs"`
	// Init is from the start of the process until it asks for its first event,
	// as the emulator reports it; Answer is a whole first invocation.
	Init   time.Duration `json:"init_ns"`   // median
	Answer time.Duration `json:"answer_ns"` // median
}

// Program is a function's binary for this machine, with what it needs to start.
type Program struct {
	Name        string
	Binary      string
	Environment []string // NAME=value, all of it
	Event       string   // JSON
}

// MeasureStart starts the program that many times under the runtime interface
// emulator, each time in new processes.
func MeasureStart(ctx context.Context, emulator string, p Program, runs int) (Start, error) {
	var inits, answers []time.Duration
	for range runs {
		begun, err := startOnce(ctx, emulator, p)
		if err != nil {
			return Start{}, fmt.Errorf("start %s: %w", p.Name, err)
		}
		inits, answers = append(inits, begun.Init), append(answers, begun.Answer)
	}
	return Start{Program: p.Name, Runs: runs, Init: median(inits), Answer: median(answers)}, nil
}

func startOnce(ctx context.Context, emulator string, p Program) (Start, error) {
	runtimeAPI, err := freeAddress(ctx)
	if err != nil {
		return Start{}, err
	}
	frontend, err := freeAddress(ctx)
	if err != nil {
		return Start{}, err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(running, emulator, //nolint:gosec // our own tool and our own programs
		"--runtime-api-address", runtimeAPI, "--runtime-interface-emulator-address", frontend, p.Binary)
	cmd.Env = p.Environment
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // on which it ends the function, too
	cmd.WaitDelay = stopLimit
	if err := childprocess.Start(cmd); err != nil {
		return Start{}, fmt.Errorf("start the runtime interface emulator: %w", err)
	}
	err = awaitListener(ctx, runtimeAPI) // without it the function would end at once
	var answer time.Duration
	if err == nil {
		answer, err = firstAnswer(ctx, frontend, p.Event)
	}
	stop()
	_ = cmd.Wait() // says that it was stopped; after it all output is there
	if err != nil {
		return Start{}, fmt.Errorf("%w\n%s", err, &output)
	}
	took, err := initOf(output.String())
	return Start{Init: took, Answer: answer}, err
}

// firstAnswer waits until the emulator listens, and then measures an invocation.
func firstAnswer(ctx context.Context, address, event string) (time.Duration, error) {
	if err := awaitListener(ctx, address); err != nil {
		return 0, err
	}
	begun := time.Now()
	err := invoke(ctx, "http://"+address+"/2015-03-31/functions/function/invocations", event)
	return time.Since(begun), err
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

func awaitListener(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("nobody listens on %s after %s", address, startLimit))
	defer cancel()
	dialer := net.Dialer{}
	for {
		connection, err := dialer.DialContext(ctx, "tcp", address)
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

// invoke waits for any answer: what the function makes of the event is not what
// is measured.
func invoke(ctx context.Context, url, event string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerLimit, fmt.Errorf("no answer after %s", answerLimit))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(event)))
	if err != nil {
		return fmt.Errorf("invoke: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("invoke: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // read to its end
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

var initReport = regexp.MustCompile(`INIT REPORT\(durationMs: ([0-9.]+)`)

// initOf reads the emulator's report in what it wrote.
func initOf(output string) (time.Duration, error) {
	found := initReport.FindStringSubmatch(output)
	if found == nil {
		return 0, fmt.Errorf("the runtime interface emulator has not reported an initialisation:\n%s", output)
	}
	ms, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0, fmt.Errorf("read the report of the initialisation: %w", err)
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
