package llmprovider_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

func post(t *testing.T, ctx context.Context, url string) *http.Request {
	t.Helper()
	request, err := llmprovider.NewPost(ctx, url, []byte(`{"prompt":"p"}`))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func wantKind(t *testing.T, err error, kind llmprovider.Kind) {
	t.Helper()
	outcome, ok := errors.AsType[*llmprovider.Error](err)
	if !ok || outcome.Kind != kind {
		t.Fatalf("got %v, want %s", err, kind)
	}
}

func TestSendReturnsTheAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Seen", r.Header.Get("Content-Type"))
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(server.Close)
	got, err := llmprovider.Send(llmprovider.NewClient(), post(t, t.Context(), server.URL), 100)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != 200 || string(got.Body) != `{"prompt":"p"}` || got.Header.Get("X-Seen") != "application/json" {
		t.Errorf("got %d %q %v", got.Status, got.Body, got.Header)
	}
}

func TestSendWithoutAConnectionIsRejected(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	for name, url := range map[string]string{
		"refused":     "http://" + address,
		"not TLS":     "https://" + plainServer(t),
		"unknown":     "http://provider.invalid",
		"unsupported": "ftp://" + address,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := llmprovider.Send(llmprovider.NewClient(), post(t, t.Context(), url), 100)
			wantKind(t, err, llmprovider.Rejected)
		})
	}
}

// plainServer speaks HTTP, so that a TLS handshake with it fails.
func plainServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestSendEndedBeforeItBeganIsRejected(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancelCause(t.Context())
	leaseLost := errors.New("lease lost")
	cancel(leaseLost)
	_, err := llmprovider.Send(llmprovider.NewClient(), post(t, ctx, server.URL), 100)
	wantKind(t, err, llmprovider.Rejected)
	if !errors.Is(err, leaseLost) {
		t.Errorf("the cause is missing in %v", err)
	}
	if requests.Load() != 0 {
		t.Error("the request was sent")
	}
}

func TestSendCancelledWhileTheProviderWorksIsAmbiguous(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by the user")
	clientGone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel(stopped)
		<-r.Context().Done()
		close(clientGone)
	}))
	t.Cleanup(server.Close)
	_, err := llmprovider.Send(llmprovider.NewClient(), post(t, ctx, server.URL), 100)
	wantKind(t, err, llmprovider.Ambiguous)
	if !errors.Is(err, stopped) {
		t.Errorf("the cause is missing in %v", err)
	}
	<-clientGone
}

func TestSendFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		var requests atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			http.Redirect(w, r, "/elsewhere", status)
		}))
		got, err := llmprovider.Send(llmprovider.NewClient(), post(t, t.Context(), server.URL), 100)
		server.Close()
		if err != nil || got.Status != status || requests.Load() != 1 {
			t.Errorf("status %d: got %d, %v after %d requests", status, got.Status, err, requests.Load())
		}
	}
}

func TestSendLimitsTheAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 101))
	}))
	t.Cleanup(server.Close)
	_, err := llmprovider.Send(llmprovider.NewClient(), post(t, t.Context(), server.URL), 100)
	wantKind(t, err, llmprovider.TooLarge)
	if _, err = llmprovider.Send(llmprovider.NewClient(), post(t, t.Context(), server.URL), 101); err != nil {
		t.Errorf("an answer at the limit: %v", err)
	}
	got, err := llmprovider.Send(llmprovider.NewClient(), post(t, t.Context(), server.URL+"/refused"), 100)
	if err != nil || got.Status != http.StatusTooManyRequests || len(got.Body) != 100 {
		t.Errorf("a refusal with a long body: %d, %d bytes, %v", got.Status, len(got.Body), err)
	}
}

