package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/local/internal/testprograms"
	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
)

var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, remove, err := testprograms.Dir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	binary = binaries.Path(dir, "worker")
	return m.Run()
}

type bundle struct {
	supervisor *Supervisor
	function   *lambdaruntime.Function

	mu    sync.Mutex
	lines []Line
}

func setup(t *testing.T, limit time.Duration) *bundle {
	t.Helper()
	server, err := lambdaruntime.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{function: server.NewFunction(lambdaruntime.Settings{Name: "test", ARN: "arn:test", Timeout: limit})}
	b.supervisor = New(func(line Line) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lines = append(b.lines, line)
	})
	t.Cleanup(func() {
		b.supervisor.Close()
		_ = server.Close()
	})
	return b
}

func (b *bundle) start(t *testing.T, name string, env ...string) *Process {
	t.Helper()
	p := b.supervisor.Start(Spec{
		Name: name, Path: binary, Function: b.function, FreezeIdle: true,
		Env: func(runtimeAPI string) []string {
			return append(env, "AWS_LAMBDA_RUNTIME_API="+runtimeAPI)
		},
	})
	return p
}

func (b *bundle) started(t *testing.T, name string) *Process {
	t.Helper()
	p := b.start(t, name)
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// order invokes the function and reads its answer.
func (b *bundle) order(ctx context.Context, text string) (pid int, err error) {
	result, err := b.function.Invoke(ctx, lambdaruntime.Request{Payload: []byte(text)})
	if err != nil {
		return 0, err
	}
	var answer struct {
		PID int `json:"pid"`
	}
	if err := json.Unmarshal(result.Payload, &answer); err != nil {
		return 0, fmt.Errorf("read answer: %w", err)
	}
	return answer.PID, nil
}

// seen waits for a line with the message from the process.
func (b *bundle) seen(t *testing.T, process, message string) Line {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		b.mu.Lock()
		for _, line := range b.lines {
			if line.Process == process && line.Message == message {
				b.mu.Unlock()
				return line
			}
		}
		b.mu.Unlock()
		if time.Now().After(deadline) {
			t.Fatalf("no line %q of %s", message, process)
		}
	}
}

func TestKilledProcessEndsItsInvocationAndIsReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	p := b.started(t, "worker-1")
	first, err := b.order(t.Context(), `{"do":"echo"}`)
	if err != nil || first != p.PID() {
		t.Fatalf("first answer from %d, process is %d, %v", first, p.PID(), err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := b.order(t.Context(), `{"do":"sleep","ms":60000}`)
		done <- err
	}()
	b.seen(t, "worker-1", "order")
	for deadline := time.Now().Add(10 * time.Second); b.count("order") < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the second order did not arrive")
		}
	}
	begun := time.Now()
	p.Kill()
	failure, ok := errors.AsType[*lambdaruntime.FunctionError](<-done)
	if !ok || failure.Type != lambdaruntime.TypeExit || !strings.Contains(failure.Message, "killed") {
		t.Errorf("killed invocation: %v", failure)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("the invocation ended %v after the process", took)
	}
	second, err := b.order(t.Context(), `{"do":"echo"}`)
	if err != nil || second == first || p.Starts() != 2 {
		t.Errorf("after the kill: pid %d (was %d), %d starts, %v", second, first, p.Starts(), err)
	}
	if line := b.seen(t, "worker-1", MessageExited); line.String("reason") != "signal: killed" {
		t.Errorf("exit line %+v", line)
	}
}

func (b *bundle) count(message string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, line := range b.lines {
		if line.Message == message {
			n++
		}
	}
	return n
}

func TestProcessThatOverrunsIsKilledAndReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, 300*time.Millisecond)
	p := b.started(t, "worker-1")
	_, err := b.order(t.Context(), `{"do":"sleep","ms":60000}`)
	if failure, ok := errors.AsType[*lambdaruntime.FunctionError](err); !ok || failure.Type != lambdaruntime.TypeTimeout {
		t.Errorf("overrun: %v", err)
	}
	if _, err := b.order(t.Context(), `{"do":"echo"}`); err != nil || p.Starts() != 2 {
		t.Errorf("after the overrun: %d starts, %v", p.Starts(), err)
	}
}

