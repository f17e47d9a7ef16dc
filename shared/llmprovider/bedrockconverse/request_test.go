package bedrockconverse_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The same bytes at every attempt, today's and those of the next release: the
// golden file changes only with a new prompt version.
func TestSameBytesForSamePrompt(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "request.golden.json")
	for name, streaming := range operations {
		s := setup(t, streaming)
		s.wantAnswer()
		s.request.Key = "another attempt"
		s.wantAnswer()
		logged := s.server.Requests()
		if string(logged[0].Body) != string(logged[1].Body) {
			t.Errorf("%s: two attempts sent different bytes:\n%s\n%s", name, logged[0].Body, logged[1].Body)
		}
		if *update {
			if err := os.WriteFile(file, logged[0].Body, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(logged[0].Body) != string(want) {
			t.Errorf("%s sent\n%s\nwant\n%s", name, logged[0].Body, want)
		}
	}
}

// The fake refuses headers that the API does not document and bodies that do not
// follow its description; wantRequests would see it.
func TestCaseM8OddTextReachesTheProvider(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"torn emoji":       "ok \xf0\x9f\x91",
		"decomposed":       "cafe\u0301",
		"skin tone":        "👍🏽",
		"control":          "a\x00b\u2028c\u202e",
		"markup":           `"</script>&amp;\`,
		"only white space": " \n",
		"nothing":          "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t, true)
			s.request.Prompt.History[0].Answer = text
			s.request.Prompt.Document.Text += text
			s.request.Prompt.Question += text
			s.wantAnswer()
			s.wantRequests(1, 1)
			logged := s.server.Requests()[0]
			if !utf8.Valid(logged.Body) {
				t.Error("the body is not valid UTF-8")
			}
			turns := s.request.Prompt.Chat().Turns
			if want := turns[len(turns)-1].Text; logged.Asked.Question != want {
				t.Errorf("the provider was asked %q, want %q", logged.Asked.Question, want)
			}
		})
	}
}

// The role's credentials sign the request, whatever the environment prefers. The
// fake signs again and compares.
func TestRequestsAreSignedByTheRole(t *testing.T) {
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer-token-0123456789")
	t.Setenv("AWS_MAX_ATTEMPTS", "5")
	s := setup(t, true)
	s.wantAnswer()
	s.wantRequests(1, 1)
	header := s.server.Requests()[0].Header
	if !strings.HasPrefix(header.Get("Authorization"), "AWS4-HMAC-SHA256 ") || header.Get("X-Amz-Security-Token") != testCredentials.SessionToken {
		t.Errorf("sent %v", header)
	}
	if attempts := header.Get("Amz-Sdk-Request"); attempts != "attempt=1; max=1" {
		t.Errorf("the SDK counts %q", attempts)
	}
}

func TestWrongCredentialsArePermanent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*aws.Credentials){
		"unknown key":  func(c *aws.Credentials) { c.AccessKeyID = "AKIDOTHER" },
		"wrong secret": func(c *aws.Credentials) { c.SecretAccessKey = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := testCredentials
			change(&wrong)
			s := setupWith(t, func(o *bedrockconverse.Options) { o.Config.Credentials = fixedCredentials(wrong) })
			_, err := s.provider.Call(t.Context(), s.request)
			failure := llmprovider.AsError(err)
			if failure == nil || failure.Kind != llmprovider.Permanent || failure.Reason != llmprovider.ReasonProviderMisconfigured {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Without credentials nothing was sent, and there may be some next time.
func TestNoCredentialsAreRejected(t *testing.T) {
	t.Parallel()
	unavailable := errors.New("the role's credentials are not there yet")
	s := setupWith(t, func(o *bedrockconverse.Options) {
		o.Config.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, unavailable
		})
	})
	if failure := s.wantFailure(llmprovider.Rejected, "", 0, 0); !errors.Is(failure, unavailable) {
		t.Errorf("the cause is missing in %v", failure)
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	s = setupWith(t, func(o *bedrockconverse.Options) {
		o.Config.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			cancel(stopped)
			return aws.Credentials{}, ctx.Err()
		})
	})
	if failure := s.wantFailureOf(ctx, llmprovider.Rejected, "", 0, 0); !errors.Is(failure, stopped) {
		t.Errorf("the cause is missing in %v", failure)
	}
}
