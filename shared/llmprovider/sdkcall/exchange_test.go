package sdkcall_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

func post(t *testing.T, url string) *http.Request {
	t.Helper()
	request, err := llmprovider.NewPost(t.Context(), url, []byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func TestCaseM1ExchangeSendsOnce(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("X-Seen", "yes")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, "broken")
	}))
	t.Cleanup(server.Close)
	exchange := sdkcall.NewExchange(llmprovider.NewClient(), 100)
	if exchange.Used() {
		t.Error("used before it was used")
	}
	first, err := exchange.Do(post(t, server.URL))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Body.Close()
	body, err := io.ReadAll(first.Body)
	if err != nil || string(body) != "broken" || first.StatusCode != 500 || first.Header.Get("X-Seen") != "yes" {
		t.Errorf("got %d %q, %v", first.StatusCode, body, err)
	}
	if again, err := exchange.Do(post(t, server.URL)); err == nil {
		again.Body.Close()
		t.Error("sent a second request")
	}
	if requests.Load() != 1 {
		t.Errorf("%d requests", requests.Load())
	}
	response, err := exchange.Result()
	if err != nil || response.Status != 500 || string(response.Body) != "broken" {
		t.Errorf("result is %d %q, %v", response.Status, response.Body, err)
	}
}

// What came before the break is worth reading: it may say what the call cost.
func TestExchangeKeepsTheBeginningOfABrokenAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "beginning")
	}))
	t.Cleanup(server.Close)
	exchange := sdkcall.NewExchange(llmprovider.NewClient(), 100)
	answer, err := exchange.Do(post(t, server.URL))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "beginning" {
		t.Errorf("got %q, %v", body, err)
	}
	response, err := exchange.Result()
	if llmprovider.AsError(err).Kind != llmprovider.Ambiguous || string(response.Body) != "beginning" {
		t.Errorf("result is %q, %v", response.Body, err)
	}
}

func TestExchangeWithoutAConnection(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	exchange := sdkcall.NewExchange(llmprovider.NewClient(), 100)
	answer, err := exchange.Do(post(t, server.URL))
	if err == nil {
		answer.Body.Close()
		t.Fatal("got an answer")
	}
	_, result := exchange.Result()
	if !errors.Is(err, result) || llmprovider.AsError(result).Kind != llmprovider.Rejected || !exchange.Used() {
		t.Errorf("got %v and %v", err, result)
	}
}
