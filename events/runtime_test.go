package events_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/replyonce/replyonce/events"
)

// Every sample goes to the function's own binary, under the runtime that AWS
// publishes for tests. Each one has a table of its own.
func TestSamplesUnderTheLambdaRuntime(t *testing.T) {
	t.Parallel()
	if available == nil {
		if os.Getenv("REQUIRE_ALL") == "1" && !testing.Short() {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	samples, err := events.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		t.Run(sample.Name, func(t *testing.T) {
			t.Parallel() // as many at a time as there are processors
			p := newPlay(t, sample.Name)
			for _, name := range sample.Expected.Given {
				p.send(t, name)
			}
			p.check(t, sample.Name, sample.Expected.Answer)
			for _, step := range sample.Expected.Then {
				p.check(t, step.Event, step.Answer)
			}
		})
	}
}

// play sends samples to one world.
type play struct {
	*world
	token string
}

func newPlay(t *testing.T, name string) play {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	i := newIssuer(t, server.URL)
	handler = i.Handler("")
	token, err := i.Token("alice", "acme")
	if err != nil {
		t.Fatal(err)
	}
	return play{world: newWorld(t, name, server.URL), token: token}
}

func (p play) send(t *testing.T, name string) []byte {
	t.Helper()
	sample, err := events.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p.world.send(t, sample.Function, sample.WithToken(p.token))
}

func (p play) check(t *testing.T, name string, expected any) {
	t.Helper()
	answer := p.send(t, name)
	if err := events.Match(expected, answer); err != nil {
		t.Errorf("%s: %v\n%s", name, err, answer)
	}
}
