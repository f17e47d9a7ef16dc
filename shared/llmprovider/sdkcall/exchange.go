package sdkcall

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// errSecondRequest is what an SDK gets that tries to send again.
var errSecondRequest = errors.New("a call makes one request")

// Exchange is the HTTP client of one call. It sends one request by
// llmprovider.Send, hands the SDK the answer that came, or the part of it, and
// refuses every further request: even an SDK with its retries left on could not
// pay twice. It is for one goroutine.
type Exchange struct {
	client *http.Client
	limit  int64

	used     bool
	response llmprovider.Response
	err      error
}

// NewExchange returns an Exchange that takes an answer of at most limit bytes.
func NewExchange(client *http.Client, limit int64) *Exchange {
	return &Exchange{client: client, limit: limit}
}

// Do sends the request if it is the first. An answer that broke off is handed on
// as if it had ended there: what it says up to then may be worth knowing, and
// Result has the error.
func (e *Exchange) Do(request *http.Request) (*http.Response, error) {
	if e.used {
		return nil, errSecondRequest
	}
	e.used = true
	e.response, e.err = llmprovider.Send(e.client, request, e.limit)
	if e.err != nil && e.response.Status == 0 {
		return nil, e.err
	}
	return &http.Response{
		Status:        strconv.Itoa(e.response.Status) + " " + http.StatusText(e.response.Status),
		StatusCode:    e.response.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        e.response.Header,
		Body:          io.NopCloser(bytes.NewReader(e.response.Body)),
		ContentLength: int64(len(e.response.Body)),
		Request:       request,
	}, nil
}

// Used reports whether the SDK came as far as sending. If it did not, nothing
// reached the provider.
func (e *Exchange) Used() bool { return e.used }

// Result is what llmprovider.Send returned. Beside an error the response may hold
// the status, the headers and the beginning of the body; without an error there
// was an answer, even if its status is the "000" that net/http lets through.
func (e *Exchange) Result() (llmprovider.Response, error) { return e.response, e.err }
