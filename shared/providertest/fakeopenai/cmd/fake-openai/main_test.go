package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
)

// The program answers a question about a document as an adapter asks it.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, "127.0.0.1:0", "sk-1,sk-2", writer) }()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	provider, err := openaichat.New(openaichat.Options{
		BaseURL: strings.TrimSpace(strings.TrimPrefix(line, "ready ")), Model: "m", Now: time.Now,
		Key: func(context.Context) (string, error) { return "sk-2", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := provider.Call(ctx, llmprovider.Request{Prompt: llmprovider.Prompt{
		Instruction: "Answer.", Question: "Who elects the leader?",
		Document: llmprovider.DocumentText{ID: "d", Title: "Rules", Version: 1, Text: "The board meets in May.\n\nThe leader is elected by the developers.\n"},
	}})
	if err != nil || !strings.Contains(answer.Text, "elected by the developers") {
		t.Errorf("got %q, %v", answer.Text, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := run(t.Context(), "127.0.0.1:x", "", io.Discard); err == nil {
		t.Error("listens nowhere")
	}
}
