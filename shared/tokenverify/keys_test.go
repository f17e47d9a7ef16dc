package tokenverify_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/replyonce/replyonce/shared/tokenverify"
)

func wantUnavailable(t *testing.T, err error) {
	t.Helper()
	if _, isUnavailable := errors.AsType[*tokenverify.UnavailableError](err); !isUnavailable {
		t.Fatalf("got %v, want an UnavailableError", err)
	}
}

func TestKeysAreReadOnce(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	verifier := newVerifier(t, issuer, newClock())
	token := key.sign(t, issuer.claims(), nil)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := verifier.Verify(t.Context(), token); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := issuer.keyRequests(); n != 1 {
		t.Errorf("%d requests for keys, want 1", n)
	}
}

func TestRotatedKeyIsFound(t *testing.T) {
	t.Parallel()
	first, second := newSigner(t, "k1", jose.ES256), newSigner(t, "k2", jose.ES256)
	issuer := newIssuer(t, first)
	clock := newClock()
	verifier := newVerifier(t, issuer, clock)
	if _, err := verifier.Verify(t.Context(), first.sign(t, issuer.claims(), nil)); err != nil {
		t.Fatal(err)
	}
	issuer.publish(second)
	clock.step(10 * time.Second)
	if _, err := verifier.Verify(t.Context(), second.sign(t, issuer.claims(), nil)); err != nil {
		t.Fatalf("new key: %v", err)
	}
	_, err := verifier.Verify(t.Context(), first.sign(t, issuer.claims(), nil))
	wantRefused(t, err, tokenverify.ReasonKeyUnknown)
}

// An issuer with one key and no key ids rotates too.
func TestRotatedKeyWithoutID(t *testing.T) {
	t.Parallel()
	first, second := newSigner(t, "", jose.ES256), newSigner(t, "", jose.ES256)
	issuer := newIssuer(t, first)
	clock := newClock()
	verifier := newVerifier(t, issuer, clock)
	if _, err := verifier.Verify(t.Context(), first.sign(t, issuer.claims(), nil)); err != nil {
		t.Fatal(err)
	}
	issuer.publish(second)
	clock.step(10 * time.Second)
	if _, err := verifier.Verify(t.Context(), second.sign(t, issuer.claims(), nil)); err != nil {
		t.Fatalf("new key: %v", err)
	}
}

func TestFloodOfUnknownKeysAsksTheIssuerOnce(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	clock := newClock()
	verifier := newVerifier(t, issuer, clock)
	good := key.sign(t, issuer.claims(), nil)
	forger := newSigner(t, "", jose.ES256)
	for i := range 200 {
		forger.id = fmt.Sprintf("invented-%d", i)
		_, err := verifier.Verify(t.Context(), forger.sign(t, issuer.claims(), nil))
		wantRefused(t, err, tokenverify.ReasonKeyUnknown)
		if _, err := verifier.Verify(t.Context(), good); err != nil {
			t.Fatal(err)
		}
	}
	if n := issuer.keyRequests(); n != 1 {
		t.Errorf("%d requests for keys, want 1", n)
	}
	clock.step(10 * time.Second)
	_, err := verifier.Verify(t.Context(), forger.sign(t, issuer.claims(), nil))
	wantRefused(t, err, tokenverify.ReasonKeyUnknown)
	if n := issuer.keyRequests(); n != 2 {
		t.Errorf("%d requests for keys after the interval, want 2", n)
	}
}

func TestIssuerDownAtTheStart(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	issuer.set(func(i *fakeIssuer) { i.down = true })
	clock := newClock()
	verifier := newVerifier(t, issuer, clock)
	token := key.sign(t, issuer.claims(), nil)
	_, err := verifier.Verify(t.Context(), token)
	wantUnavailable(t, err)

	issuer.set(func(i *fakeIssuer) { i.down = false })
	_, err = verifier.Verify(t.Context(), token)
	wantUnavailable(t, err) // too early to ask again
	if n := issuer.keyRequests(); n != 0 {
		t.Errorf("%d requests for keys, want none yet", n)
	}
	clock.step(time.Second)
	if _, err := verifier.Verify(t.Context(), token); err != nil {
		t.Fatalf("issuer is back: %v", err)
	}
}

// Known keys keep working while the issuer is away; a token of an unknown key
// is then neither accepted nor refused; a forgery is still a forgery.
func TestIssuerDownLater(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	clock := newClock()
	verifier := newVerifier(t, issuer, clock)
	week := map[string]any{"exp": start.Add(7 * 24 * time.Hour).Unix()}
	token := key.sign(t, issuer.claims(week), nil)
	if _, err := verifier.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	issuer.set(func(i *fakeIssuer) { i.down = true })
	clock.step(10 * time.Second)
	_, err := verifier.Verify(t.Context(), newSigner(t, "k2", jose.ES256).sign(t, issuer.claims(week), nil))
	wantUnavailable(t, err)
	_, err = verifier.Verify(t.Context(), newSigner(t, "k1", jose.ES256).sign(t, issuer.claims(week), nil))
	wantRefused(t, err, tokenverify.ReasonSignature)
	for _, age := range []time.Duration{2 * time.Hour, 21 * time.Hour} {
		clock.step(age)
		if _, err := verifier.Verify(t.Context(), token); err != nil {
			t.Fatalf("known key after %s more: %v", age, err)
		}
	}
	clock.step(time.Hour)
	_, err = verifier.Verify(t.Context(), token)
	wantUnavailable(t, err)
}

