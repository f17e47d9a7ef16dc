package openairesponses

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// Name is the provider's name on saved replies.
const Name = "openai"

// Defaults of Options.
const (
	DefaultBaseURL       = "https://api.openai.com/v1"
	DefaultMaxReplyBytes = 1 << 20
	DefaultPollInterval  = 500 * time.Millisecond
	DefaultMaxPoll       = 4 * time.Second
	DefaultLookAgain     = 5 * time.Second
	DefaultGrace         = time.Second
)

// Options configure a Provider. Key, Model and Now are required.
type Options struct {
	// Key returns the API key. It is asked before every request.
	Key sdkcall.KeySource
	// Model answers requests that name none.
	Model string
	// BaseURL is the address before "/responses"; empty means DefaultBaseURL.
	BaseURL string

	// Foreground keeps the connection open until the answer is there, in place of
	// working in the background.
	Foreground bool
	// Stream asks for the answer as a stream, in the foreground.
	Stream bool

	// MaxOutputTokens limits answers to requests that set no limit, reasoning
	// included; zero leaves it to the model. The API's own minimum is 16.
	MaxOutputTokens int
	// MaxInputTokens is the longest prompt that is sent, by estimate; zero means no
	// limit.
	MaxInputTokens int
	// MaxReplyBytes limits an answer's text; zero means DefaultMaxReplyBytes.
	MaxReplyBytes int

	// PollInterval is the wait before the first look at a background response; it
	// grows by half each time up to MaxPoll, which is no shorter. Zero means the
	// defaults.
	PollInterval, MaxPoll time.Duration
	// HandBack, when not zero, is how long Call waits for a background response whose
	// id was saved. After it the call ends as ambiguous with a wait of LookAgain: the
	// task is given back and a later look-up brings the answer, so that no function
	// is paid for waiting.
	HandBack time.Duration
	// LookAgain is the wait until the next look-up; zero means DefaultLookAgain.
	LookAgain time.Duration
	// Grace is the time for what must still happen when the call's context has ended:
	// saving an id that has just arrived, cancelling a response that nobody wants. It
	// has to fit into what the caller keeps for its own last writes. Zero means
	// DefaultGrace.
	Grace time.Duration

	// Now is the clock for Retry-After dates.
	Now func() time.Time
	// Client sends the requests; nil means llmprovider.NewClient().
	Client *http.Client
	// Log gets what this release does not know and what needs an operator, each once;
	// nil drops it.
	Log *slog.Logger
}

// Provider is an llmprovider.Provider for the Responses API.
type Provider struct {
	options  Options
	service  responses.ResponseService
	client   *http.Client
	oddities *sdkcall.Oddities
}

var _ llmprovider.Provider = (*Provider)(nil)

// New returns a Provider, or everything that is wrong with the options.
func New(options Options) (*Provider, error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, fmt.Errorf("responses provider: %w", err)
	}
	client := options.Client
	if client == nil {
		client = llmprovider.NewClient()
	}
	return &Provider{
		options: options, client: client,
		// The service reads no environment. The root client would, and it would make
		// the worker twice as large.
		service:  responses.NewResponseService(option.WithBaseURL(options.BaseURL), option.WithMaxRetries(0)),
		oddities: sdkcall.NewOddities(options.Log, Name),
	}, nil
}

func (o Options) withDefaults() Options {
	orDefault := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	orDefault(&o.PollInterval, DefaultPollInterval)
	orDefault(&o.MaxPoll, DefaultMaxPoll)
	o.MaxPoll = max(o.MaxPoll, o.PollInterval)
	orDefault(&o.LookAgain, DefaultLookAgain)
	orDefault(&o.Grace, DefaultGrace)
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.MaxReplyBytes == 0 {
		o.MaxReplyBytes = DefaultMaxReplyBytes
	}
	return o
}

func (o Options) check() error {
	problems := []error{sdkcall.CheckAddress(o.BaseURL)}
	if o.Key == nil {
		problems = append(problems, errors.New("no source of the API key"))
	}
	if o.Model == "" {
		problems = append(problems, errors.New("no model"))
	}
	if o.Now == nil {
		problems = append(problems, errors.New("no clock"))
	}
	if o.Stream && !o.Foreground {
		problems = append(problems, errors.New("a stream needs the foreground"))
	}
	if o.MaxOutputTokens < 0 || o.MaxInputTokens < 0 || o.MaxReplyBytes < 0 {
		problems = append(problems, errors.New("a limit is negative"))
	}
	if o.PollInterval < 0 || o.HandBack < 0 || o.LookAgain < 0 || o.Grace < 0 {
		problems = append(problems, errors.New("a duration is negative"))
	}
	return errors.Join(problems...)
}

// Name returns Name.
func (p *Provider) Name() string { return Name }

// pollingWindow is how long a background response can be read for certain. A stored
// one lives for 30 days in most projects, and in some it does not.
const pollingWindow = 10 * time.Minute

// Capability says that no create is protected from being executed twice, and that a
// background response can be read and cancelled by its id.
func (p *Provider) Capability() llmprovider.Capability {
	capability := llmprovider.Capability{
		Endpoint:      "POST /responses",
		LanguageModel: true,
		RetryRule:     openaiapi.RetryRule,
		Source: "OpenAI API description (openai/openai-openapi at f85dbe2): POST /responses has no header parameter and no key; " +
			"GET and cancel by id only; guide to background mode (developers.openai.com/api/docs/guides/background): about ten minutes for polling",
		CheckedOn: "2026-11-29",
	}
	if !p.options.Foreground {
		capability.Endpoint = "POST /responses, background"
		capability.Lookup, capability.LookupRetention = true, pollingWindow
		capability.Cancel = true
	}
	return capability
}
