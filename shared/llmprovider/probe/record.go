package probe

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// headerKey is the header that is tried: the name of the IETF draft, which payment
// providers made common.
const headerKey = "Idempotency-Key"

// maxRead is how much of an answer is searched for its id.
const maxRead = 64 << 10

// recorder adds the key to requests that can start a generation, and keeps what their
// answers say.
type recorder struct {
	inner http.RoundTripper
	key   string

	status int
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) begin() { r.status, r.header, r.body = 0, nil, bytes.Buffer{} }

// RoundTrip implements http.RoundTripper. The request cannot be rewound (see
// llmprovider.Send), so net/http does not repeat it for its key.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPost {
		return r.inner.RoundTrip(request) //nolint:wrapcheck // a recorder changes nothing
	}
	keyed := request.Clone(request.Context())
	keyed.Header.Set(headerKey, r.key)
	response, err := r.inner.RoundTrip(keyed)
	if err != nil {
		return nil, err //nolint:wrapcheck // a recorder changes nothing
	}
	r.status, r.header = response.StatusCode, response.Header
	response.Body = tee{io.TeeReader(response.Body, &limited{&r.body}), response.Body}
	return response, nil
}

type tee struct {
	io.Reader
	io.Closer
}

// limited drops what is beyond maxRead.
type limited struct{ kept *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.kept.Write(p[:min(len(p), maxRead-l.kept.Len())])
	return len(p), nil
}

// answerID is the first id in a body, of a document or of a stream's first event.
var answerID = regexp.MustCompile(`"id"\s*:\s*"([A-Za-z0-9_-]{1,200})"`)

// tellingHeaders speak of keys, limits and repeats in the APIs that have any. Others
// are not shown: they may name an account.
var tellingHeaders = []string{"Idempotency-Key", "Idempotency-Replayed", "Idempotent-Replayed", "X-Idempotent-Replayed", "X-Should-Retry", "Retry-After", "Retry-After-Ms"}

func (r *recorder) exchange(answer llmprovider.Answer, failure *llmprovider.Error) Exchange {
	e := Exchange{Status: r.status, Headers: r.telling()}
	if id := answerID.FindSubmatch(r.body.Bytes()); id != nil {
		e.ID = string(id[1])
	}
	if failure != nil {
		e.Outcome = llmprovider.Class{Kind: failure.Kind, Reason: failure.Reason}.String()
		e.RequestID = failure.ProviderRequestID
		return e
	}
	sum := sha256.Sum256([]byte(answer.Text))
	e.TextSHA256, e.TextBytes = hex.EncodeToString(sum[:]), len(answer.Text)
	e.RequestID, e.InputTokens, e.OutputTokens = answer.ProviderRequestID, answer.InputTokens, answer.OutputTokens
	return e
}

// telling are headers whose values cannot be a secret; one that echoes the key says so
// without showing it.
func (r *recorder) telling() []string {
	var all []string
	for _, name := range tellingHeaders {
		for _, value := range r.header.Values(name) {
			if strings.Contains(value, r.key) {
				value = "(the key)"
			}
			all = append(all, name+": "+value)
		}
	}
	slices.Sort(all)
	return all
}