func TestPanicAndErrorAreFunctionErrors(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	p := b.started(t, "worker-1")
	cases := []struct{ order, message string }{
		{`{"do":"error","text":"no such thing"}`, "no such thing"},
		{`{"do":"panic","text":"oh"}`, "oh"},
	}
	for _, c := range cases {
		_, err := b.order(t.Context(), c.order)
		if failure, ok := errors.AsType[*lambdaruntime.FunctionError](err); !ok || failure.Message != c.message {
			t.Errorf("%s: %v", c.order, err)
		}
	}
	// A panic ends the process, an error does not.
	if _, err := b.order(t.Context(), `{"do":"echo"}`); err != nil || p.Starts() != 2 {
		t.Errorf("%d starts, %v", p.Starts(), err)
	}
}

func TestFrozenWorkerGoesOnAfterThaw(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	p := b.started(t, "worker-1")
	p.Freeze()
	done := make(chan error, 1)
	go func() {
		_, err := b.order(t.Context(), `{"do":"echo"}`)
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("a frozen process answered: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	p.Thaw()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestIdleProcessIsFrozen(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	p := b.started(t, "worker-1")
	if _, err := b.order(t.Context(), `{"do":"echo"}`); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); !stopped(t, p.PID()); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the process runs between two invocations")
		}
	}
}

// stopped reads the process state from the kernel.
func stopped(t *testing.T, pid int) bool {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no /proc here")
	}
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "T")
}

func TestFailingStartIsExplained(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	p := b.start(t, "worker-1", "TESTLAMBDA_FAIL=no table")
	err := p.Ready(t.Context())
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no table") {
		t.Errorf("ready: %v", err)
	}
	missing := b.supervisor.Start(Spec{
		Name: "missing", Path: binary + "-missing", Function: b.function,
		Env: func(string) []string { return nil },
	})
	if err := missing.Ready(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing binary: %v", err)
	}
}

func TestCloseEndsEveryProcess(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	working, frozen := b.started(t, "worker-1"), b.started(t, "worker-2")
	frozen.Freeze()
	done := make(chan error, 1)
	go func() {
		_, err := b.order(t.Context(), `{"do":"sleep","ms":60000}`)
		done <- err
	}()
	pids := []int{working.PID(), frozen.PID()}
	b.supervisor.Close()
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d after Close: %v", pid, err)
		}
	}
}

func TestParseLine(t *testing.T) {
	t.Parallel()
	cases := []struct {
		raw, message string
		fields       int
	}{
		{`{"msg":"task claimed","task_id":"T","assignment_version":2}`, "task claimed", 3},
		{`{"msg":1}`, "", 1},
		{`{broken`, "{broken", 0},
		{`panic: oh`, "panic: oh", 0},
	}
	for _, c := range cases {
		line := parseLine("worker-1", time.Time{}, []byte(c.raw))
		if line.Message != c.message || len(line.Fields) != c.fields {
			t.Errorf("%s: %+v", c.raw, line)
		}
	}
}

func FuzzLineWriter(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), 2)
	f.Fuzz(func(t *testing.T, data []byte, piece int) {
		var got []string
		w := &lineWriter{emit: func(raw []byte) { got = append(got, string(raw)) }}
		piece = max(1, piece%64)
		for rest := data; len(rest) > 0; {
			n := min(piece, len(rest))
			if written, err := w.Write(rest[:n]); written != n || err != nil {
				t.Fatalf("Write = %d, %v", written, err)
			}
			rest = rest[n:]
		}
		w.flush()
		var want []string
		for line := range strings.SplitSeq(string(data), "\n") {
			if line = strings.TrimRight(line, "\r"); line != "" {
				want = append(want, line)
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("lines %q, want %q", got, want)
		}
	})
}