func TestSendAnswerBrokenOff(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answer string
		want         llmprovider.Kind
		status       int
	}{
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", llmprovider.Ambiguous, 0},
		{"in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf", llmprovider.Ambiguous, 0},
		{"in the headers", "HTTP/1.1 200 OK\r\nContent-Le", llmprovider.Ambiguous, 0},
		{"before the first byte", "", llmprovider.Ambiguous, 0},
		{"not HTTP", "220 mail ready\r\n", llmprovider.Ambiguous, 0},
		{"in the body of a refusal", "HTTP/1.1 429 Slow\r\nContent-Length: 50\r\n\r\nhalf", 0, 429},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := newRawServer(t, func(conn net.Conn, _ int) bool {
				_, _ = io.WriteString(conn, test.answer)
				return false
			})
			got, err := llmprovider.Send(llmprovider.NewClient(), post(t, t.Context(), server.url), 100)
			if test.want == 0 {
				if err != nil || got.Status != test.status {
					t.Fatalf("got %d, %v", got.Status, err)
				}
			} else {
				wantKind(t, err, test.want)
			}
			if server.requests.Load() != 1 {
				t.Errorf("%d requests", server.requests.Load())
			}
		})
	}
}

// net/http repeats a POST by itself when a reused connection dies before the
// first byte of the answer and the request has an idempotency header. The first
// half shows that the trap is real with an ordinary request, the second that
// ours does not fall into it even if connections were kept.
func TestCaseM1ReusedConnectionDiesBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	dieOnSecond := func(conn net.Conn, n int) bool {
		if n == 2 {
			return false
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		return true
	}
	keepAlive := func() *http.Client {
		client := llmprovider.NewClient()
		client.Transport.(*http.Transport).DisableKeepAlives = false
		return client
	}
	t.Run("ordinary request is repeated", func(t *testing.T) {
		t.Parallel()
		server := newRawServer(t, dieOnSecond)
		client := keepAlive()
		for range 2 {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.url, strings.NewReader("p"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Idempotency-Key", "k")
			answer, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		if got := server.requests.Load(); got != 3 {
			t.Logf("net/http sent %d requests for two calls: the trap is gone in this Go release", got)
		}
	})
	t.Run("ours is not", func(t *testing.T) {
		t.Parallel()
		server := newRawServer(t, dieOnSecond)
		client := keepAlive()
		send := func() error {
			request := post(t, t.Context(), server.url)
			request.Header.Set("Idempotency-Key", "k")
			_, err := llmprovider.Send(client, request, 100)
			return err
		}
		if err := send(); err != nil {
			t.Fatal(err)
		}
		wantKind(t, send(), llmprovider.Ambiguous)
		if got := server.requests.Load(); got != 2 {
			t.Errorf("%d requests for two calls", got)
		}
		if got := server.connections.Load(); got != 1 {
			t.Fatalf("%d connections: the connection was not reused, so nothing was shown", got)
		}
	})
}

func TestClientUsesOneConnectionPerRequest(t *testing.T) {
	t.Parallel()
	server := newRawServer(t, func(conn net.Conn, _ int) bool {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		return true
	})
	client := llmprovider.NewClient()
	for range 3 {
		if _, err := llmprovider.Send(client, post(t, t.Context(), server.url), 100); err != nil {
			t.Fatal(err)
		}
	}
	if got := server.connections.Load(); got != 3 {
		t.Errorf("%d connections for 3 requests", got)
	}
}

// rawServer reads whole requests and lets answer write whatever it likes. answer
// gets the number of the request and says whether the connection stays open.
type rawServer struct {
	url         string
	requests    atomic.Int32
	connections atomic.Int32
}

func newRawServer(t *testing.T, answer func(conn net.Conn, n int) bool) *rawServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	server := &rawServer{url: "http://" + listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			server.connections.Add(1)
			go server.serve(conn, answer)
		}
	}()
	return server
}

func (s *rawServer) serve(conn net.Conn, answer func(net.Conn, int) bool) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		if !answer(conn, int(s.requests.Add(1))) {
			return
		}
	}
}
