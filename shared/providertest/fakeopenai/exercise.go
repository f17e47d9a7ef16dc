package fakeopenai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest"
)

// testLimit ends a test that would otherwise hang.
const testLimit = 30 * time.Second

// Planted words. None may be found in a log or in an error.
const (
	plantedKey      = "sk-planted-key-4711"
	plantedQuestion = "planted question"
	plantedDocument = "planted document"
	plantedAnswer   = "planted answer"
)

// Settings are what the suite sets of an adapter.
type Settings struct {
	BaseURL string
	Key     func(context.Context) (string, error)
	Client  *http.Client // nil: the adapter's own
	Log     *slog.Logger
	// MaxInputTokens is the limit of the prompt; zero means none.
	MaxInputTokens int
	// MaxReplyBytes is the limit of the answer's text.
	MaxReplyBytes int
}

// Adapter is what the suite exercises.
type Adapter struct {
	New func(t *testing.T, s Settings) llmprovider.Provider
	// Model is the model that it asks for.
	Model string
	// Stream: it asks for streams.
	Stream bool
	// Responses: it speaks the Responses API, where a failure in an answer is the
	// stated end of a response.
	Responses bool
}

// Exercise checks an adapter against what package llmprovider asks of it and the
// classes of OpenAI's outcomes, with the server as the witness. Every subtest has a
// server of its own, and fails on any violation of the API and on any planted word
// in a log or an error.
func Exercise(t *testing.T, a Adapter) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Adapter){
		"Basics":                              basics,
		"TestCaseM1OneRequestPerCall":         oneRequestPerCall,
		"TestCaseM1ReusedConnection":          reusedConnection,
		"TestCaseM1NothingSentIsRejected":     nothingSent,
		"TestCaseM2RetryAfter":                retryAfter,
		"TestCaseM4FailureInsideSuccess":      failureInsideSuccess,
		"TestCaseM6NoAnswerIsNoSuccess":       noAnswerIsNoSuccess,
		"TestCaseM7PermanentErrors":           permanentErrors,
		"TestCaseM7TooLongIsNotSent":          tooLongIsNotSent,
		"TestCaseM8OddTextReachesTheProvider": oddText,
		"TestCaseM9CancelEndsTheCall":         cancelEndsTheCall,
		"SameBytesForSamePrompt":              sameBytes,
		"ParallelCallsKeepApart":              parallelCalls,
		"Keys":                                keys,
		"UnreadableAnswerIsAmbiguous":         unreadableAnswer,
		"UnknownIsLoggedOnce":                 unknownIsLoggedOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

// scene is one question, asked of a fresh adapter and a fresh server.
type scene struct {
	t        *testing.T
	ctx      context.Context
	server   *Server
	settings Settings
	adapter  Adapter
	provider llmprovider.Provider
	request  llmprovider.Request
	log      *logBuffer
}

func newScene(t *testing.T, a Adapter, steps ...Step) *scene {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), testLimit, fmt.Errorf("test took longer than %s", testLimit))
	t.Cleanup(cancel)
	s := &scene{t: t, ctx: ctx, adapter: a, log: &logBuffer{}}
	s.server = NewServer(t, Options{
		Now: time.Now, Keys: []string{plantedKey}, Models: []string{a.Model},
		Reply: func(asked Asked) string { return fmt.Sprintf("%s %d", plantedAnswer, asked.Generation) },
	})
	if err := s.server.Script("", steps...); err != nil {
		t.Fatal(err)
	}
	s.settings = Settings{
		BaseURL: s.server.BaseURL, Log: slog.New(slog.NewJSONHandler(s.log, nil)), MaxReplyBytes: 1 << 20,
		Key: func(context.Context) (string, error) { return plantedKey, nil },
	}
	s.request = llmprovider.Request{Prompt: samplePrompt(), Key: "key of the task"}
	t.Cleanup(func() { s.checkLeak("log", s.log.String()) })
	s.renew()
	return s
}

// renew makes the adapter anew from the settings.
func (s *scene) renew() { s.provider = s.adapter.New(s.t, s.settings) }

func samplePrompt() llmprovider.Prompt {
	return llmprovider.Prompt{
		Instruction: "Answer from the document.",
		Document:    llmprovider.DocumentText{ID: "d-1", Title: "Rules", Version: 4, Text: "1. " + plantedDocument + "\n\nThe board decides."},
		History:     []llmprovider.Turn{{Question: "Who?", Answer: "The board."}},
		Question:    plantedQuestion,
		Version:     1,
	}
}

func (s *scene) checkLeak(where, text string) {
	s.t.Helper()
	for _, planted := range []string{plantedKey, plantedQuestion, plantedDocument, plantedAnswer} {
		if strings.Contains(text, planted) {
			s.t.Errorf("%q is in the %s: %s", planted, where, text)
		}
	}
}

func (s *scene) call() (llmprovider.Answer, error) {
	answer, err := s.provider.Call(s.ctx, s.request)
	if err != nil {
		s.checkLeak("error", err.Error())
	}
	return answer, err
}

func (s *scene) wantAnswer() llmprovider.Answer {
	s.t.Helper()
	answer, err := s.call()
	if err != nil {
		s.t.Fatalf("call: %v", err)
	}
	return answer
}

func (s *scene) wantFailure(kind llmprovider.Kind, reason string) *llmprovider.Error {
	s.t.Helper()
	answer, err := s.call()
	return checkFailure(s.t, answer, err, kind, reason)
}

func checkFailure(t *testing.T, answer llmprovider.Answer, err error, kind llmprovider.Kind, reason string) *llmprovider.Error {
	t.Helper()
	failure, ok := errors.AsType[*llmprovider.Error](err)
	if !ok {
		t.Fatalf("got answer %q and error %v, want an *llmprovider.Error", answer.Text, err)
	}
	if failure.Kind != kind || failure.Reason != reason {
		t.Fatalf("got %v, want %s (%s)", failure, kind, reason)
	}
	if answer.Text != "" {
		t.Errorf("a failed call returned the text %q", answer.Text)
	}
	return failure
}

// wantRequests checks what the server has seen.
func (s *scene) wantRequests(requests, generations int) {
	s.t.Helper()
	totals := s.server.Totals()
	if totals.Requests != requests || totals.Generations != generations || totals.Others != 0 {
		s.t.Errorf("the server saw %+v, want %d requests and %d generations", totals, requests, generations)
	}
}

// logBuffer collects a log that several goroutines write.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func basics(t *testing.T, a Adapter) {
	t.Helper()
	s := newScene(t, a)
	providertest.ExerciseBasics(t, s.provider)
	answer := s.wantAnswer()
	if answer.Model != a.Model || answer.InputTokens == 0 || answer.OutputTokens == 0 || answer.ProviderRequestID == "" {
		t.Errorf("answer is %+v", answer)
	}
	if capability := s.provider.Capability(); capability.IdempotencyKey || capability.RecoverySupported() != capability.Lookup {
		t.Errorf("no key is documented, and the capability is %+v", capability)
	}
}

// closedAddress is the address of a port on which nobody listens.
func closedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String() + BasePath
}
