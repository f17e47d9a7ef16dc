// Package faketest is for tests of fakes.
package faketest

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// Answers runs a program and asks it a question about a document through an adapter,
// first as its script says and then plainly. The log must have both requests, and the
// program must end in order.
func Answers(t *testing.T, program fakewire.Program, connect func(baseURL string) (llmprovider.Provider, error)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- program.Run(ctx, "127.0.0.1:0", writer) }()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	baseURL := strings.TrimSpace(strings.TrimPrefix(line, "ready "))
	provider, err := connect(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := control(t, http.MethodPost, baseURL, "/control/scripts", `{"match":"leader","steps":[{"text":"As the script says."}]}`); status != http.StatusCreated {
		t.Errorf("script: status %d", status)
	}
	if status, _ := control(t, http.MethodPost, baseURL, "/control/scripts", `{"steps":[{"action":"dance"}]}`); status != http.StatusBadRequest {
		t.Errorf("a script that makes no sense: status %d", status)
	}
	for _, want := range []string{"As the script says.", "elected by the developers"} {
		answer, err := provider.Call(ctx, llmprovider.Request{Prompt: llmprovider.Prompt{
			Instruction: "Answer.", Question: "Who elects the leader?",
			Document: llmprovider.DocumentText{ID: "d", Title: "Rules", Version: 1, Text: "The board meets in May.\n\nThe leader is elected by the developers.\n"},
		}})
		if err != nil || !strings.Contains(answer.Text, want) {
			t.Errorf("got %q, %v, want %q", answer.Text, err, want)
		}
	}
	_, body := control(t, http.MethodGet, baseURL, "/control/log", "")
	var log struct {
		Totals struct{ Requests, Generations int }
	}
	if err := json.Unmarshal([]byte(body), &log); err != nil || log.Totals.Requests != 2 || log.Totals.Generations != 2 {
		t.Errorf("log %s, %v", body, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := program.Run(t.Context(), "127.0.0.1:x", io.Discard); err == nil {
		t.Error("listens nowhere")
	}
}

func control(t *testing.T, method, baseURL, path, body string) (int, string) {
	t.Helper()
	address, err := url.Parse(baseURL)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+address.Host+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	status, _, answer := Do(t, request)
	return status, answer
}

// Do makes a request and reads its answer.
func Do(t *testing.T, request *http.Request) (status int, header http.Header, body string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(read)
}
