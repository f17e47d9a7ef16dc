package tokenverify_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/replyonce/replyonce/shared/tokenverify"
)

// start is the time of the first request in every test.
var start = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)

// signer is a private key of a fake issuer.
type signer struct {
	id  string
	alg jose.SignatureAlgorithm
	key crypto.Signer
}

func newSigner(t testing.TB, id string, alg jose.SignatureAlgorithm) signer {
	t.Helper()
	var (
		key crypto.Signer
		err error
	)
	switch alg {
	case jose.ES256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.ES384:
		key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return signer{id, alg, key}
}

func (s signer) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: s.key.Public(), KeyID: s.id, Algorithm: string(s.alg), Use: "sig"}
}

// sign makes a token; headers are added to those of the signer.
func (s signer) sign(t testing.TB, claims map[string]any, headers map[jose.HeaderKey]any) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType("JWT")
	if s.id != "" {
		options = options.WithHeader(jose.HeaderKey("kid"), s.id)
	}
	for name, value := range headers {
		options = options.WithHeader(name, value)
	}
	maker, err := jose.NewSigner(jose.SigningKey{Algorithm: s.alg, Key: s.key}, options)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(maker).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// fakeIssuer is an OpenID Connect issuer with discovery and keys, whose
// answers a test can change.
type fakeIssuer struct {
	url string

	mu        sync.Mutex
	keys      []any // JSON of each key
	down      bool
	discovery func(document map[string]any) // changes the document
	rawKeys   string                        // in place of the key set
	requests  int                           // for keys
}

func newIssuer(t testing.TB, signers ...signer) *fakeIssuer {
	t.Helper()
	issuer := &fakeIssuer{}
	issuer.publish(signers...)
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", issuer.serveDiscovery)
	mux.HandleFunc("/keys", issuer.serveKeys)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	issuer.url = server.URL
	return issuer
}

func (i *fakeIssuer) publish(signers ...signer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = nil
	for _, s := range signers {
		i.keys = append(i.keys, s.public())
	}
}

func (i *fakeIssuer) set(change func(i *fakeIssuer)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(i)
}

func (i *fakeIssuer) keyRequests() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.requests
}

func (i *fakeIssuer) serveDiscovery(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	document := map[string]any{"issuer": i.url, "jwks_uri": i.url + "/keys"}
	if i.discovery != nil {
		i.discovery(document)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(document)
}

func (i *fakeIssuer) serveKeys(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.requests++
	if i.down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if i.rawKeys != "" {
		_, _ = fmt.Fprint(w, i.rawKeys)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": i.keys})
}

// claims of a good ID token of alice in workspace acme.
func (i *fakeIssuer) claims(changes ...map[string]any) map[string]any {
	claims := map[string]any{
		"iss":       i.url,
		"aud":       "client-1",
		"sub":       "alice",
		"iat":       start.Unix(),
		"exp":       start.Add(time.Hour).Unix(),
		"workspace": "acme",
	}
	for _, change := range changes {
		for name, value := range change {
			if value == absent {
				delete(claims, name)
				continue
			}
			claims[name] = value
		}
	}
	return claims
}

// absent removes a claim.
const absent = "\x00absent"

// clock is a wall clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: start} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newVerifier(t *testing.T, issuer *fakeIssuer, clock *clock, changes ...func(c *tokenverify.Config)) *tokenverify.Verifier {
	t.Helper()
	config := tokenverify.Config{
		Issuer:         issuer.url,
		Audience:       "client-1",
		WorkspaceClaim: "workspace",
		Tolerance:      30 * time.Second,
		Now:            clock.Now,
	}
	for _, change := range changes {
		change(&config)
	}
	verifier, err := tokenverify.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}
