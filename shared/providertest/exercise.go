package providertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// testLimit ends a test that would otherwise hang.
const testLimit = 30 * time.Second

// NewProvider makes the adapter under test for the server at baseURL, with the
// capability that the server states.
type NewProvider func(t *testing.T, baseURL string) llmprovider.Provider

// Exercise checks an adapter against what package llmprovider asks of it, with
// the server as the witness: every subtest looks at the server's log as well as
// at what the adapter returned. Keys and look-up are exercised if the server
// documents them. The subtests share the server and run one after the other.
func Exercise(t *testing.T, newProvider NewProvider, server *Server) {
	t.Helper()
	s := &suite{server: server, newProvider: newProvider}
	t.Run("Basics", func(t *testing.T) { ExerciseBasics(t, newProvider(t, server.URL)) })
	t.Run("TestCaseM1OneRequestPerCall", s.oneRequestPerCall)
	t.Run("TestCaseM1NothingSentIsRejected", s.nothingSent)
	t.Run("TestCaseM9CancelEndsTheCall", s.cancelEndsTheCall)
	t.Run("TestCaseM2RetryAfter", s.retryAfter)
	t.Run("TestCaseM4OverloadInsideSuccess", s.overloadInsideSuccess)
	t.Run("TestCaseM6NoAnswerIsNoSuccess", s.noAnswerIsNoSuccess)
	t.Run("TestCaseM7PermanentErrors", s.permanentErrors)
	t.Run("TestCaseM8OddTextReachesTheProvider", s.oddText)
	t.Run("SameBytesForSamePrompt", s.sameBytes)
	t.Run("ParallelCallsKeepApart", s.parallelCalls)
	if server.options.IdempotencyKeys {
		t.Run("IdempotencyKeys", s.idempotencyKeys)
	} else {
		t.Run("NoUndocumentedKey", s.noUndocumentedKey)
	}
	if server.options.Lookup {
		t.Run("Operations", s.operationsLookedUp)
	}
}

type suite struct {
	server      *Server
	newProvider NewProvider
}

// scene is one question with its script, asked of a fresh adapter.
type scene struct {
	*suite
	t        *testing.T
	ctx      context.Context
	provider llmprovider.Provider
	request  llmprovider.Request
	before   int // requests in the log before the scene
}

// scene starts with steps that answer the next requests for this test's question.
func (s *suite) scene(t *testing.T, steps ...Step) *scene {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), testLimit, fmt.Errorf("test took longer than %s", testLimit))
	t.Cleanup(cancel)
	t.Cleanup(s.server.Reset)
	question := "What happens in " + t.Name() + "?"
	if len(steps) > 0 {
		match := question
		if steps[0].Action == CutBeforeBody {
			match = ""
		}
		if _, err := s.server.Script(Script{Match: match, Steps: steps}); err != nil {
			t.Fatal(err)
		}
	}
	return &scene{
		suite: s, t: t, ctx: ctx,
		provider: s.newProvider(t, s.server.URL),
		request:  llmprovider.Request{Prompt: samplePrompt(question), Key: "key of " + t.Name()},
		before:   len(s.server.Calls()),
	}
}

func samplePrompt(question string) llmprovider.Prompt {
	return llmprovider.Prompt{
		Instruction: "Answer from the document.",
		Document:    llmprovider.DocumentText{ID: "d-1", Title: "Rules", Version: 4, Text: "1. Rules\n\nThe board decides."},
		History:     []llmprovider.Turn{{Question: "Who?", Answer: "The board."}},
		Question:    question,
		Version:     1,
	}
}

// calls are the requests of this scene, by the server's log.
func (s *scene) calls() []Call { return s.server.Calls()[s.before:] }

// wantRequests checks how many requests and generations the scene has caused.
func (s *scene) wantRequests(requests, generations int) {
	s.t.Helper()
	calls := s.calls()
	generated := 0
	for _, call := range calls {
		generated += btoi(call.Generation > 0)
	}
	if len(calls) != requests || generated != generations {
		s.t.Errorf("the provider saw %d requests and %d generations, want %d and %d: %+v",
			len(calls), generated, requests, generations, calls)
	}
}

func (s *scene) call() (llmprovider.Answer, error) {
	return s.provider.Call(s.ctx, s.request)
}

// wantAnswer calls and expects an answer.
func (s *scene) wantAnswer() llmprovider.Answer {
	s.t.Helper()
	answer, err := s.call()
	if err != nil {
		s.t.Fatalf("call: %v", err)
	}
	return answer
}

// wantFailure calls and expects an outcome of this kind and reason.
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

// waitFor waits for an event of the scene's question.
func (s *scene) waitFor(kind EventKind) Event {
	s.t.Helper()
	event, err := s.server.WaitFor(s.ctx, func(e Event) bool {
		return e.Kind == kind && s.server.log.call(e.RequestID).Question == s.request.Prompt.Question
	})
	if err != nil {
		s.t.Fatalf("wait for %s: %v", kind, err)
	}
	return event
}

// closedAddress is the address of a port on which nobody listens.
func closedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

// ExerciseBasics checks what holds for every provider, with or without a network.
func ExerciseBasics(t *testing.T, provider llmprovider.Provider) {
	t.Helper()
	prompt := samplePrompt("Who decides?")
	t.Run("AnswerSaysWhoMadeIt", func(t *testing.T) {
		answer, err := provider.Call(t.Context(), llmprovider.Request{Prompt: prompt})
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(answer.Text) == "" || answer.Provider != provider.Name() || answer.Model == "" {
			t.Errorf("answer is %+v", answer)
		}
		if answer.LanguageModel != provider.Capability().LanguageModel {
			t.Error("answer and capability disagree about the language model")
		}
	})
	t.Run("EndedContextIsRejected", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("no time left")
		cancel(cause)
		answer, err := provider.Call(ctx, llmprovider.Request{Prompt: prompt})
		checkFailure(t, answer, err, llmprovider.Rejected, "")
		if !errors.Is(err, cause) {
			t.Errorf("the cause is missing in %v", err)
		}
	})
	t.Run("LookupIsHonest", func(t *testing.T) {
		_, err := provider.Lookup(t.Context(), "no-such-operation")
		if provider.Capability().Lookup {
			checkFailure(t, llmprovider.Answer{}, err, llmprovider.NotFound, "")
		} else if !errors.Is(err, llmprovider.ErrLookupUnsupported) {
			t.Errorf("got %v, want ErrLookupUnsupported", err)
		}
	})
	t.Run("CapabilityNamesItsSource", func(t *testing.T) {
		capability := provider.Capability()
		if capability.Endpoint == "" || capability.Source == "" {
			t.Errorf("capability is %+v", capability)
		}
		if _, err := time.Parse(time.DateOnly, capability.CheckedOn); err != nil {
			t.Errorf("checked on %q: %v", capability.CheckedOn, err)
		}
	})
}
