package openairesponses

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
)

// exchange is the SDK's HTTP client for one call of it: it makes one request at
// most, by the hardened way, and keeps what came back. The SDK turns a context that
// ended into a bare error, even when the whole answer is there, and reads answers
// without a limit and leniently; so what counts is taken from here.
type exchange struct {
	client *http.Client
	limit  int64

	used     bool
	response llmprovider.Response
	err      error
}

var errSecondRequest = errors.New("the client library tried to send a second request for one call")

// Do implements option.HTTPClient.
func (x *exchange) Do(request *http.Request) (*http.Response, error) {
	if x.used {
		return nil, errSecondRequest
	}
	x.used = true
	x.response, x.err = llmprovider.Send(x.client, request, x.limit)
	if x.err != nil {
		return nil, x.err
	}
	return &http.Response{
		Status: http.StatusText(x.response.Status), StatusCode: x.response.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: x.response.Header.Clone(),
		ContentLength: int64(len(x.response.Body)), Request: request,
		Body: io.NopCloser(bytes.NewReader(x.response.Body)),
	}, nil
}

// ask lets the SDK make one request. Its error, an *llmprovider.Error, means that
// there is no response; any status is one.
func (p *Provider) ask(ctx context.Context, call func(...option.RequestOption) error) (llmprovider.Response, error) {
	key, failure := openaiapi.Key(ctx, p.options.Key)
	if failure != nil {
		return llmprovider.Response{}, failure
	}
	x := &exchange{client: p.client, limit: p.bodyLimit()}
	// Raw bytes as the destination keep the SDK from decoding the answer as well.
	var raw []byte
	err := call(option.WithHTTPClient(x), option.WithAPIKey(key), option.WithMaxRetries(0), option.WithResponseBodyInto(&raw))
	if !x.used {
		return llmprovider.Response{}, unusable(err)
	}
	if x.err != nil {
		failure := llmprovider.AsError(x.err)
		failure.ProviderRequestID = x.response.Header.Get(openaiapi.HeaderRequestID)
		return llmprovider.Response{}, failure
	}
	return x.response, nil
}

// unusable: nothing was sent, and trying again would fail in the same way.
func unusable(err error) *llmprovider.Error {
	if err == nil {
		err = errors.New("the client library sent nothing")
	}
	return &llmprovider.Error{Kind: llmprovider.Permanent, Reason: llmprovider.ReasonProviderMisconfigured, Err: err}
}

// Sizes of what is read. A text may grow sixfold when every byte of it is written
// as an escape; a response object repeats the instructions; a stream says a few
// bytes in a few hundred.
const (
	bodyOverhead   = 256 << 10
	escapingFactor = 6
	streamBytes    = 32 << 20
)

func (p *Provider) bodyLimit() int64 {
	limit := escapingFactor*int64(p.options.MaxReplyBytes) + bodyOverhead
	if p.options.Stream {
		return max(limit, streamBytes)
	}
	return limit
}
