package bedrockconverse

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// Defaults of Options.
const (
	DefaultMaxOutputTokens = 4096
	DefaultMaxReplyBytes   = 1 << 20
)

// Options configure a Provider. Config, Model and Now are required.
type Options struct {
	// Config has the region and the credentials.
	Config aws.Config
	// BaseURL is another address than the region's, such as that of a VPC endpoint.
	BaseURL string
	// Model is the id or ARN of a model or an inference profile that is used for
	// requests that name none.
	Model string
	// Streaming selects ConverseStream.
	Streaming bool
	// MaxOutputTokens is used for requests that set none; zero means
	// DefaultMaxOutputTokens. Bedrock reserves it from the account's quota before
	// the model runs, so a generous limit is throttled earlier.
	MaxOutputTokens int
	// MaxInputTokens is the largest prompt that is sent, by llmprovider's estimate;
	// zero means no limit. An estimate can be below the model's count, so leave a
	// margin to its context window.
	MaxInputTokens int
	// MaxReplyBytes limits an answer's text; zero means DefaultMaxReplyBytes.
	MaxReplyBytes int
	// Client sends the requests; nil means llmprovider.NewClient().
	Client *http.Client
	// Now is the clock for Retry-After dates.
	Now func() time.Time
	// Log gets what Bedrock's documentation does not describe; nil drops it.
	Log *slog.Logger
}

// maxTokens is the largest number that the API's field can hold.
const maxTokens = 1<<31 - 1

// validate names everything that is missing or cannot work.
func (o Options) validate() error {
	var problems []error
	if o.BaseURL != "" {
		problems = append(problems, sdkcall.CheckAddress(o.BaseURL))
	}
	if o.Config.Region == "" {
		problems = append(problems, errors.New("no region"))
	}
	if o.Config.Credentials == nil {
		problems = append(problems, errors.New("no credentials"))
	}
	if o.Model == "" {
		problems = append(problems, errors.New("no model"))
	}
	if o.Now == nil {
		problems = append(problems, errors.New("no clock"))
	}
	if o.MaxOutputTokens < 0 || o.MaxInputTokens < 0 || o.MaxReplyBytes < 0 || o.MaxOutputTokens > maxTokens {
		problems = append(problems, errors.New("a limit out of range"))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("bedrock provider: %w", err)
	}
	return nil
}
