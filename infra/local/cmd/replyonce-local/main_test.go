package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/infra/local/internal/testprograms"
	"github.com/replyonce/replyonce/infra/local/stack"
)

var programs string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, remove, err := testprograms.Dir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	programs = dir
	return m.Run()
}

// environment is what getenv reads; without settings of the machine that the tests run on.
func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestSettings(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		args   []string
		env    map[string]string
		expect func(stack.Options) bool
		err    string // part of the message
	}{
		"defaults": {expect: func(o stack.Options) bool {
			return o.Port == 8080 && o.Listen == "127.0.0.1" && o.Profile == "default" && o.Workers == 2 &&
				strings.HasSuffix(o.DataDir, "replyonce") && o.Endpoint == ""
		}},
		"variables": {
			env: map[string]string{
				"REPLYONCE_PORT": "9000", "REPLYONCE_DATA": "/d", "REPLYONCE_LISTEN": "0.0.0.0", "REPLYONCE_PROFILE": "short",
				"REPLYONCE_PROVIDER": "scripted", "REPLYONCE_PROVIDER_URL": "http://p", "REPLYONCE_WORKERS": "4",
				"REPLYONCE_ATTEMPTS": "3", "REPLYONCE_CALLS": "6", "REPLYONCE_DEADLINE": "45s",
				"AWS_ENDPOINT_URL": "http://localhost:4566",
			},
			expect: func(o stack.Options) bool {
				return o.Port == 9000 && o.DataDir == "/d" && o.Listen == "0.0.0.0" && o.Profile == "short" &&
					o.Provider == "scripted" && o.ProviderURL == "http://p" && o.Workers == 4 &&
					o.Attempts == "3" && o.Calls == "6" && o.Deadline == "45s" && o.Endpoint == "http://localhost:4566"
			},
		},
		"a provider with a key": {
			args: []string{"-provider", "openai", "-model", "m", "-max-output-tokens", "500"},
			env:  map[string]string{"REPLYONCE_PROVIDER_KEY": "key-1", "REPLYONCE_MAX_INPUT_TOKENS": "9000", "REPLYONCE_PROVIDER_SECRET": "keys"},
			expect: func(o stack.Options) bool {
				return o.Provider == "openai" && o.Model == "m" && o.ProviderKey.Reveal() == "key-1" &&
					o.MaxOutputTokens == "500" && o.MaxInputTokens == "9000" && o.ProviderSecret == "keys"
			},
		},
		"a collector of spans": {
			env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_EXPORTER_OTLP_HEADERS": "key=1", "OTEL_LOG_LEVEL": "debug"},
			expect: func(o stack.Options) bool {
				return maps.Equal(o.Env, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318", "OTEL_EXPORTER_OTLP_HEADERS": "key=1"})
			},
		},
		"settings of the api function": {
			env: map[string]string{"REPLYONCE_CALLER_RATE": "100", "REPLYONCE_ALLOWED_ORIGIN": "https://app.example.com"},
			expect: func(o stack.Options) bool {
				return maps.Equal(o.Env, map[string]string{"REPLYONCE_CALLER_RATE": "100", "REPLYONCE_ALLOWED_ORIGIN": "https://app.example.com"})
			},
		},
		"keys are no flags": {args: []string{"-provider-key", "key-1"}, err: "read flags"},
		"flags go before variables": {
			args: []string{"-port", "0", "-data="}, env: map[string]string{"REPLYONCE_PORT": "9000", "REPLYONCE_DATA": "/d"},
			expect: func(o stack.Options) bool { return o.Port == 0 && o.DataDir == "" },
		},
		"port is no number":  {env: map[string]string{"REPLYONCE_PORT": "http"}, err: `REPLYONCE_PORT is "http": set it to a number from 0 to 65535`},
		"port too large":     {args: []string{"-port", "70000"}, err: "REPLYONCE_PORT"},
		"no workers":         {env: map[string]string{"REPLYONCE_WORKERS": "0"}, err: "REPLYONCE_WORKERS"},
		"listen on a name":   {env: map[string]string{"REPLYONCE_LISTEN": "example.com"}, err: "REPLYONCE_LISTEN"},
		"odd boolean":        {args: []string{"-stage-in-path", "maybe"}, err: "true or false"},
		"stray argument":     {args: []string{"start"}, err: `"start" is not understood`},
		"unknown flag":       {args: []string{"-prot", "1"}, err: "read flags"},
		"two wrong settings": {env: map[string]string{"REPLYONCE_PORT": "x", "REPLYONCE_WORKERS": "x"}, err: "REPLYONCE_WORKERS"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := parse(c.args, environment(c.env), &bytes.Buffer{})
			switch {
			case c.err == "" && (err != nil || !c.expect(o)):
				t.Errorf("options %+v, %v", o, err)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("error %v", err)
			}
		})
	}
}

// output is written by the program and watched by the test.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(data)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestRunSaysReadyAndStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errOut output
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"-port", "0", "-data", t.TempDir(), "-binaries", programs}, environment(nil), &out, &errOut)
	}()
	for deadline := time.Now().Add(15 * time.Second); !strings.Contains(out.String(), "ready http://127.0.0.1:"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not ready: %s%s", out.String(), errOut.String())
		}
	}
	cancel()
	if got := <-code; got != 0 || !strings.HasSuffix(out.String(), "stopping\n") || errOut.String() != "" {
		t.Errorf("exit code %d, %s%s", got, out.String(), errOut.String())
	}
}

func TestRunExplainsATakenPort(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	number, _ := strconv.Atoi(port)
	var out, errOut output
	code := run(t.Context(), []string{"-port", port, "-data=", "-binaries", programs}, environment(nil), &out, &errOut)
	want := fmt.Sprintf("cannot start: port %s is taken: stop the program that uses it, or choose another port, for example REPLYONCE_PORT=%d\n", port, number+1)
	if code != 1 || errOut.String() != want {
		t.Errorf("exit code %d, %s", code, errOut.String())
	}
}

func TestSecondSignalEndsAtOnceUnlessItIsTheSameOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 1)
		stopped, exited := make(chan struct{}), make(chan struct{})
		go obey(signals, func() { close(stopped) }, func() { close(exited) })
		signals <- os.Interrupt
		<-stopped
		time.Sleep(impatience / 2)
		signals <- os.Interrupt
		synctest.Wait()
		select {
		case <-exited:
			t.Fatal("a repeated signal ended the program")
		default:
		}
		time.Sleep(impatience)
		signals <- syscall.SIGTERM
		<-exited
		close(signals)
	})
}
