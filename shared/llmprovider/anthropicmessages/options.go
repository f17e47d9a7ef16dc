package anthropicmessages

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// Defaults of Options.
const (
	DefaultBaseURL         = "https://api.anthropic.com"
	DefaultMaxOutputTokens = 4096
	DefaultMaxReplyBytes   = 1 << 20
)

// Options configure a Provider. Key, Model and Now are required.
type Options struct {
	// BaseURL is the API's address up to "/v1"; empty means DefaultBaseURL.
	BaseURL string
	// Key is asked for the API key before each call.
	Key sdkcall.KeySource
	// Model is used for requests that name none.
	Model string
	// MaxOutputTokens is used for requests that set none; zero means
	// DefaultMaxOutputTokens. The API has no default of its own.
	MaxOutputTokens int
	// MaxInputTokens is the largest prompt that is sent, by llmprovider's estimate;
	// zero means no limit. An estimate can be below the provider's count, so leave
	// a margin to the model's context window.
	MaxInputTokens int
	// MaxReplyBytes limits an answer's text; zero means DefaultMaxReplyBytes.
	MaxReplyBytes int
	// Client sends the requests; nil means llmprovider.NewClient().
	Client *http.Client
	// Now is the clock for Retry-After dates.
	Now func() time.Time
	// Log gets what the API's documentation does not describe; nil drops it.
	Log *slog.Logger
}

// validate names everything that is missing or cannot work.
func (o Options) validate() error {
	var problems []error
	if err := sdkcall.CheckAddress(o.BaseURL); err != nil {
		problems = append(problems, err)
	}
	if o.Key == nil {
		problems = append(problems, errors.New("no source for the API key"))
	}
	if o.Model == "" {
		problems = append(problems, errors.New("no model"))
	}
	if o.Now == nil {
		problems = append(problems, errors.New("no clock"))
	}
	if o.MaxOutputTokens < 0 || o.MaxInputTokens < 0 || o.MaxReplyBytes < 0 {
		problems = append(problems, errors.New("a negative limit"))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("anthropic provider: %w", err)
	}
	return nil
}
