// Command scripted-provider runs the scripted model provider as a program of its
// own, for demonstrations and drills in which every other process may be killed.
// It prints "ready http://address" when it takes requests.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/shared/providertest"
)

type flags struct {
	listen, logPath, scriptsPath string
	options                      providertest.Options
}

func main() {
	var f flags
	flag.StringVar(&f.listen, "listen", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	flag.StringVar(&f.logPath, "log", "", "file to which the call log is appended as JSON lines")
	flag.StringVar(&f.scriptsPath, "scripts", "", "file with a JSON array of scripts to start with")
	flag.BoolVar(&f.options.IdempotencyKeys, "keys", false, "document and honour idempotency keys")
	flag.BoolVar(&f.options.RefuseConcurrentKeys, "refuse-concurrent-keys", false, "answer 409 while the first request with a key runs")
	flag.BoolVar(&f.options.Lookup, "lookup", false, "document and offer operations in the background")
	flag.Parse()
	f.options.Now = time.Now

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, f, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scripted-provider:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags, out io.Writer) (err error) {
	if f.logPath != "" {
		file, openErr := os.OpenFile(f.logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if openErr != nil {
			return fmt.Errorf("open call log: %w", openErr)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		f.options.LogSink = file
	}
	server, err := newServer(f)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	fmt.Fprintf(out, "ready http://%s\n", listener.Addr())

	select {
	case <-ctx.Done():
		return errors.Join(server.Close(), web.Close())
	case err := <-served:
		return errors.Join(fmt.Errorf("serve: %w", err), server.Close())
	}
}

func newServer(f flags) (*providertest.Server, error) {
	server, err := providertest.New(f.options)
	if err != nil || f.scriptsPath == "" {
		return server, err
	}
	file, err := os.Open(f.scriptsPath)
	if err != nil {
		return nil, fmt.Errorf("open scripts: %w", err)
	}
	defer file.Close()
	if err := server.LoadScripts(file); err != nil {
		return nil, fmt.Errorf("load %s: %w", f.scriptsPath, err)
	}
	return server, nil
}
