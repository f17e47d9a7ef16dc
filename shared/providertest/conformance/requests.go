package conformance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// oneRequestPerCall goes through everything that client libraries like to repeat.
func oneRequestPerCall[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	again := http.Header{"X-Should-Retry": {"true"}, "Retry-After": {"0"}}
	outcomes(t, arm, []Row[S]{
		{Name: "reset before the body is read", Step: arm.Steps.ResetEarly, Want: llmprovider.ClassAmbiguous, Unnamed: true},
		{Name: "reset before the first byte", Step: arm.Steps.Reset, Want: llmprovider.ClassAmbiguous, Generations: 1, Unnamed: true},
		{Name: "cut in the answer", Step: arm.Steps.Cut, Want: llmprovider.ClassAmbiguous, Generations: 1},
		{Name: "500", Step: arm.Steps.Failing(nil), Want: llmprovider.ClassAmbiguous},
		{Name: "500 that asks for a repeat", Step: arm.Steps.Failing(again), Want: llmprovider.ClassAmbiguous},
		{Name: "429", Step: arm.Steps.Limited(nil), Want: llmprovider.ClassRejected},
		{Name: "429 that asks for a repeat", Step: arm.Steps.Limited(again), Want: llmprovider.ClassRejected},
	})
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprintf("redirect %d", status), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, arm, arm.Steps.Redirect(status))
			s.wantFailure(llmprovider.ClassMisconfigured)
			s.wantRequests(1, 0)
		})
	}
	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, arm, arm.Steps.Hang)
		limit := errors.New("call limit")
		s.endWhen(limit, func(seen Seen) bool { return seen.Generated })
		if failure := s.wantFailure(llmprovider.ClassAmbiguous); !errors.Is(failure, limit) {
			t.Errorf("the cause is missing in %v", failure)
		}
		s.wantRequests(1, 1)
	})
}

// reusedConnection: net/http repeats a request by itself when a kept connection dies
// before the first byte of the answer, if it can rewind the body and takes the request
// for repeatable. A client that keeps connections, which ours does not, shows that the
// adapter gives it no means to.
func reusedConnection[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	for name, test := range map[string]struct {
		step        S
		generations int
	}{
		"reset before the body is read": {arm.Steps.ResetEarly, 0},
		"reset before the first byte":   {arm.Steps.Reset, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, arm, arm.Steps.Limited(nil), test.step)
			s.settings.Client = llmprovider.NewClient()
			keeping, ok := s.settings.Client.Transport.(*http.Transport)
			if !ok {
				t.Fatal("the hardened client has another transport")
			}
			keeping.DisableKeepAlives = false
			t.Cleanup(keeping.CloseIdleConnections)
			s.renew()
			s.wantFailure(llmprovider.ClassRejected)
			s.wantFailure(llmprovider.ClassAmbiguous)
			s.wantRequests(2, test.generations)
			if seen := s.fake.Seen(); seen[0].Connection == 0 || seen[0].Connection != seen[len(seen)-1].Connection {
				t.Errorf("the connection was not reused, so the test shows nothing: %+v", seen)
			}
		})
	}
}

func nothingSent[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	for name, address := range map[string]func(s *scene[S]) string{
		"nobody listens": func(s *scene[S]) string { return closedAddress(s.t) },
		"not TLS":        func(s *scene[S]) string { return strings.Replace(s.settings.BaseURL, "http:", "https:", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, arm)
			s.settings.BaseURL = address(s)
			s.renew()
			s.wantFailure(llmprovider.ClassRejected)
			s.wantRequests(0, 0)
		})
	}
	t.Run("context over", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, arm)
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		s.ctx = ctx
		s.wantFailure(llmprovider.ClassRejected)
		s.wantRequests(0, 0)
	})
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

// cancelEndsTheCall: the watchdog, a cancel by the user and the call limit all
// arrive as the end of the context while the provider works.
func cancelEndsTheCall[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	generated := func(seen Seen) bool { return seen.Generated }
	t.Run("never answered", func(t *testing.T) { cancelled(t, arm, arm.Steps.Hang, generated) })
	t.Run("answered too late", func(t *testing.T) { cancelled(t, arm, arm.Steps.Late, generated) })
	for _, wait := range arm.Waits {
		t.Run(wait.Name, func(t *testing.T) {
			cancelled(t, arm, wait.Step, func(seen Seen) bool { return seen.Hangs })
		})
	}
}

func cancelled[S any](t *testing.T, arm Arm[S], step S, at func(Seen) bool) {
	t.Helper()
	t.Parallel()
	s := newScene(t, arm, step)
	whole, stopped := s.ctx, errors.New("stopped")
	s.endWhen(stopped, at)
	if failure := s.wantFailure(llmprovider.ClassAmbiguous); !errors.Is(failure, stopped) {
		t.Errorf("the cause is missing in %v", failure)
	}
	if !s.provider.Capability().Lookup {
		// The connection is closed, which is all that such an API offers.
		if err := s.fake.Wait(whole, func(seen []Seen) bool { return seen[0].Gone }); err != nil {
			t.Error(err)
		}
	}
	s.fake.Release(gateLate)
	s.wantRequests(1, 1)
}

func sameBytes[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	s := newScene(t, arm)
	s.wantAnswer()
	s.renew()
	s.request.Key = s.request.Key[1:] + "2"
	s.wantAnswer()
	if seen := s.fake.Seen(); len(seen) != 2 || string(seen[0].Body) != string(seen[1].Body) {
		t.Errorf("two attempts sent different bytes: %+v", seen)
	}
}

func parallelCalls[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	const parallel = 8
	s := newScene(t, arm)
	var calls sync.WaitGroup
	for i := range parallel {
		calls.Go(func() {
			text := fmt.Sprintf("answer %d", i)
			prompt := SamplePrompt()
			prompt.Question = fmt.Sprintf("Question (%d)?", i)
			if err := s.fake.Script(prompt.Question, arm.Steps.Text(text)); err != nil {
				t.Error(err)
				return
			}
			answer, err := s.provider.Call(s.ctx, llmprovider.Request{Prompt: prompt})
			if err != nil || answer.Text != text {
				t.Errorf("call %d: %q, %v", i, answer.Text, err)
			}
		})
	}
	calls.Wait()
	s.wantRequests(parallel, parallel)
}

func keys[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	t.Run("asked for before each request", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, arm)
		s.violates = true
		key := plantedWrongKey
		s.settings.Key = func(context.Context) (string, error) { return key, nil }
		s.renew()
		s.wantFailure(llmprovider.ClassMisconfigured)
		s.checkAlarm(llmprovider.ClassMisconfigured)
		key = PlantedKey + "\n"
		s.wantAnswer()
	})
	t.Run("the source fails", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, arm)
		broken := errors.New("secret store is down")
		s.settings.Key = func(context.Context) (string, error) { return "", broken }
		s.renew()
		if failure := s.wantFailure(llmprovider.ClassRejected); !errors.Is(failure, broken) {
			t.Errorf("the cause is missing in %v", failure)
		}
		s.wantRequests(0, 0)
	})
	for name, key := range map[string]string{"empty": "", "line end inside": "sk-\n" + PlantedKey, "not ASCII": "ключ"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, arm)
			s.settings.Key = func(context.Context) (string, error) { return key, nil }
			s.renew()
			s.wantFailure(llmprovider.ClassMisconfigured)
			s.wantRequests(0, 0)
		})
	}
}
