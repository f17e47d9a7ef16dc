package conformance

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Exercise runs the suite for an arm.
func Exercise[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	tests := map[string]func(*testing.T, Arm[S]){
		"Basics":                              basics[S],
		"TestCaseM1OneRequestPerCall":         oneRequestPerCall[S],
		"TestCaseM1ReusedConnection":          reusedConnection[S],
		"TestCaseM1NothingSentIsRejected":     nothingSent[S],
		"TestCaseM2RetryAfter":                retryAfter[S],
		"TestCaseM6SizeOfAnswers":             sizeOfAnswers[S],
		"TestCaseM8OddTextReachesTheProvider": oddText[S],
		"TestCaseM9CancelEndsTheCall":         cancelEndsTheCall[S],
		"SameBytesForSamePrompt":              sameBytes[S],
		"ParallelCallsKeepApart":              parallelCalls[S],
	}
	if arm.Keyed {
		tests["Keys"] = keys[S]
	}
	if arm.Limits {
		tests["TestCaseM7TooLongIsNotSent"] = tooLongIsNotSent[S]
	}
	if arm.Logs {
		tests["UnknownIsLoggedOnce"] = unknownIsLoggedOnce[S]
	}
	for _, c := range arm.Cases {
		tests[c.Name] = func(t *testing.T, arm Arm[S]) {
			t.Helper()
			outcomes(t, arm, c.Rows)
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, arm)
		})
	}
}

func basics[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	s := newScene(t, arm)
	Basics(t, s.provider)
	answer := s.wantAnswer()
	seen := s.fake.Seen()
	if answer.Model != arm.Model || answer.InputTokens == 0 || answer.OutputTokens == 0 || answer.ProviderRequestID != seen[len(seen)-1].ID {
		t.Errorf("answer is %+v", answer)
	}
	if capability := s.provider.Capability(); !capability.IdempotencyKey {
		// net/http repeats requests with this header by itself, so it must not be there
		// "just in case".
		if name := seen[len(seen)-1].KeyHeader; name != "" {
			t.Errorf("%s was sent to a provider that documents no key", name)
		}
	}
}

// Basics checks what holds for every provider, with or without a network.
func Basics(t *testing.T, provider llmprovider.Provider) {
	t.Helper()
	prompt := SamplePrompt()
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
		checkFailure(t, answer, err, llmprovider.ClassRejected)
		if !errors.Is(err, cause) {
			t.Errorf("the cause is missing in %v", err)
		}
	})
	t.Run("LookupIsHonest", func(t *testing.T) {
		_, err := provider.Lookup(t.Context(), "no-such-operation")
		if provider.Capability().Lookup {
			checkFailure(t, llmprovider.Answer{}, err, llmprovider.Class{Kind: llmprovider.NotFound})
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

// outcomes goes through an outcome table.
func outcomes[S any](t *testing.T, arm Arm[S], rows []Row[S]) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			newScene(t, arm, row.Step).wantOutcome(row)
		})
	}
}

func (s *scene[S]) wantOutcome(row Row[S]) {
	s.t.Helper()
	var spend llmprovider.Spend
	var requestID string
	if row.Want == (llmprovider.Class{}) {
		answer := s.wantAnswer()
		if row.Text != "" && answer.Text != row.Text || answer.CutShort != row.CutShort {
			s.t.Errorf("got %q, cut short: %t; want %q, %t", answer.Text, answer.CutShort, row.Text, row.CutShort)
		}
		spend, requestID = llmprovider.Spend{InputTokens: answer.InputTokens, OutputTokens: answer.OutputTokens}, answer.ProviderRequestID
	} else {
		failure := s.wantFailure(row.Want)
		spend, requestID = failure.Spend, failure.ProviderRequestID
		s.checkAlarm(row.Want)
	}
	s.wantRequests(1, row.Generations)
	if told := spend != (llmprovider.Spend{}); row.Spend != SpendAny && told != (row.Spend == SpendTold) {
		s.t.Errorf("the call is said to have cost %+v", spend)
	}
	if named := requestID != ""; named == row.Unnamed {
		s.t.Errorf("the provider's name for the request is %q", requestID)
	}
}

// checkAlarm: what only an operator can change is an error in the log, and nothing
// else is.
func (s *scene[S]) checkAlarm(want llmprovider.Class) {
	s.t.Helper()
	alarming := []llmprovider.Class{llmprovider.ClassQuota, llmprovider.ClassMisconfigured}
	alarmed := strings.Contains(s.log.String(), `"level":"ERROR"`)
	if s.arm.Logs && alarmed != slices.Contains(alarming, want) {
		s.t.Errorf("alarmed the operator: %t: %s", alarmed, s.log.String())
	}
}

func unknownIsLoggedOnce[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	for _, c := range arm.Cases {
		for _, row := range c.Rows {
			if row.Unknown == "" {
				continue
			}
			t.Run(c.Name+" "+row.Name, func(t *testing.T) {
				t.Parallel()
				s := newScene(t, arm, row.Step, row.Step, row.Step)
				for range 3 {
					if _, err := s.call(); err == nil {
						t.Error("taken for success")
					}
				}
				if n := strings.Count(s.log.String(), `"value":"`+row.Unknown+`"`); n != 1 {
					t.Errorf("%q is logged %d times: %s", row.Unknown, n, s.log.String())
				}
			})
		}
	}
}
