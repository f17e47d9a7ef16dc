package bedrockconverse

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/schemas"
	"github.com/aws/smithy-go/transport/http/protocol/restjson1"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// Name is the provider's name on saved replies.
const Name = "bedrock"

// An answer's size is bounded by its tokens: each is sent in at most one event,
// and an event of one token stays far below this many bytes.
const (
	bytesPerToken  = 1 << 10
	answerOverhead = 256 << 10
)

// Provider is an llmprovider.Provider that asks Bedrock.
type Provider struct {
	client     *bedrockruntime.Client
	httpClient *http.Client
	streaming  bool
	model      string
	maxOutput  int
	maxInput   int
	judge      outcometable.Judge
}

var _ llmprovider.Provider = (*Provider)(nil)

// New returns a Provider, or an error that names everything that is missing.
func New(options Options) (*Provider, error) {
	if err := options.validate(); err != nil {
		return nil, err
	}
	provider := &Provider{
		client:     bedrockruntime.NewFromConfig(options.Config, options.harden),
		httpClient: options.Client,
		streaming:  options.Streaming,
		model:      options.Model,
		maxOutput:  cmp.Or(options.MaxOutputTokens, DefaultMaxOutputTokens),
		maxInput:   options.MaxInputTokens,
		judge: outcometable.Judge{
			Table: table, Oddities: sdkcall.NewOddities(options.Log, Name),
			MaxReplyBytes: cmp.Or(options.MaxReplyBytes, DefaultMaxReplyBytes), Now: options.Now,
		},
	}
	if provider.httpClient == nil {
		provider.httpClient = llmprovider.NewClient()
	}
	return provider, nil
}

// harden takes from the SDK what the environment and the shared configuration may
// have switched on.
func (o Options) harden(client *bedrockruntime.Options) {
	client.Retryer = aws.NopRetryer{}
	client.RetryMaxAttempts = 1
	client.Credentials = credentials{o.Config.Credentials}
	client.BearerAuthTokenProvider = nil
	client.AuthSchemePreference = []string{"sigv4"}
	client.ClientLogMode = 0 // it can log whole bodies
	if o.BaseURL != "" {
		client.BaseEndpoint = aws.String(o.BaseURL)
	}
}

// credentials mark a failure to get any, which is not the request's fault.
type credentials struct{ aws.CredentialsProvider }

// credentialsError carries why there were no credentials.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return "get credentials: " + e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }

func (c credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &credentialsError{err}
	}
	return found, nil
}

// Name returns Name.
func (p *Provider) Name() string { return Name }

// Capability states what AWS documents.
func (p *Provider) Capability() llmprovider.Capability { return capability(p.streaming) }

// Lookup is not supported: Bedrock keeps no answer.
func (p *Provider) Lookup(context.Context, string) (llmprovider.Answer, error) {
	return llmprovider.Answer{}, llmprovider.ErrLookupUnsupported
}

// Call sends one POST and reads its answer to the end.
func (p *Provider) Call(ctx context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	if cause := context.Cause(ctx); cause != nil {
		return llmprovider.Answer{}, &llmprovider.Error{Kind: llmprovider.Rejected, Err: fmt.Errorf("before the call: %w", cause)}
	}
	input, err := p.input(r)
	if err != nil {
		return llmprovider.Answer{}, err
	}
	exchange := sdkcall.NewExchange(p.httpClient, bytesPerToken*int64(*input.InferenceConfig.MaxTokens)+answerOverhead)
	once := func(o *bedrockruntime.Options) {
		o.HTTPClient = exchange
		// A client's streams share one decoder without a lock (smithy-go v1.28.9, the
		// codec of internal/eventstream), which the race detector reports for parallel
		// calls. So each call gets its own.
		o.Protocol = restjson1.New(schemas.AmazonBedrockFrontendService)
	}
	read := p.converse
	if p.streaming {
		read = p.converseStream
	}
	said, err := read(ctx, input, once)
	return p.outcome(ctx, *input.ModelId, exchange, said, err)
}
