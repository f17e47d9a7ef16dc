package sizes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"sync"
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

// Start is how long a function takes to start.
type Start struct {
	Function string `json:"function"`
	Runs     int    `json:"runs"`
	// Init is from the start of the process until it asks for its first event,
	// as the emulator reports it; Answer is a whole first invocation.
	Init   time.Duration `json:"init_ns"`   // median
	Answer time.Duration `json:"answer_ns"` // median
}

// Program is a function's binary for this machine, with what it needs to start.
type Program struct {
	Function    string
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
			return Start{}, fmt.Errorf("start %s: %w", p.Function, err)
		}
		inits, answers = append(inits, begun.Init), append(answers, begun.Answer)
	}
	return Start{Function: p.Function, Runs: runs, Init: median(inits), Answer: median(answers)}, nil
}

func startOnce(ctx context.Context, emulator string, p Program) (s Start, err error) {
	runtimeAPI, err := freeAddress()
	if err != nil {
		return Start{}, err
	}
	frontend, err := freeAddress()
	if err != nil {
		return Start{}, err
	}
	cmd := exec.Command(emulator, "--runtime-api-address", runtimeAPI, "--runtime-interface-emulator-address", frontend, p.Binary)
	cmd.Env = p.Environment
	output := &log{}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = time.Second
	if err := childprocess.Start(cmd); err != nil {
		return Start{}, fmt.Errorf("start the runtime interface emulator: %w", err)
	}
	defer func() {
		if stopErr := stop(cmd); stopErr != nil {
			err = errors.Join(err, stopErr)
		}
	}()
	if err := awaitListener(ctx, frontend); err != nil {
		return Start{}, fmt.Errorf("%w\n%s", err, output)
	}
	begun := time.Now()
	if err := invoke(ctx, "http://"+frontend+"/2015-03-31/functions/function/invocations", p.Event); err != nil {
		return Start{}, fmt.Errorf("%w\n%s", err, output)
	}
	s.Answer = time.Since(begun)
	s.Init, err = output.init()
	return s, err
}

// freeAddress finds a loopback port that nobody uses now.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
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
			return context.Cause(ctx) //nolint:wrapcheck // says what was waited for
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

// stop ends the emulator, which ends the function.
func stop(cmd *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop the runtime interface emulator: %w", err)
	}
	select {
	case <-ended: // by the signal, so with an error that says just that
	case <-time.After(stopLimit):
		_ = cmd.Process.Kill() // it may have ended by itself
		<-ended
	}
	return nil
}

// log keeps what the emulator and the function write.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p) //nolint:wrapcheck // a buffer never fails
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var initReport = regexp.MustCompile(`INIT REPORT\(durationMs: ([0-9.]+)`)

// init reads the emulator's report.
func (l *log) init() (time.Duration, error) {
	found := initReport.FindStringSubmatch(l.String())
	if found == nil {
		return 0, fmt.Errorf("the runtime interface emulator has not reported an initialisation:\n%s", l)
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
