package tokenverify

import (
	"context"
	"crypto/rsa"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// requestTimeout limits one request to the issuer; two are made for a new
	// key set, well inside the time that a gateway waits for an authorizer.
	requestTimeout = 3 * time.Second
	// maxAnswerBytes limits what is read of one answer.
	maxAnswerBytes = 1 << 20
	// minRSABits is the smallest RSA key of RFC 7518 section 3.3.
	minRSABits = 2048
)

// issuerSource reads the keys that an issuer publishes.
type issuerSource struct {
	issuer string
	client *http.Client
}

// fetch finds the address of the keys by OpenID Connect discovery and reads
// them. Both are read each time, since an issuer may move its keys.
func (s issuerSource) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, s.client), s.issuer)
	if err != nil {
		return nil, fmt.Errorf("discover issuer: %w", err)
	}
	var metadata struct {
		KeysURL string `json:"jwks_uri"`
	}
	if err := provider.Claims(&metadata); err != nil {
		return nil, fmt.Errorf("discover issuer: %w", err)
	}
	if strings.HasPrefix(s.issuer, "https:") && !strings.HasPrefix(metadata.KeysURL, "https:") {
		return nil, fmt.Errorf("discover issuer: keys at %q are not protected by TLS", metadata.KeysURL)
	}
	body, err := s.get(ctx, metadata.KeysURL)
	if err != nil {
		return nil, fmt.Errorf("read keys of issuer: %w", err)
	}
	return decodeKeys(body)
}

func (s issuerSource) get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("send request: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	return body, nil
}

// decodeKeys reads a JSON Web Key Set (RFC 7517). Keys that cannot serve to
// verify signatures, or that this library does not know, are left out as
// section 5 asks: one exotic key does not make the others useless.
func decodeKeys(body []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("decode keys of issuer: %w", err)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if err := key.UnmarshalJSON(raw); err == nil && verifies(key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("decode keys of issuer: none of %d keys can verify a token", len(set.Keys))
	}
	return keys, nil
}

// verifies tells whether a key is a public key for signatures, of fit strength.
func verifies(key jose.JSONWebKey) bool {
	if !key.Valid() || !key.IsPublic() || (key.Use != "" && key.Use != "sig") {
		return false
	}
	rsaKey, isRSA := key.Key.(*rsa.PublicKey)
	return !isRSA || rsaKey.N.BitLen() >= minRSABits
}

// limited returns a client like c that reads at most maxAnswerBytes of an answer.
func limited(c *http.Client) *http.Client {
	inner := c.Transport
	if inner == nil {
		inner = http.DefaultTransport
	}
	copied := *c
	copied.Transport = limitedTransport{inner}
	return &copied
}

type limitedTransport struct {
	inner http.RoundTripper
}

func (t limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.inner.RoundTrip(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // a transport hands errors on as they are
	}
	// It fails at its limit rather than ending: a document cut short could look
	// whole.
	response.Body = http.MaxBytesReader(nil, response.Body, maxAnswerBytes)
	return response, nil
}
