package fakewire

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
	"strings"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
)

// Limits of a program. Nothing limits the time of an answer: it may be held.
const (
	headerTime   = 10 * time.Second
	shutdownTime = 2 * time.Second
)

// Program is a fake that runs on its own.
type Program struct {
	Handler http.Handler
	// ConnContext is set on the http.Server.
	ConnContext func(context.Context, net.Conn) context.Context
	// Path follows the address in what is printed: the base URL of an adapter.
	Path string
	// Close ends everything that waits in the fake.
	Close func()
}

// Main runs a program until it is interrupted. build is called with the flags read.
func Main(name string, build func() (Program, error)) {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	program, err := build()
	if err == nil {
		err = program.Run(ctx, *listen, os.Stdout)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Run serves until ctx ends, and writes "ready http://address/path" when it takes
// requests.
func (p Program) Run(ctx context.Context, address string, out io.Writer) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: p.Handler, ReadHeaderTimeout: headerTime, ConnContext: p.ConnContext}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(out, "ready http://%s%s\n", listener.Addr(), p.Path); err != nil {
		return fmt.Errorf("say ready: %w", err)
	}
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	p.Close()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ending); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}

// Quote answers a chat from the document in its first turn: with the sentences that
// fit the question best, so that a real question about a real document is answered
// without a model.
func Quote(turns []llmprovider.ChatTurn) string {
	const mark = "Question:\n"
	document, question := turns[0].Text, turns[len(turns)-1].Text
	if at := strings.LastIndex(question, mark); at >= 0 {
		question = question[at+len(mark):]
	}
	if at := strings.LastIndex(document, "\n"+mark); at >= 0 {
		document = document[:at]
	}
	answer, err := builtin.New().Call(context.Background(), llmprovider.Request{Prompt: llmprovider.Prompt{
		Document: llmprovider.DocumentText{Title: "the document", Text: document}, Question: question,
	}})
	if err != nil {
		return "No answer: " + err.Error()
	}
	// The first paragraph of the built-in provider introduces itself.
	_, passages, found := strings.Cut(answer.Text, "\n\n")
	if !found {
		return answer.Text
	}
	return "A fake server answers: these passages share the most words with the question.\n\n" + passages
}
