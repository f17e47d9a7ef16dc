package providerkey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// Defaults of Options.
const (
	DefaultKeep      = 5 * time.Minute
	DefaultReadAgain = time.Minute
)

// Fixed returns a source of a key that never changes.
func Fixed(key string) sdkcall.KeySource {
	return func(context.Context) (string, error) { return key, nil }
}

// Getter is what is asked for a secret. It is [secretsmanager.Client].
type Getter interface {
	GetSecretValue(ctx context.Context, in *secretsmanager.GetSecretValueInput, options ...func(*secretsmanager.Options)) (*secretsmanager.GetSecretValueOutput, error)
}

// Options configure a Secret. ID, Secrets and Now are required.
type Options struct {
	// ID is the ARN or the name of the secret.
	ID      string
	Secrets Getter
	// Keep is how long a key is used before it is read again; zero means DefaultKeep.
	Keep time.Duration
	// ReadAgain is the least time between two readings that refusals by the provider
	// cause, and from a failed reading to the next; zero means DefaultReadAgain.
	ReadAgain time.Duration
	Now       func() time.Time
	// Log gets readings that failed; nil drops them.
	Log *slog.Logger
}

// Secret is a key in AWS Secrets Manager. It is safe for concurrent use.
type Secret struct {
	options Options

	// turn is held while the fields below are used. It is a channel and no mutex so
	// that a call whose time is over does not wait for somebody else's reading.
	turn     chan struct{}
	key      string
	renewAt  time.Time
	refused  bool      // the provider has answered 401 to key
	forcedAt time.Time // of the last reading because of that
}

// NewSecret returns a Secret. It reads nothing yet.
func NewSecret(options Options) (*Secret, error) {
	if options.ID == "" || options.Secrets == nil || options.Now == nil {
		return nil, errors.New("provider key: the secret's id, a client and a clock are needed")
	}
	options.Keep = cmp.Or(options.Keep, DefaultKeep)
	options.ReadAgain = cmp.Or(options.ReadAgain, DefaultReadAgain)
	options.Log = cmp.Or(options.Log, slog.New(slog.DiscardHandler))
	return &Secret{options: options, turn: make(chan struct{}, 1)}, nil
}

// Key is an [sdkcall.KeySource]. A reading that fails is an error only while there
// is no key: one that worked before is better than none, and a call with a wrong
// key is refused without being executed.
func (s *Secret) Key(ctx context.Context) (string, error) {
	key, err := s.current(ctx)
	useIn(ctx).key = key
	return key, err
}

func (s *Secret) current(ctx context.Context) (string, error) {
	if err := s.lock(ctx); err != nil {
		return "", err
	}
	defer s.unlock()
	if s.key != "" && !s.due() {
		return s.key, nil
	}
	now := s.options.Now()
	if s.refused {
		s.forcedAt = now
	}
	key, err := s.read(ctx)
	if err != nil && s.key == "" {
		return "", err
	}
	if err != nil {
		s.options.Log.WarnContext(ctx, "the provider's key could not be read again", "error", err)
		s.renewAt = now.Add(s.options.ReadAgain)
		return s.key, nil
	}
	s.renewAt = now.Add(s.options.Keep)
	s.refused = s.refused && key == s.key
	s.key = key
	return key, nil
}

// due reports whether the key must be read again.
func (s *Secret) due() bool {
	now := s.options.Now()
	return !now.Before(s.renewAt) || s.refused && now.Sub(s.forcedAt) >= s.options.ReadAgain
}

// refuse notes that the provider has refused a key. One that has been replaced
// meanwhile is of no interest: answers to its last calls may come late.
func (s *Secret) refuse(ctx context.Context, key string) {
	if s.lock(ctx) != nil {
		return // the next call meets the same refusal
	}
	defer s.unlock()
	s.refused = s.refused || key != "" && key == s.key
}

func (s *Secret) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the provider's key: %w", context.Cause(ctx))
	}
}

func (s *Secret) unlock() { <-s.turn }

func (s *Secret) read(ctx context.Context) (string, error) {
	out, err := s.options.Secrets.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(s.options.ID)})
	if err != nil {
		return "", fmt.Errorf("read secret %s: %w", s.options.ID, err)
	}
	key, err := keyIn(aws.ToString(out.SecretString))
	if err != nil {
		return "", fmt.Errorf("read secret %s: %w", s.options.ID, err)
	}
	return key, nil
}
