package anthropicmessages

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// Name is the provider's name on saved replies.
const Name = "anthropic"

// A stream's size is bounded by its tokens: each is sent in at most one event,
// and an event of one token stays far below this many bytes.
const (
	bytesPerToken  = 1 << 10
	streamOverhead = 256 << 10
)

// Provider is an llmprovider.Provider that asks the Messages API.
type Provider struct {
	messages  anthropic.MessageService
	key       sdkcall.KeySource
	model     string
	maxOutput int
	maxInput  int
	client    *http.Client
	judge     outcometable.Judge
}

var _ llmprovider.Provider = (*Provider)(nil)

// New returns a Provider, or an error that names everything that is missing.
func New(options Options) (*Provider, error) {
	options.BaseURL = cmp.Or(options.BaseURL, DefaultBaseURL)
	if err := options.validate(); err != nil {
		return nil, err
	}
	provider := &Provider{
		// The service and not the client: the client reads keys, profiles and
		// addresses from the environment and from files.
		messages: anthropic.NewMessageService(
			option.WithBaseURL(options.BaseURL),
			option.WithMaxRetries(0),
			// Spans can be told by the environment to carry prompts and answers.
			option.WithoutOpenTelemetry(),
		),
		key:       options.Key,
		model:     options.Model,
		maxOutput: cmp.Or(options.MaxOutputTokens, DefaultMaxOutputTokens),
		maxInput:  options.MaxInputTokens,
		client:    options.Client,
		judge: outcometable.Judge{
			Table: table, Oddities: sdkcall.NewOddities(options.Log, Name),
			MaxReplyBytes: cmp.Or(options.MaxReplyBytes, DefaultMaxReplyBytes), Now: options.Now,
		},
	}
	if provider.client == nil {
		provider.client = llmprovider.NewClient()
	}
	return provider, nil
}

// Name returns Name.
func (p *Provider) Name() string { return Name }

// Capability states what Anthropic documents.
func (p *Provider) Capability() llmprovider.Capability { return capability() }

// Lookup is not supported: no message can be read after its stream.
func (p *Provider) Lookup(context.Context, string) (llmprovider.Answer, error) {
	return llmprovider.Answer{}, llmprovider.ErrLookupUnsupported
}

// Call sends one POST and reads its stream to the end.
func (p *Provider) Call(ctx context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	if cause := context.Cause(ctx); cause != nil {
		return llmprovider.Answer{}, &llmprovider.Error{Kind: llmprovider.Rejected, Err: fmt.Errorf("before the call: %w", cause)}
	}
	params, err := p.parameters(r)
	if err != nil {
		return llmprovider.Answer{}, err
	}
	key, err := p.key.Read(ctx)
	if err != nil {
		return llmprovider.Answer{}, err
	}
	exchange := sdkcall.NewExchange(p.client, bytesPerToken*params.MaxTokens+streamOverhead)
	stream := p.messages.NewStreaming(ctx, params, option.WithAPIKey(key), option.WithHTTPClient(exchange))
	defer stream.Close()
	if !exchange.Used() {
		return llmprovider.Answer{}, llmprovider.ClassMisconfigured.Error(fmt.Errorf("the SDK sent nothing: %w", stream.Err()))
	}
	return p.outcome(ctx, params.Model, exchange, stream)
}
