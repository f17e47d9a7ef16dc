package providerkey_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/providerkey"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
)

// rig is a real adapter that asks a strict server with a key from a secret.
type rig struct {
	llmprovider.Provider

	secret  *providerkey.Secret
	secrets *store
	now     time.Time
	sent    int
}

// RoundTrip counts what is sent.
func (r *rig) RoundTrip(request *http.Request) (*http.Response, error) {
	r.sent++
	return http.DefaultTransport.RoundTrip(request)
}

// setup makes a server that takes one key, and a secret that holds key-1.
func setup(t *testing.T, taken string) *rig {
	t.Helper()
	r := &rig{secrets: &store{text: "key-1"}, now: time.Date(2026, time.November, 29, 14, 0, 0, 0, time.UTC)}
	server := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{taken}})
	var err error
	r.secret, err = providerkey.NewSecret(providerkey.Options{ID: "keys", Secrets: r.secrets, Now: func() time.Time { return r.now }})
	if err != nil {
		t.Fatal(err)
	}
	adapter, err := openaichat.New(openaichat.Options{
		BaseURL: server.BaseURL, Model: "model-1", Key: r.secret.Key, Now: time.Now, Client: r.secret.Client(&http.Client{Transport: r}),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Provider = r.secret.Guard(adapter)
	return r
}

func (r *rig) ask(t *testing.T) *llmprovider.Error {
	t.Helper()
	_, err := r.Call(t.Context(), llmprovider.Request{Prompt: llmprovider.Prompt{
		Instruction: "Answer.", Document: llmprovider.DocumentText{Title: "Rules", Text: "Cats sleep."}, Question: "Who sleeps?",
	}})
	return llmprovider.AsError(err)
}

func TestReplacedKeyCostsNoTask(t *testing.T) {
	t.Parallel()
	r := setup(t, "key-2")
	wantKey(t, r.secret, "key-1") // read before it was replaced
	r.secrets.set("key-2", nil)
	if failure := r.ask(t); failure == nil || failure.Kind != llmprovider.Rejected || failure.Reason != "" {
		t.Fatalf("outcome %v, want rejected", failure)
	}
	if failure := r.ask(t); failure != nil {
		t.Errorf("with the new key: %v", failure)
	}
	if wantReads(t, r.secrets, 2); r.sent != 2 {
		t.Errorf("%d requests were sent for two calls", r.sent)
	}
}

// A wrong key is read again now and then, not with each call.
func TestWrongKeyIsPermanent(t *testing.T) {
	t.Parallel()
	r := setup(t, "key-2")
	for range 5 {
		failure := r.ask(t)
		if failure == nil || failure.Kind != llmprovider.Permanent || failure.Reason != llmprovider.ReasonProviderMisconfigured {
			t.Fatalf("outcome %v, want a permanent one", failure)
		}
	}
	wantReads(t, r.secrets, 2)
	r.now = r.now.Add(providerkey.DefaultReadAgain)
	r.secrets.set("key-2", nil) // put right
	if failure := r.ask(t); failure != nil {
		t.Errorf("with the right key: %v", failure)
	}
	wantReads(t, r.secrets, 3)
}

func TestRightKeyIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := setup(t, "key-1")
	for range 3 {
		if failure := r.ask(t); failure != nil {
			t.Fatal(failure)
		}
	}
	wantReads(t, r.secrets, 1)
}
