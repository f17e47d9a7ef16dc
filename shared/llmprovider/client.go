package llmprovider

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	connectTimeout         = 10 * time.Second
	maxResponseHeaderBytes = 64 << 10
)

// NewClient returns the HTTP client for requests that must not be repeated
// behind the caller's back.
//
//   - Redirects are returned, not followed: 307 and 308 would send the prompt again.
//   - One connection per request. A kept-alive connection dies unseen while a
//     function is frozen or a load balancer closes it; a request written to it ends
//     in "connection reset", which cannot be told from a real loss and would cost
//     the task its one repeat after an unknown outcome. Next to the seconds that a
//     model takes, one more handshake is cheap. It also removes the case in which
//     net/http sends a request with an Idempotency-Key header again by itself.
//   - HTTP/1.1 only: HTTP/2 has its own transparent repeats and gains nothing
//     without shared connections.
//   - No overall timeout: the call's context carries the only deadline, so that
//     there is one place where the call limit, the lease and the function's time
//     left meet. Connecting has its own limit, since nothing has been sent by then.
//   - No transparent decompression: limits count the bytes that arrive.
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: connectTimeout}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    connectTimeout,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxResponseHeaderBytes,
			Protocols:              protocols,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// NewPost returns a POST request with a JSON body that net/http cannot rewind:
// without GetBody it has no means to send the body a second time.
func NewPost(ctx context.Context, url string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("prepare provider request: %w", err)
	}
	request.GetBody = nil
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	return request, nil
}
