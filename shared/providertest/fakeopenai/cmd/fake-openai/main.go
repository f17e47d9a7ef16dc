// Command fake-openai runs the fake of OpenAI's APIs as a program of its own, for
// demonstrations and drills. It prints "ready http://address/v1" when it takes
// requests: that is the base URL for both the Responses and the Chat Completions
// adapter. Plain answers quote the sentences of the document that fit the question
// best, so that a real question about a real document is answered without a model.
//
// GET /control/log tells what arrived, POST /control/scripts says what happens next;
// see package fakeopenai.
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
	"strings"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
)

// Limits of the server. Nothing limits the time of an answer: it may be held.
const (
	headerTime   = 10 * time.Second
	shutdownTime = 2 * time.Second
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	keys := flag.String("keys", "", "keys that are accepted, with commas between; empty: requests carry none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *keys, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fake-openai:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, keys string, out io.Writer) error {
	options := fakeopenai.Options{Now: time.Now, Reply: quote}
	if keys != "" {
		options.Keys = strings.Split(keys, ",")
	}
	fake, err := fakeopenai.New(options)
	if err != nil {
		return fmt.Errorf("make server: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: fake, ReadHeaderTimeout: headerTime, ConnContext: fake.ConnContext}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(out, "ready http://%s%s\n", listener.Addr(), fakeopenai.BasePath); err != nil {
		return fmt.Errorf("say ready: %w", err)
	}
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	fake.Close()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ending); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}

// quote answers from the document in the first turn.
func quote(asked fakeopenai.Asked) string {
	document, question := asked.Turns[0].Text, asked.Question()
	if at := strings.LastIndex(question, "Question:\n"); at >= 0 {
		question = question[at+len("Question:\n"):]
	}
	if at := strings.LastIndex(document, "\nQuestion:\n"); at >= 0 {
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
