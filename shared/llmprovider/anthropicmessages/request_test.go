package anthropicmessages_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The same bytes at every attempt, today's and those of the next release: the
// golden file changes only with a new prompt version.
func TestSameBytesForSamePrompt(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.wantAnswer()
	s.request.Key = "another attempt"
	s.wantAnswer()
	logged := s.server.Requests()
	if string(logged[0].Body) != string(logged[1].Body) {
		t.Errorf("two attempts sent different bytes:\n%s\n%s", logged[0].Body, logged[1].Body)
	}
	file := filepath.Join("testdata", "request.golden.json")
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
		t.Errorf("sent\n%s\nwant\n%s", logged[0].Body, want)
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
			s := setup(t)
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

func TestKeyIsReadBeforeEachCall(t *testing.T) {
	t.Parallel()
	key, failing := "wrong", error(nil)
	s := setupWith(t, func(o *anthropicmessages.Options) {
		o.Key = func(context.Context) (string, error) { return key, failing }
	})
	failing = errors.New("secret store is down")
	if failure := s.wantFailure(llmprovider.Rejected, "", 0, 0); !errors.Is(failure, failing) {
		t.Errorf("the cause is missing in %v", failure)
	}
	key, failing = "", nil
	s.wantFailure(llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured, 0, 0)
	key = testKey + "\n"
	s.wantAnswer()
	s.wantRequests(1, 1)
}

func TestWrongKeyIsPermanent(t *testing.T) {
	t.Parallel()
	s := setupWith(t, func(o *anthropicmessages.Options) { o.Key = fixedKey("sk-ant-revoked") })
	_, err := s.provider.Call(t.Context(), s.request)
	failure := llmprovider.AsError(err)
	if failure == nil || failure.Kind != llmprovider.Permanent || failure.Reason != llmprovider.ReasonProviderMisconfigured {
		t.Errorf("got %v", err)
	}
}
