package providerkey_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/replyonce/replyonce/shared/providerkey"
)

// store is a Secrets Manager with one secret.
type store struct {
	mu    sync.Mutex
	text  string
	err   error
	delay time.Duration
	reads int
}

func (s *store) GetSecretValue(ctx context.Context, in *secretsmanager.GetSecretValueInput, _ ...func(*secretsmanager.Options)) (*secretsmanager.GetSecretValueOutput, error) {
	s.mu.Lock()
	s.reads++
	text, err, delay := s.text, s.err, s.delay
	s.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return &secretsmanager.GetSecretValueOutput{ARN: in.SecretId, SecretString: aws.String(text)}, nil
}

func (s *store) set(text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.err = text, err
}

func (s *store) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

func newSecret(t *testing.T, secrets providerkey.Getter, log io.Writer) *providerkey.Secret {
	t.Helper()
	secret, err := providerkey.NewSecret(providerkey.Options{
		ID: "keys", Secrets: secrets, Now: time.Now, Log: slog.New(slog.NewJSONHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

func wantKey(t *testing.T, secret *providerkey.Secret, want string) {
	t.Helper()
	if key, err := secret.Key(t.Context()); err != nil || key != want {
		t.Fatalf("key %q, %v, want %q", key, err, want)
	}
}

func wantReads(t *testing.T, secrets *store, want int) {
	t.Helper()
	if got := secrets.count(); got != want {
		t.Fatalf("the secret was read %d times, want %d", got, want)
	}
}

func TestFixedKey(t *testing.T) {
	t.Parallel()
	if key, err := providerkey.Fixed("key-1").Read(t.Context()); err != nil || key != "key-1" {
		t.Errorf("key %q, %v", key, err)
	}
}

func TestOptionsAreNeeded(t *testing.T) {
	t.Parallel()
	for _, o := range []providerkey.Options{{}, {ID: "keys", Now: time.Now}, {ID: "keys", Secrets: &store{}}, {Secrets: &store{}, Now: time.Now}} {
		if _, err := providerkey.NewSecret(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

func TestKeyIsKeptForItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secrets := &store{text: "key-1"}
		secret := newSecret(t, secrets, io.Discard)
		wantKey(t, secret, "key-1")
		secrets.set("key-2", nil)
		time.Sleep(providerkey.DefaultKeep - time.Nanosecond)
		wantKey(t, secret, "key-1")
		wantReads(t, secrets, 1)
		time.Sleep(time.Nanosecond)
		wantKey(t, secret, "key-2")
		wantReads(t, secrets, 2)
	})
}

func TestFirstReadingFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secrets := &store{err: errors.New("access denied")}
		secret := newSecret(t, secrets, io.Discard)
		if _, err := secret.Key(t.Context()); err == nil || !strings.Contains(err.Error(), "read secret keys: access denied") {
			t.Fatalf("error %v", err)
		}
		secrets.set("key-1", nil)
		wantKey(t, secret, "key-1") // with no wait: without a key nothing works
	})
}

// A key that worked is used on while Secrets Manager is down, and asked for
// again from time to time.
func TestLaterReadingFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		secrets := &store{text: "key-1"}
		secret := newSecret(t, secrets, &log)
		wantKey(t, secret, "key-1")
		secrets.set("", errors.New("throttled"))
		time.Sleep(providerkey.DefaultKeep)
		for range 3 {
			wantKey(t, secret, "key-1")
		}
		wantReads(t, secrets, 2)
		time.Sleep(providerkey.DefaultReadAgain)
		secrets.set("key-2", nil)
		wantKey(t, secret, "key-2")
		if !strings.Contains(log.String(), "throttled") || strings.Contains(log.String(), "key-") {
			t.Errorf("log %s", log.String())
		}
	})
}

func TestParallelCallsShareOneReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secrets := &store{text: "key-1", delay: time.Second}
		secret := newSecret(t, secrets, io.Discard)
		var calls sync.WaitGroup
		for range 5 {
			calls.Go(func() {
				if key, err := secret.Key(t.Context()); err != nil || key != "key-1" {
					t.Errorf("key %q, %v", key, err)
				}
			})
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		synctest.Wait() // somebody reads
		if _, err := secret.Key(impatient); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the end of its own time", err)
		}
		calls.Wait()
		wantReads(t, secrets, 1)
	})
}

func TestTextsOfSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"key-1":                      "key-1",
		" key-1\n":                   "key-1",
		`{"OPENAI_API_KEY":"key-1"}`: "key-1",
		"":                           "",
		" \n":                        "",
		"{}":                         "",
		`{"a":"key-1","b":"key-2"}`:  "",
		`{"a":"key-1","a":"key-2"}`:  "",
		`{"a":{"b":"key-1"}}`:        "",
		`{"a":" "}`:                  "",
		`{"a":"key-1"`:               "",
	} {
		key, err := newSecret(t, &store{text: text}, io.Discard).Key(t.Context())
		if key != want || (err == nil) != (want != "") {
			t.Errorf("%q: key %q, %v, want %q", text, key, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "key-1") {
			t.Errorf("%q: the key is in the error %v", text, err)
		}
	}
}

func FuzzSecretText(f *testing.F) {
	f.Add("key-1")
	f.Add(`{"a":"b"}`)
	f.Fuzz(func(t *testing.T, text string) {
		key, err := newSecret(t, &store{text: text}, io.Discard).Key(t.Context())
		if err == nil && (key == "" || key != strings.TrimSpace(key)) || err != nil && key != "" {
			t.Errorf("key %q, %v", key, err)
		}
	})
}

// The request is the one that Secrets Manager documents.
func TestSecretsManagerIsAsked(t *testing.T) {
	t.Parallel()
	var asked struct{ SecretID string }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Target") != "secretsmanager.GetSecretValue" || json.NewDecoder(r.Body).Decode(&asked) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		_, _ = io.WriteString(w, `{"Name":"keys","SecretString":"key-1"}`)
	}))
	defer server.Close()
	client := secretsmanager.New(secretsmanager.Options{
		Region: "eu-west-1", BaseEndpoint: aws.String(server.URL), Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	})
	wantKey(t, newSecret(t, client, io.Discard), "key-1")
	if asked.SecretID != "keys" {
		t.Errorf("asked for %q", asked.SecretID)
	}
}