// A key that the issuer withdraws is trusted for an hour at most, although no
// token with an unknown key asks for a renewal.
func TestWithdrawnKeyIsForgotten(t *testing.T) {
	t.Parallel()
	leaked, kept := newSigner(t, "k1", jose.ES256), newSigner(t, "k2", jose.ES256)
	issuer := newIssuer(t, leaked, kept)
	clock := newClock()
	verifier := newVerifier(t, issuer, clock)
	token := leaked.sign(t, issuer.claims(map[string]any{"exp": start.Add(24 * time.Hour).Unix()}), nil)
	if _, err := verifier.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	issuer.publish(kept)
	clock.step(time.Hour - time.Second)
	if _, err := verifier.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	clock.step(time.Second)
	_, err := verifier.Verify(t.Context(), token)
	wantRefused(t, err, tokenverify.ReasonKeyUnknown)
}

// A clock that is set back must not stop renewals until it has caught up, and
// a clock set forward ends tokens early, which is safe.
func TestClockSteps(t *testing.T) {
	t.Parallel()
	first, second := newSigner(t, "k1", jose.ES256), newSigner(t, "k2", jose.ES256)
	issuer := newIssuer(t, first)
	clock := newClock()
	verifier := newVerifier(t, issuer, clock)
	if _, err := verifier.Verify(t.Context(), first.sign(t, issuer.claims(), nil)); err != nil {
		t.Fatal(err)
	}
	issuer.publish(second)
	clock.step(-120 * time.Second)
	if _, err := verifier.Verify(t.Context(), second.sign(t, issuer.claims(), nil)); err != nil {
		t.Fatalf("set back by two minutes: %v", err)
	}
	clock.step(2 * time.Hour)
	_, err := verifier.Verify(t.Context(), second.sign(t, issuer.claims(), nil))
	wantRefused(t, err, tokenverify.ReasonExpired)
}

func TestUnusableDiscoveryAndKeySets(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	weak := fmt.Sprintf(`{"kty":"RSA","kid":"k1","n":"%s","e":"AQAB"}`,
		base64.RawURLEncoding.EncodeToString(new(big.Int).Lsh(big.NewInt(1), 1023).Bytes()))
	tests := map[string]func(i *fakeIssuer){
		"other issuer":      func(i *fakeIssuer) { i.discovery = func(d map[string]any) { d["issuer"] = "https://issuer.example" } },
		"no address":        func(i *fakeIssuer) { i.discovery = func(d map[string]any) { delete(d, "jwks_uri") } },
		"bad address":       func(i *fakeIssuer) { i.discovery = func(d map[string]any) { d["jwks_uri"] = "http://[" } },
		"missing keys":      func(i *fakeIssuer) { i.discovery = func(d map[string]any) { d["jwks_uri"] = i.url + "/none" } },
		"no JSON":           func(i *fakeIssuer) { i.rawKeys = "<html>" },
		"no keys":           func(i *fakeIssuer) { i.rawKeys = `{"keys":[]}` },
		"keys of no use":    func(i *fakeIssuer) { i.rawKeys = `{"keys":[{"kty":"oct","kid":"k1","k":"c2VjcmV0"},{"kty":"?"},7]}` },
		"weak key":          func(i *fakeIssuer) { i.rawKeys = `{"keys":[` + weak + `]}` },
		"duplicate members": func(i *fakeIssuer) { i.rawKeys = `{"keys":[],"keys":[]}` },
		"endless answer":    func(i *fakeIssuer) { i.rawKeys = `{"keys":["` + strings.Repeat("a", 1<<20) + `"]}` },
		"endless discovery": func(i *fakeIssuer) {
			i.discovery = func(d map[string]any) { d["padding"] = strings.Repeat("a", 1<<20) }
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuer := newIssuer(t, key)
			issuer.set(change)
			_, err := newVerifier(t, issuer, newClock()).Verify(t.Context(), key.sign(t, issuer.claims(), nil))
			wantUnavailable(t, err)
		})
	}
}

// One key that nobody understands does not make the others useless, and a key
// for encryption verifies nothing.
func TestExoticKeysAreLeftOut(t *testing.T) {
	t.Parallel()
	key, encryption := newSigner(t, "k1", jose.ES256), newSigner(t, "k2", jose.ES256)
	issuer := newIssuer(t, key)
	public := encryption.public()
	public.Use = "enc"
	issuer.set(func(i *fakeIssuer) {
		i.keys = append(i.keys, map[string]any{"kty": "OKP", "crv": "Ed448", "x": "AA"}, map[string]any{"kty": "new"}, public)
	})
	verifier := newVerifier(t, issuer, newClock())
	if _, err := verifier.Verify(t.Context(), key.sign(t, issuer.claims(), nil)); err != nil {
		t.Fatal(err)
	}
	_, err := verifier.Verify(t.Context(), encryption.sign(t, issuer.claims(), nil))
	wantRefused(t, err, tokenverify.ReasonKeyUnknown)
}

func TestCallersWhoGiveUpDoNotSpoilTheCache(t *testing.T) {
	t.Parallel()
	key := newSigner(t, "k1", jose.ES256)
	issuer := newIssuer(t, key)
	clock := newClock()
	verifier := newVerifier(t, issuer, clock)
	token := key.sign(t, issuer.claims(), nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := verifier.Verify(gone, token)
	wantUnavailable(t, err)
	clock.step(time.Second)
	if _, err := verifier.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
}
