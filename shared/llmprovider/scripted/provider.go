package scripted

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Name is the provider's name on saved replies.
const Name = "scripted"

// DefaultMaxReplyBytes is the longest text that is taken as an answer.
const DefaultMaxReplyBytes = 1 << 20

// DefaultPollInterval is the wait between two look-ups of an operation.
const DefaultPollInterval = 500 * time.Millisecond

// bodyOverhead is what the JSON around an answer's text may take. The text itself
// may grow sixfold, when every byte of it is written as an escape.
const (
	bodyOverhead   = 64 << 10
	escapingFactor = 6
)

// Options configure a Provider. BaseURL and Now are required.
type Options struct {
	// BaseURL is the server's address, with a path prefix if it has one.
	BaseURL string
	// Now is the clock for Retry-After dates.
	Now func() time.Time
	// Client sends the requests; nil means llmprovider.NewClient().
	Client *http.Client
	// Capability says what the server is set up to document. Connect fills it.
	Capability llmprovider.Capability
	// MaxReplyBytes limits an answer's text; zero means DefaultMaxReplyBytes.
	MaxReplyBytes int
	// PollInterval is the wait between look-ups; zero means DefaultPollInterval.
	PollInterval time.Duration
}

// Provider is an llmprovider.Provider that asks the scripted server.
type Provider struct {
	baseURL       string
	now           func() time.Time
	client        *http.Client
	capability    llmprovider.Capability
	maxReplyBytes int
	pollInterval  time.Duration
}

var _ llmprovider.Provider = (*Provider)(nil)

// New returns a Provider, or an error if the options cannot work.
func New(options Options) (*Provider, error) {
	address, err := url.Parse(options.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("scripted provider address: %w", err)
	}
	if address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return nil, fmt.Errorf("scripted provider address %q: want http://host:port", options.BaseURL)
	}
	if options.Now == nil {
		return nil, errors.New("scripted provider: no clock")
	}
	provider := &Provider{
		baseURL:       strings.TrimRight(options.BaseURL, "/"),
		now:           options.Now,
		client:        options.Client,
		capability:    options.Capability,
		maxReplyBytes: options.MaxReplyBytes,
		pollInterval:  options.PollInterval,
	}
	if provider.client == nil {
		provider.client = llmprovider.NewClient()
	}
	if provider.maxReplyBytes == 0 {
		provider.maxReplyBytes = DefaultMaxReplyBytes
	}
	if provider.pollInterval == 0 {
		provider.pollInterval = DefaultPollInterval
	}
	return provider, nil
}

// Name returns Name.
func (p *Provider) Name() string { return Name }

// Capability returns what the server documents.
func (p *Provider) Capability() llmprovider.Capability { return p.capability }

// Call sends one POST. If the server answers with an operation id, Call saves it
// and reads the operation until it ends.
func (p *Provider) Call(ctx context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	request, err := p.answerRequest(ctx, r)
	if err != nil {
		return llmprovider.Answer{}, &llmprovider.Error{
			Kind:   llmprovider.Permanent,
			Reason: llmprovider.ReasonProviderMisconfigured,
			Err:    err,
		}
	}
	response, err := llmprovider.Send(p.client, request, p.bodyLimit())
	if err != nil {
		return llmprovider.Answer{}, p.annotate(err, response)
	}
	switch response.Status {
	case http.StatusOK:
		return p.answer(response)
	case http.StatusAccepted:
		return p.awaitOperation(ctx, r, response)
	default:
		return llmprovider.Answer{}, errorFromResponse(response, p.now())
	}
}

func (p *Provider) answerRequest(ctx context.Context, r llmprovider.Request) (*http.Request, error) {
	body, err := json.Marshal(AnswerRequest{
		Model:           r.Model,
		MaxOutputTokens: r.MaxOutputTokens,
		Prompt:          r.Prompt.Encode(),
	}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode scripted request: %w", err)
	}
	request, err := llmprovider.NewPost(ctx, p.baseURL+PathAnswers, body)
	if err != nil {
		return nil, err
	}
	if p.capability.IdempotencyKey && r.Key != "" {
		request.Header.Set(HeaderKey, r.Key)
	}
	return request, nil
}

func (p *Provider) answer(response llmprovider.Response) (llmprovider.Answer, error) {
	document, err := decodeAnswer(response)
	if err != nil {
		return llmprovider.Answer{}, p.annotate(err, response)
	}
	return p.answerFromDocument(document, response)
}

func decodeAnswer(response llmprovider.Response) (AnswerDocument, error) {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return AnswerDocument{}, unreadable("answer without a media type")
	}
	switch mediaType {
	case MediaTypeStream:
		return documentFromStream(response.Body)
	case MediaTypeDocument:
		var document AnswerDocument
		if err := json.Unmarshal(response.Body, &document); err != nil {
			return AnswerDocument{}, unreadable(fmt.Sprintf("answer document: %v", err))
		}
		return document, nil
	default:
		return AnswerDocument{}, unreadable("answer of media type " + mediaType)
	}
}

func (p *Provider) bodyLimit() int64 {
	return escapingFactor*int64(p.maxReplyBytes) + bodyOverhead
}

// annotate adds what the response's headers say to an outcome: the server's name
// for the request and the wait it asks for, whatever the status.
func (p *Provider) annotate(err error, response llmprovider.Response) error {
	failure := llmprovider.AsError(err)
	failure.ProviderRequestID = response.Header.Get(HeaderRequestID)
	failure.RetryAfter = llmprovider.RetryAfter(response.Header, p.now())
	return failure
}
