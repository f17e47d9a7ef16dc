package openaichat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// Name is the provider's name on saved replies.
const Name = "openai-compatible"

// DefaultMaxReplyBytes is the longest text that is taken as an answer.
const DefaultMaxReplyBytes = 1 << 20

// Names of the member that limits the answer.
const (
	// MaxTokens is understood by every server, but not by OpenAI's reasoning models.
	MaxTokens = "max_tokens"
	// MaxCompletionTokens is its successor in OpenAI's description.
	MaxCompletionTokens = "max_completion_tokens"
)

// Options configure a Provider. BaseURL, Model and Now are required.
type Options struct {
	// BaseURL is the address before "/chat/completions", such as
	// http://localhost:11434/v1 for Ollama or http://localhost:8000/v1 for vLLM.
	BaseURL string
	// Model answers requests that name none.
	Model string
	// Key returns the key for the Authorization header; nil sends none.
	Key sdkcall.KeySource
	// Stream asks for the answer as a stream. Servers and proxies that give up on a
	// connection without traffic then wait for long answers too.
	Stream bool
	// MaxOutputTokens limits answers to requests that set no limit; zero leaves it to
	// the server.
	MaxOutputTokens int
	// LimitMember is the member that carries the limit; empty means MaxTokens.
	LimitMember string
	// MaxInputTokens is the longest prompt that is sent, by estimate; zero means no
	// limit.
	MaxInputTokens int
	// MaxReplyBytes limits an answer's text; zero means DefaultMaxReplyBytes.
	MaxReplyBytes int
	// Now is the clock for Retry-After dates.
	Now func() time.Time
	// Client sends the requests; nil means llmprovider.NewClient().
	Client *http.Client
	// Log gets what this release does not know and what needs an operator, each once;
	// nil drops it.
	Log *slog.Logger
}

// Provider is an llmprovider.Provider for one endpoint.
type Provider struct {
	options  Options
	url      string
	client   *http.Client
	oddities *sdkcall.Oddities
}

var _ llmprovider.Provider = (*Provider)(nil)

// New returns a Provider, or everything that is wrong with the options.
func New(options Options) (*Provider, error) {
	problems := []error{sdkcall.CheckAddress(options.BaseURL)}
	if options.Model == "" {
		problems = append(problems, errors.New("no model"))
	}
	if options.Now == nil {
		problems = append(problems, errors.New("no clock"))
	}
	switch options.LimitMember {
	case "":
		options.LimitMember = MaxTokens
	case MaxTokens, MaxCompletionTokens:
	default:
		problems = append(problems, fmt.Errorf("the member for the limit is %q, want %s or %s", options.LimitMember, MaxTokens, MaxCompletionTokens))
	}
	if options.MaxOutputTokens < 0 || options.MaxInputTokens < 0 || options.MaxReplyBytes < 0 {
		problems = append(problems, errors.New("a limit is negative"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("chat completions provider: %w", err)
	}
	if options.MaxReplyBytes == 0 {
		options.MaxReplyBytes = DefaultMaxReplyBytes
	}
	client := options.Client
	if client == nil {
		client = llmprovider.NewClient()
	}
	return &Provider{
		options: options, url: strings.TrimRight(options.BaseURL, "/") + "/chat/completions", client: client,
		oddities: sdkcall.NewOddities(options.Log, Name),
	}, nil
}

// Name returns Name.
func (p *Provider) Name() string { return Name }

// Capability says that nothing can be recovered. A server may keep completions
// when it is asked to ("store" in OpenAI's description), but their id comes with
// the answer, which is too late.
func (p *Provider) Capability() llmprovider.Capability {
	return llmprovider.Capability{
		Endpoint:      "POST /chat/completions",
		LanguageModel: true,
		RetryRule:     openaiapi.RetryRule,
		Source: "OpenAI API description (openai/openai-openapi at f85dbe2): no header parameter, no cancel, no read of a completion " +
			"by a key of the client; docs.ollama.com/api/openai-compatibility and docs.vllm.ai add none",
		CheckedOn: "2026-11-29",
	}
}

// Lookup is not supported.
func (p *Provider) Lookup(context.Context, string) (llmprovider.Answer, error) {
	return llmprovider.Answer{}, llmprovider.ErrLookupUnsupported
}

// Call sends one POST. r.Key is not sent, because no server documents one, and
// r.SaveOperation is never called.
func (p *Provider) Call(ctx context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	request, err := p.request(ctx, r)
	if err != nil {
		return llmprovider.Answer{}, err
	}
	response, err := llmprovider.Send(p.client, request, openaiapi.BodyLimit(p.options.MaxReplyBytes, p.options.Stream))
	if err != nil {
		return llmprovider.Answer{}, p.annotate(ctx, err, response)
	}
	if response.Status != http.StatusOK {
		return llmprovider.Answer{}, openaiapi.Refusal(ctx, response, p.options.Now(), p.oddities)
	}
	answer, err := p.answer(ctx, response)
	if err != nil {
		return llmprovider.Answer{}, p.annotate(ctx, err, response)
	}
	if answer.Model == "" || len(answer.Model) > maxModelBytes {
		answer.Model = p.model(r)
	}
	return answer, nil
}

func (p *Provider) model(r llmprovider.Request) string {
	if r.Model != "" {
		return r.Model
	}
	return p.options.Model
}

// maxModelBytes is the longest name of a model that is believed and saved.
const maxModelBytes = 256

// annotate adds what the headers say to an outcome.
func (p *Provider) annotate(ctx context.Context, err error, response llmprovider.Response) error {
	failure := llmprovider.AsError(err)
	failure.ProviderRequestID = response.Header.Get(openaiapi.HeaderRequestID)
	failure.RetryAfter = llmprovider.RetryAfter(response.Header, p.options.Now())
	p.oddities.Refused(ctx, failure)
	return failure
}
